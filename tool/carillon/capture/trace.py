# SPDX-License-Identifier: Apache-2.0
"""A capture as a run: the events of its tasks, from the begin of the round in which the first one starts."""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from carillon.capture import BROKEN, NOTHING, UNFIT, Capture, Signal, refuse
from carillon.capture.clock import Fit, fit
from carillon.diagnostics import Span, some, suggestion
from carillon.groups import grouped
from carillon.model import Mode, System
from carillon.trace import Event, Kind, Trace
from carillon.trace.analyse import EARLY_TICKS
from carillon.trace.beneath import by_priority, equals
from carillon.trace.timeline import Release
from carillon.units import format_duration

NO_TASKS = "the schedule has no tasks", "give the schedule of what runs on the chip"
FINEST = 1000
"""Parts of a tick that are told apart at most."""
MOST_ASTRAY = 0.4
"""Part of the starts that may be far from the plan: of starts that know nothing of it, half are."""
MOST_ROUNDS = 1_000_000
"""Rounds of a capture at most."""
CAPTURED = "captured"
"""What stands for the kernel's name in a capture's trace."""


@dataclass(frozen=True, slots=True)
class Captured:
    """A capture's trace.

    ``first``: its first tick; what was due before was not seen, but for ``answered`` (tick, task), whose start is the first.
    ``missing``: tasks without a signal.  ``blind``: from when to when (ticks) nothing was seen.
    """

    trace: Trace
    fit: Fit
    first: int
    answered: tuple[int, str]
    missing: tuple[str, ...]
    blind: tuple[tuple[int, int], ...] = ()

    def seen(self, releases: Sequence[Release]) -> list[Release]:
        """The releases that a capture of these tasks, from its first tick on, may show."""
        names = {*self.trace.tasks, *self.trace.interrupts}
        last = self.trace.length - 1  # of which a part was seen
        begun = {event.object for event in self.trace.events if event.kind is Kind.START and event.t >= last - EARLY_TICKS}
        known = [r for r in releases if r.task in names and (r.at >= self.first or (r.at, r.task) == self.answered)]
        known = [r for r in known if r.at < last or r.task in begun]
        return self._sighted(known) if self.blind else known

    def _sighted(self, releases: Sequence[Release]) -> list[Release]:
        """Without those that no start answers before the next one is due, if nothing was seen for a part of that time."""
        starts = grouped((event.object, event.t) for event in self.trace.events if event.kind is Kind.START)
        begins, ends = [begin for begin, _ in self.blind], [end for _, end in self.blind]
        kept: list[Release] = []
        for task, own in grouped((r.task, r) for r in releases).items():
            for release, until in zip(own, [*(r.at - EARLY_TICKS for r in own[1:]), math.inf], strict=True):
                since, then = release.at - EARLY_TICKS, starts[task]
                first, place = bisect.bisect_left(then, since), bisect.bisect_right(ends, since)
                answered = first < len(then) and then[first] < until
                if answered or place == len(ends) or begins[place] >= until:
                    kept.append(release)
        return sorted(kept, key=lambda r: (r.at, r.task))


def lanes_of(capture: Capture, named: Mapping[str, str], names: Sequence[str]) -> dict[str, Signal]:
    """The signal of each of the tasks and interrupts ``names`` that has one.

    ``named``: signal to task, as the command line says.  Any other signal belongs to the task with its name, in any letters.
    Raises CarillonError (C302).
    """
    span = Span(capture.file)
    if not names:
        refuse(NOTHING, span, *NO_TASKS)
    signals = {signal.name: signal for signal in capture.signals}
    found: dict[str, Signal] = {}
    for signal, task in named.items():
        if signal not in signals:
            refuse(UNFIT, span, f"--lane {signal}={task}: the capture has no signal '{signal}'", suggestion(signal, signals))
        if task not in names:
            refuse(UNFIT, span, f"--lane {signal}={task}: the schedule has no task '{task}'", suggestion(task, names))
        if task in found:
            refuse(UNFIT, span, f"two signals are said to be '{task}'", "name one --lane for each task")
        found[task] = signals[signal]
    for task in names:
        own = [s for s in capture.signals if task.lower() in {alias.lower() for alias in (s.name, *s.aliases)}]
        own = [s for s in own if s.name not in named]
        if task in found or not own:
            continue
        if len(own) > 1:
            cause = f"the signals {some((repr(s.name) for s in own), 3)} all have the name of '{task}'"
            refuse(UNFIT, span, cause, f"say which it is: --lane {own[0].name}={task}")
        found[task] = own[0]
    if not found:
        cause = f"no signal has the name of a task; the capture has {some((repr(s) for s in signals), 8) or 'none'}"
        first = next(iter(signals), "CH0")
        refuse(UNFIT, span, cause, f"name the channels as the tasks, or say which is which: --lane {first}={names[0]}")
    return {name: found[name] for name in names if name in found}


