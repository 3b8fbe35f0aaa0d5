# SPDX-License-Identifier: Apache-2.0
"""Whether the tasks of a Giotto program end in time, by their worst-case execution times, if drivers take none.

*EDF.*  A program is time-safe under EDF, in every mode and across switches, if each mode has a load of 1 at most:

1. Give every task whose invocation has begun and not ended the share (its execution time / its period) of the processor, all
   the time.  Then each invocation has got its execution time when it ends, and a schedule that does so meets all deadlines.
2. The shares at any time are those of tasks of the current mode.  A task that a switch interrupts exists in the target with the
   same period, and one that the target does not have has ended.  So they are at most the mode's load.
3. If any schedule meets all deadlines, EDF does.

A mode with a higher load is not time-safe under any scheduler, if it goes on for long enough and no guard skips a task.

*Rate-monotonic.*  Within a mode, tasks begin together at its start, which is the worst case (C. Liu, J. Layland, 1973).  So a
task ends in time if the first response time does.  What switches do to that, ``switching`` says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from carillon.diagnostics import Diagnostics
from carillon.model.giotto import Giotto, Mode
from carillon.units import SECONDS, format_number

_MOST_STEPS = 10_000
KERNEL = Fraction(1, 20)
"""The share of the processor that a mode's tasks had better leave to the kernel and to drivers, which no analysis counts."""


@dataclass(frozen=True, slots=True)
class Load:
    """What a mode asks of the processor: ``share`` of it, and whether every task ends in time under a scheduler.

    None: not known, since tasks have no execution time, or, of ``rate_monotonic``, since it would take too long to say.
    """

    share: Fraction | None
    edf: bool | None
    rate_monotonic: bool | None


def execution_times(program: Giotto) -> dict[str, Fraction]:
    """The longest time that a task has anywhere, in milliseconds; of tasks that have one."""
    times: dict[str, Fraction] = {}
    found = [(task.name.text, task.wcet) for task in program.tasks]
    found += [(a.target.text, a.wcet) for mode in program.modes for a in mode.invocations]
    for name, time in found:
        if time is not None:
            times[name] = max(times.get(name, Fraction(0)), time.number * SECONDS[time.unit] * 1000)
    return times


def loads(program: Giotto) -> dict[str, Load]:
    """The load of each mode; the longest time that a task has anywhere counts in all modes."""
    times = execution_times(program)
    return {mode.name.text: _load(mode, times) for mode in program.modes}


def check_loads(program: Giotto, found: dict[str, Load], diagnostics: Diagnostics) -> None:
    """Report modes that no scheduler can keep (C268), and warn of those that leave the kernel hardly any time (C246)."""
    for mode in program.modes:
        share = found[mode.name.text].share
        if share is None or share <= 1 - KERNEL:
            continue
        cause = f"the tasks of the mode {mode.name} take {format_number(share * 100, 1)} % of the processor"
        if share > 1:
            remedy = "invoke tasks less often, or with shorter execution times: [wcet ...]"
            diagnostics.error("C268", mode.name.span, cause, remedy)
        else:
            remedy = "leave some time: run it with --strict, and look at the share of the kernel"
            diagnostics.warning("C246", mode.name.span, f"{cause}, without what kernel and drivers take", remedy)


def _load(mode: Mode, times: dict[str, Fraction]) -> Load:
    if any(activity.target.text not in times for activity in mode.invocations):
        return Load(None, None, None)
    tasks = [(Fraction(mode.period, a.frequency), times[a.target.text]) for a in mode.invocations]
    share = sum((time / period for period, time in tasks), Fraction(0))
    return Load(share, share <= 1, _rate_monotonic(sorted(tasks)) if share <= 1 else False)


def _rate_monotonic(tasks: list[tuple[Fraction, Fraction]]) -> bool | None:
    """Whether all of them end in time, the shortest period first."""
    steps = 0
    for place, (period, time) in enumerate(tasks):
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
