# SPDX-License-Identifier: Apache-2.0
"""Whether the tasks of a Giotto program end in time, by the worst-case execution times of tasks and drivers.

*EDF.*  A program is time-safe under EDF, in every mode and across switches, if each mode has a load of 1 at most:

1. Give every task whose invocation has begun and not ended the share (its execution time / its period) of the processor, all
   the time.  Then each invocation has got its execution time when it ends, and a schedule that does so meets all deadlines.
2. The shares at any time are those of tasks of the current mode.  A task that a switch interrupts exists in the target with the
   same period, and one that the target does not have has ended.  So they are at most the mode's load.
3. If any schedule meets all deadlines, EDF does.

A mode with a higher load is not time-safe under any scheduler, if it goes on for long enough and no guard skips a task.

*Drivers* are carried out at the instants of units, before any task.  A program is time-safe by the execution times "of all
tasks and drivers" (A Programmable Microkernel for Real-Time Systems, section 2).  So they are no fluid.  Between two instants
of a mode, what the tasks that begin and end there take and what the drivers take from the first instant on must fit
(:func:`_overfull`).
Longer stretches than a period fit if these do and the load is 1 at most, as a period more adds the load.  A driver without an
execution time counts as none, as does that of a switch, which leaves the mode.

*The machine* that carries out blocks and dispatches takes some time for each invocation, at least ``LEAST``.  So a load of 1 is
too much.

*Rate-monotonic.*  Within a mode, tasks begin together at its start, which is the worst case (C. Liu, J. Layland, 1973).  So a
task ends in time if the first response time does.  What switches do to that, ``switching`` says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from carillon.diagnostics import Diagnostics
from carillon.model.giotto import Giotto, Mode
from carillon.units import SECONDS, format_number

_MOST_STEPS = 10_000
KERNEL = Fraction(1, 20)
"""The share of the processor that a mode had better leave to the kernel, which no analysis counts in full."""
LEAST = Fraction(1, 1000)
"""Milliseconds that the kernel takes for each invocation of a task on any board, at least."""
_MOST_UNITS = 1000


@dataclass(frozen=True, slots=True)
class Load:
    """What a mode's tasks and drivers ask of the processor.

    ``share`` of it, and whether every task ends in time under a scheduler.  None: not known, since tasks have no execution time,
    or, of ``rate_monotonic``, since it would take too long to say.  ``overfull``: two instants in milliseconds between which they
    do not fit, and what they take there.
    """

    share: Fraction | None
    edf: bool | None
    rate_monotonic: bool | None
    overfull: tuple[Fraction, Fraction, Fraction] | None = None


def execution_times(program: Giotto) -> dict[str, Fraction]:
    """The longest time that a task has anywhere, in milliseconds; of tasks that have one."""
    times: dict[str, Fraction] = {}
    found = [(task.name.text, task.wcet) for task in program.tasks]
    found += [(a.target.text, a.wcet) for mode in program.modes for a in mode.invocations]
    for name, time in found:
        if time is not None:
            times[name] = max(times.get(name, Fraction(0)), time.number * SECONDS[time.unit] * 1000)
    return times


def nanoseconds(times: Mapping[str, Fraction], names: Sequence[str]) -> tuple[int, ...]:
    """The execution times of these tasks as a target counts them: nanoseconds, rounded up; 0 for a time that is not known.

    ``times`` are in milliseconds.  ValueError, which names the task, for a time of 2^32 ns or more.
    """
    found = tuple(max(1, math.ceil(times[name] * 1_000_000)) if name in times else 0 for name in names)
    for name, time in zip(names, found, strict=True):
        if time >= 1 << 32:
            raise ValueError(f"the task {name} takes {time} ns, and a target counts to {(1 << 32) - 1} ns")
    return found


def loads(program: Giotto) -> dict[str, Load]:
    """The load of each mode; the longest time that a task has anywhere counts in all modes."""
    times, drivers = execution_times(program), driver_times(program)
    return {mode.name.text: _load(mode, times, drivers) for mode in program.modes}


def driver_times(program: Giotto) -> dict[str, Fraction]:
    """The execution times of drivers, in milliseconds; of drivers that have one."""
    return {d.name.text: d.wcet.number * SECONDS[d.wcet.unit] * 1000 for d in program.drivers if d.wcet is not None}


def check_loads(program: Giotto, found: dict[str, Load], diagnostics: Diagnostics) -> None:
    """Report modes that no scheduler can keep (C268), and warn of those that leave the kernel hardly any time (C246)."""
    drivers = driver_times(program)
    for mode in program.modes:
        share, overfull = found[mode.name.text].share, found[mode.name.text].overfull
        if share is None or (share <= 1 - KERNEL and overfull is None):
            continue
        invoked = LEAST * sum(a.frequency for a in mode.invocations) / mode.period
        has_drivers = any(a.driver is not None and a.driver.text in drivers for a in (*mode.invocations, *mode.updates))
        who = "the tasks and drivers" if has_drivers else "the tasks"
        cause = f"{who} of the mode {mode.name} take {format_number(share * 100, 1)} % of the processor"
        remedy = "invoke tasks less often, or with shorter execution times: [wcet ...]"
        if share > 1:
            diagnostics.error("C268", mode.name.span, cause, remedy)
        elif share + invoked > 1:
            diagnostics.error("C268", mode.name.span, f"{cause}, and leave no time for the kernel", remedy)
        elif overfull is not None:
            begin, end, takes = (format_number(number, 3) for number in overfull)
            cause = f"{who} of the mode {mode.name} take {takes} ms between {begin} and {end} ms of its period"
            diagnostics.error("C268", mode.name.span, cause, remedy)
        else:
            remedy = "leave some time: run it with --strict, and look at the share of the kernel"
            without = "kernel takes" if has_drivers else "kernel and drivers take"
            diagnostics.warning("C246", mode.name.span, f"{cause}, without what {without}", remedy)


def _load(mode: Mode, times: dict[str, Fraction], drivers: dict[str, Fraction]) -> Load:
    is_sound = mode.period > 0 and all(activity.frequency > 0 for activity in (*mode.invocations, *mode.updates))  # else C256
    if not is_sound or any(activity.target.text not in times for activity in mode.invocations):
        return Load(None, None, None)
    tasks = [(Fraction(mode.period, a.frequency), times[a.target.text]) for a in mode.invocations]
    called = [a for a in (*mode.invocations, *mode.updates) if a.driver is not None and a.driver.text in drivers]
    calls = [(Fraction(mode.period, a.frequency), drivers[a.driver.text]) for a in called if a.driver is not None]
    share = sum((time / period for period, time in (*tasks, *calls)), Fraction(0))
    if share > 1:
        return Load(share, False, False)
    overfull = _overfull(mode, tasks, calls)
    return Load(share, overfull is None, _rate_monotonic(sorted(calls), sorted(tasks)), overfull)


def _overfull(
    mode: Mode, tasks: list[tuple[Fraction, Fraction]], calls: list[tuple[Fraction, Fraction]]
) -> tuple[Fraction, Fraction, Fraction] | None:
    """The first two instants between which tasks and drivers do not fit, and what they take; None if there are none.

    From an instant ``s`` to one ``d``: the tasks whose periods begin at ``s`` or later and end at ``d`` or before, and the
    drivers from ``s`` on, before ``d``.  Without drivers a load of 1 at most is enough.  Modes of too many units are not looked
    at.
    """
    if not calls or mode.units > _MOST_UNITS:
        return None
    period = Fraction(mode.period)
    instants = sorted({k * p for p, _ in (*tasks, *calls) for k in range(int(period / p))})
    for s in instants:
        for d in [*(at for at in instants if at > s), *(at + period for at in instants if at <= s)]:
            takes = Fraction(0)
            for p, time in tasks:
                takes += max(0, math.floor(d / p) - math.ceil(s / p)) * time
            for p, time in calls:
                takes += (math.ceil(d / p) - math.ceil(s / p)) * time
            if takes > d - s:
                return s, d, takes
    return None


def _rate_monotonic(calls: list[tuple[Fraction, Fraction]], own: list[tuple[Fraction, Fraction]]) -> bool | None:
    """Whether all tasks end in time, the shortest period first, and all drivers before them."""
    steps, tasks = 0, [*calls, *own]
    for place, (period, time) in list(enumerate(tasks))[len(calls) :]:
        response, before = sum((t for _, t in tasks[: place + 1]), Fraction(0)), Fraction(-1)
        while response != before and response <= period:
            steps += place + 1
            if steps > _MOST_STEPS * len(tasks):
                return None
            before = response
            response = time + sum((math.ceil(before / p) * t for p, t in tasks[:place]), Fraction(0))
        if response > period:
            return False
    return True