def trace_of(capture: Capture, lanes: Mapping[str, Signal], system: System, delay: int) -> Captured:
    """The trace of a capture whose signals are those of tasks; the least start delay is taken to be ``delay`` ticks.

    Raises CarillonError: C303 where too little happens, C302 where signals overlap as no tasks of one processor do.
    """
    span = Span(capture.file)
    mode = next((m for m in system.modes if m.name == system.start_mode), None)
    hz = system.clock_hz
    found = _fit(capture, lanes, system, mode) if mode is not None else _unplanned(capture, lanes)
    length = mode.round_length if mode is not None else 0
    parts = max(1, min(FINEST, math.ceil(1 / (capture.unit * hz))))
    per_unit = capture.unit * hz * parts / found.second
    zero = (found.origin * hz * parts / found.second) - delay * parts

    def at(time: int) -> Fraction:
        return time * per_unit - zero

    back = 0
    if mode is not None:
        planned = {activation.task for activation in mode.activations}
        others = [at(s.highs[0][0]) / parts for name, s in lanes.items() if s.highs and name not in planned]
        back = math.floor(min([Fraction(found.due), *others]) / length) * length * parts

    def place(time: int) -> int:
        return max(0, round(at(time)) - back)

    runs = [
        _Run(place(b), None if e is None else place(e), name, k - 1 in s.waits, k in s.waits)
        for name, s in lanes.items()
        for k, (b, e) in enumerate(s.highs)
    ]
    below = by_priority(system.osek)
    tasks, interrupts = (*(task.name for task in system.tasks), *below[1]), (*(it.name for it in system.interrupts), *below[0])
    end = place(capture.end)
    trace = Trace(
        application=system.name,
        board=system.board.name,
        kernel=CAPTURED,
        clock_hz=hz,
        instructions_per_tick=parts,
        rounds=0,
        length=end // parts + 1,  # the tick of the last event, too
        round_length=length,
        tasks=tuple(name for name in tasks if name in lanes),
        interrupts=tuple(name for name in interrupts if name in lanes),
        events=_events(runs, parts, span, hz),
        modes=((0, mode.name),) if mode is not None else (),
        round_lengths=tuple((m.name, m.round_length) for m in system.modes),
        unit=_unit(parts, hz),
        event_triggered=tuple(name for name in (*below[0], *below[1]) if name in lanes),
        equals=equals(system.osek),
        captured=True,
        unseen=tuple(gap._replace(begin=place(gap.begin), end=place(gap.end)) for gap in capture.blind),
    )
    everyone = [task.name for task in system.tasks] + [interrupt.name for interrupt in system.interrupts]
    first = -(-place(capture.begin) // parts)
    answered = found.due - back // parts, found.first
    blind = tuple((gap.begin // parts, -(-gap.end // parts)) for gap in trace.unseen)
    return Captured(trace, found, first, answered, tuple(name for name in everyone if name not in lanes), blind)


def _fit(capture: Capture, lanes: Mapping[str, Signal], system: System, mode: Mode) -> Fit:
    """How the capture's time lies to the rounds of a mode."""
    span, hz, length = Span(capture.file), system.clock_hz, mode.round_length
    due = {task: [a.at for a in mode.activations if a.task == task] for task in lanes}
    starts = sorted((at * capture.unit, task) for task in lanes if due[task] for at, _ in lanes[task].highs)
    if not starts:
        cause = (
            f"no task of mode '{mode.name}' starts in the capture: {some((repr(s.name) for s in lanes.values()), 4)} never rise"
        )
        refuse(NOTHING, span, cause, "look whether the probes, the threshold and the trigger are right, and whether pins are set")
    seconds = (capture.end - capture.begin) * capture.unit
    if seconds * hz < length:
        lasts, needed = format_duration(seconds * hz, hz), format_duration(length, hz)
        refuse(NOTHING, span, f"the capture lasts {lasts}, less than a round, which is {needed}", "capture two rounds or more")
    if seconds * hz > MOST_ROUNDS * length:
        cause = f"the capture lasts {format_duration(seconds * hz, hz)}, more than {MOST_ROUNDS} rounds"
        refuse(BROKEN, span, cause, "look at its times and at their unit; or export a part of it")
    for task, signal in lanes.items():
        most = len(due[task]) * (math.ceil(seconds * hz / length) + 1)
        if due[task] and len(signal.highs) > 2 * most:
            cause = f"'{signal.name}' rises {len(signal.highs)} times, and '{task}' is due {most} times at most in the capture"
            refuse(UNFIT, span, cause, "look whether channels were exchanged, and whether the chip runs this schedule")
    found = fit(starts, due, length, hz, capture.unit)
    if found.astray > MOST_ASTRAY:
        cause = f"{100 * found.astray:.0f} % of the starts are nowhere near the points of mode '{mode.name}'"
        refuse(UNFIT, span, cause, "look whether channels were exchanged, and whether the chip runs this schedule, in this mode")
    return found


def _unplanned(capture: Capture, lanes: Mapping[str, Signal]) -> Fit:
    """Without rounds, tick 0 is the first start, and nothing is known of the capture's clock."""
    starts = sorted((signal.highs[0][0], task) for task, signal in lanes.items() if signal.highs)
    if not starts:
        cause = f"nothing starts in the capture: {some((repr(s.name) for s in lanes.values()), 4)} never rise"
        refuse(NOTHING, Span(capture.file), cause, "look whether the chip runs this schedule, and for how long")
    return Fit(starts[0][0] * capture.unit, Fraction(1), None, None, False, 0, 0.0, starts[0][1])


def _unit(parts: int, hz: int) -> str:
    """What a part of a tick is called."""
    if parts == 1:
        return "ticks"
    duration = format_duration(Fraction(1, parts), hz)
    return duration[1:] if duration[:1] == "1" and duration[1:].isalpha() else f"units of {duration}"


class _Run(NamedTuple):
    """Of a task, from its start to its end; or it goes on from a wait, or to one."""

    begin: int
    end: int | None
    name: str
    goes_on: bool
    waits: bool


def _events(runs: list[_Run], parts: int, span: Span, hz: int) -> tuple[Event, ...]:
    """The events of runs, of which a later one has preempted an earlier one that has not ended."""
    never = 1 + max(run.begin if run.end is None else run.end for run in runs)
    events = [Event(0, 0, Kind.IDLE, "idle")]
    active: list[tuple[int, _Run]] = []  # when it ends; innermost last

    def emit(n: int, kind: Kind, name: str) -> None:
        events.append(Event(n // parts, n, kind, name))

    def finish(until: int) -> None:
        """End what ends before, or at, a time."""
        while active and active[-1][0] <= until:
            end, run = active.pop()
            last = max(end - 1, events[-1].n)  # its last instruction, or what a part of a tick is here
            emit(last, Kind.WAIT if run.waits else Kind.END, run.name)
            emit(end, Kind.RESUME if active else Kind.IDLE, active[-1][1].name if active else "idle")

    def order(run: _Run) -> tuple[int, bool, int]:
        """By the begin; what takes no time comes first, and of others the outer one."""
        return run.begin, run.end != run.begin, -(never if run.end is None else run.end)

    for run in sorted(runs, key=order):
        finish(run.begin)
        end = never if run.end is None else run.end
        if active and end > active[-1][0]:
            over, outer = active[-1]
            if over - run.begin > parts + 1:
                when = format_duration(Fraction(over, parts), hz)
                cause = (
                    f"'{outer.name}' falls {when} after the first round's begin, while '{run.name}' is high that rose after it"
                )
                remedy = (
                    "what preempts a task ends before it: look whether channels were exchanged, and when the pins are cleared"
                )
                refuse(UNFIT, span, cause, remedy)
            active[-1] = run.begin, outer  # both edges are of one sample
            finish(run.begin)
        emit(run.begin, Kind.RESUME if run.goes_on else Kind.START, run.name)
        active.append((end, run))
    finish(never - 1)
    return tuple(events)
