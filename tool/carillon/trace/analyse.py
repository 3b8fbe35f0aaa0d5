# SPDX-License-Identifier: Apache-2.0
"""Analysis of a run: who had the processor when, and what that means for every task.

:func:`analyse` reads the events once and returns a :class:`Summary`: the segments in which tasks,
interrupts, the kernel and the idle task really ran, one :class:`Run` per activation, one :class:`Handler`
per interrupt taken, one :class:`Verdict` per deadline, and figures for each task and for the whole run.

Order of events that it expects: ``enter(object)``, then ``start(task)`` ... ``end(task)``, then
``exit(object)``; ``preempt(task)`` precedes the ``enter`` of the handler that preempts it and
``resume(task)`` follows the ``exit`` after which it goes on; ``idle`` whenever idle (re)gains the
processor.  ``wait(task)`` instead of ``end(task)`` leaves an extended task's run open: a later ``resume(task)``
begins where ``start(task)`` would.  Handlers nest.  It accepts a kernel that starts tasks outside handlers,
missing ``preempt`` and ``resume`` events, and a trace that is cut off at either end.

Units: ``t`` in ticks; ``n`` in instructions (QEMU) or cycles (simavr); ``u`` in fractions of a tick, see
:class:`Moment`.
"""

from __future__ import annotations

import bisect
import itertools
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from carillon.model import Mode
from carillon.trace import Event, Kind, Trace

EARLY_TICKS = 2
"""How many ticks before its nominal release a start still counts as that release's."""


@dataclass(frozen=True, slots=True)
class Release:
    """A nominal release: ``at`` and ``deadlines`` are absolute ticks from the start of the first round."""

    task: str
    at: int
    deadlines: tuple[int, ...] = ()


class Moment(NamedTuple):
    """When something happened, in three units.

    ``u`` is the time in units of ``1 / Summary.scale`` ticks.  It follows ``n`` as long as instructions pass
    evenly and jumps where they do not (a processor that sleeps executes none), and ``u // scale == t``.
    """

    t: int
    n: int
    u: int


class LaneKind(Enum):
    """Who can have the processor."""

    TASK = "task"
    INTERRUPT = "interrupt"
    KERNEL = "kernel"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Lane:
    """One row of a timeline."""

    kind: LaneKind
    name: str


KERNEL = Lane(LaneKind.KERNEL, "kernel")
IDLE = Lane(LaneKind.IDLE, "idle")


class Segment(NamedTuple):
    """``lane`` had the processor in [begin, end).

    ``owner`` is an index into :attr:`Summary.runs` for tasks and interrupts, into :attr:`Summary.handlers`
    for the kernel, and -1 where there is none (idle, or a run whose start lies before the trace).
    """

    lane: Lane
    owner: int
    begin: Moment
    end: Moment


class HandlerKind(Enum):
    """What an interrupt was for: the first of these that applies."""

    ACTIVATION = "activation"  # it started a time-triggered task
    INTERRUPT = "interrupt"  # it started an interrupt of the application
    TASK = "task"  # it started an event-triggered task, or let one go on that had waited
    TIMER = "timer"  # it served a counter or an alarm
    DEADLINE = "deadline"  # it only checked deadlines
    OTHER = "other"  # nothing that the application sees: ticks, re-arming, control points


@dataclass(frozen=True, slots=True)
class Handler:
    """One interrupt taken.  ``end`` is None where the trace is cut; ``kernel_n`` is the kernel's part of it.

    ``met`` and ``missed`` count the deadlines that it checked.
    """

    object: str
    kind: HandlerKind
    begin: Moment
    end: Moment | None
    kernel_n: int
    met: int
    missed: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a run from its start, or the end of a wait, to its end, or the next wait (None: the end of the trace).

    ``executed`` (unit ``n``) leaves out what preempted it.  ``dispatch``, ``terminate`` are as in :class:`Run`.
    """

    begin: Moment
    end: Moment | None
    executed: int
    dispatch: int | None
    terminate: int | None


@dataclass(frozen=True, slots=True)
class Run:
    """One activation as it ran; ``number`` counts from 1 for each task.

    ``begin`` is the task's first instruction, ``end`` its last (None: still running when the trace ended).
    ``executed`` (unit ``n``) leaves out what preempted it.  ``from_idle``: nothing else was active when it began.
    ``dispatch``, ``terminate`` are instructions between the interrupt's entry and the task's first one, and
    from the task's last one to the first of what ran next (a bare return: 1); None where unknown.
    An extended task's run has a stretch more than it has waits; any other has one.
    """

    lane: Lane
    number: int
    begin: Moment
    end: Moment | None
    release: Release | None
    executed: int
    preemptions: int
    from_idle: bool
    dispatch: int | None
    terminate: int | None
    stretches: tuple[Stretch, ...]

    @property
    def waits(self) -> tuple[tuple[Moment, Moment | None], ...]:
        """When it waited: from, and until it went on (None: it waited when the trace ended)."""
        begins = [s.end for s in self.stretches if s.end is not None]
        ends = [s.begin for s in self.stretches[1:]]
        open_ended = len(ends) < len(begins) and self.end is None
        return tuple(zip(begins, [*ends, None] if open_ended else ends, strict=False))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a deadline at tick ``at``.

    ``run`` is an index into :attr:`Summary.runs`, -1 if the activation never began.  ``observed``: an event
    of the run says so; otherwise it is computed (missed unless the task ended before the deadline).
    """

    task: str
    at: int
    run: int
    missed: bool
    observed: bool


@dataclass(frozen=True, slots=True)
class Spread:
    """Minimum, median and maximum of ``samples`` values; the median is exact, so it may end in .5."""

    minimum: int
    median: float
    maximum: int
    samples: int

    @staticmethod
    def of(values: Sequence[int]) -> Spread | None:
        """The spread of the values; None if there are none."""
        if not values:
            return None
        return Spread(min(values), float(statistics.median(values)), max(values), len(values))

    def as_json(self) -> dict[str, object]:
        """The form that ``--json`` prints."""
        return {"min": self.minimum, "median": self.median, "max": self.maximum, "samples": self.samples}


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """Figures of one task or application interrupt.

    In ticks: ``start_delay`` (start - nominal release), ``jitter`` (its maximum - its minimum), ``drift``
    (its last value - its first, over activations that began in an idle system), ``response`` (end - nominal
    release).  ``longest`` is the greatest time in ticks from a stretch's begin to its end, with what preempted it.
    In units of ``n``: ``execution``, ``dispatch``, ``terminate``, each of stretches (of whole runs, for a task that
    does not wait).  ``share`` is its part of the run's length.  ``unstarted`` counts releases within the trace that no
    start answers.  ``start_bound`` is the greatest ``start_delay`` that the plan allows; None for a task that starts on its
    tick.
    """

    lane: Lane
    activations: int
    unstarted: int
    start_delay: Spread | None
    jitter: int | None
    drift: int | None
    response: Spread | None
    execution: Spread | None
    preemptions: int
    deadlines_met: int
    deadlines_missed: int
    dispatch: Spread | None
    terminate: Spread | None
    event_triggered: bool
    waits: int
    longest: int | None
    share: float
    start_bound: int | None = None

    def as_json(self) -> dict[str, object]:
        """The form that ``--json`` prints."""
        record: dict[str, object] = {"name": self.lane.name, "kind": self.lane.kind.value}
        numbers = [
            "activations",
            "unstarted",
            "start_bound",
            "jitter",
            "drift",
            "preemptions",
            "deadlines_met",
            "deadlines_missed",
        ]
        spreads = ["start_delay", "response", "execution", "dispatch", "terminate"]
        if self.event_triggered:
            numbers = ["activations", "waits", "preemptions", "longest", "share"]
            spreads = ["execution", "dispatch", "terminate"]
        record["event_triggered"] = self.event_triggered
        for name in numbers:
            record[name] = getattr(self, name)
        for name in spreads:
            spread: Spread | None = getattr(self, name)
            record[name] = spread.as_json() if spread else None
        return record


@dataclass(frozen=True, slots=True)
class Totals:
    """Figures of the whole run; shares lie between 0 and 1.

    ``kernel_share`` is the kernel's part of all instructions, None where code takes no time.
    ``interrupts_for_met_deadlines`` counts interrupts that did nothing but find deadlines met.
    """

    interrupts: int
    interrupts_by_kind: dict[HandlerKind, int]
    interrupts_for_met_deadlines: int
    kernel_n: int
    total_n: int
    kernel_share: float | None
    idle_share: float
    deadlines_met: int
    deadlines_missed: int

    def as_json(self) -> dict[str, object]:
        """The form that ``--json`` prints."""
        return {
            "interrupts": self.interrupts,
            "interrupts_by_kind": {kind.value: self.interrupts_by_kind[kind] for kind in HandlerKind},
            "interrupts_for_met_deadlines": self.interrupts_for_met_deadlines,
            "kernel_instructions": self.kernel_n,
            "instructions": self.total_n,
            "kernel_share": self.kernel_share,
            "idle_share": self.idle_share,
            "deadlines_met": self.deadlines_met,
            "deadlines_missed": self.deadlines_missed,
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """All that :func:`analyse` found.

    ``lanes`` is the order of display: tasks by first activation, interrupts, what is event-triggered by priority,
    kernel, idle.  ``segments`` are
    in order of time, never overlap and cover the trace from ``begin`` to ``end`` in each of the three units.
    ``scale`` is the number of units ``u`` in a tick.
    """

    begin: Moment
    end: Moment
    scale: int
    lanes: tuple[Lane, ...]
    segments: tuple[Segment, ...]
    runs: tuple[Run, ...]
    handlers: tuple[Handler, ...]
    releases: tuple[Release, ...]
    verdicts: tuple[Verdict, ...]
    tasks: tuple[TaskSummary, ...]
    totals: Totals

    def as_json(self) -> dict[str, object]:
        """The figures, without segments and runs, in the form that ``--json`` prints."""
        return {"tasks": [task.as_json() for task in self.tasks], "totals": self.totals.as_json()}


def releases_of(mode: Mode, rounds: int, start: int = 0) -> tuple[Release, ...]:
    """The nominal releases of ``rounds`` rounds of a mode of which the first begins at tick ``start``."""
    return tuple(
        Release(activation.task, base + activation.at, tuple(base + deadline for deadline in activation.deadlines))
        for base in range(start, start + rounds * mode.round_length, mode.round_length)
        for activation in mode.activations
    )


def analyse(trace: Trace, releases: Sequence[Release]) -> Summary:
    """Segments, runs, verdicts and figures of a trace; see the module's text for what it expects.

    ``releases`` are the nominal releases in any order; those after the end of the trace are left out.
    """
    walk = _Walk(trace)
    walk.follow()
    end = walk.end
    known = tuple(sorted((r for r in releases if r.at < end.t), key=lambda r: (r.at, r.task)))
    runs = _with_releases(walk.runs, known)
    verdicts = _verdicts(trace.events, known, runs, end)
    lanes = _lanes(trace, runs)
    shares = _shares(walk)
    by_lane: dict[Lane, list[Run]] = defaultdict(list)
    for run in runs:
        by_lane[run.lane].append(run)
    released = Counter(release.task for release in known)
    judged: dict[str, list[bool]] = defaultdict(list)
    for verdict in verdicts:
        judged[verdict.task].append(verdict.missed)
    event_triggered = set(trace.event_triggered)
    bounds = dict(trace.start_bounds)
    tasks = tuple(
        _task_summary(
            lane,
            lane.name in event_triggered,
            shares.get(lane, 0.0),
            by_lane[lane],
            released[lane.name],
            judged[lane.name],
            bounds.get(lane.name),
        )
        for lane in lanes
        if lane not in (KERNEL, IDLE)
    )
    return Summary(
        begin=walk.begin,
        end=end,
        scale=walk.scale,
        lanes=lanes,
        segments=tuple(walk.segments),
        runs=runs,
        handlers=tuple(h.freeze() for h in walk.handlers),
        releases=known,
        verdicts=verdicts,
        tasks=tasks,
        totals=_totals(trace, walk, verdicts),
    )


def fine_times(events: Sequence[Event], per_tick: int) -> list[int]:
    """The time of each event in units of 1/``per_tick`` ticks, not descending; ``t`` itself if ``per_tick`` is 0.

    1. Where every instruction takes one unit, u = n - c with one constant c, and t = u // per_tick bounds c
       from both sides; the bounds of consecutive events intersect.
    2. Where the processor slept, n stood still and c falls; the intersection becomes empty there.
    So each maximal run of events whose bounds intersect shares the largest c that fits: its earliest
    event within a tick stands at the tick.
    """
    if per_tick <= 0:
        return [event.t for event in events]
    times: list[int] = []
    first, low, high = 0, None, None

    def settle(last: int, offset: int) -> None:
        for event in events[first:last]:
            time = max(event.n - offset, event.t * per_tick)
            times.append(max(time, times[-1]) if times else time)

    for index, event in enumerate(events):
        upper = event.n - event.t * per_tick
        lower = upper - per_tick + 1
        if low is None or high is None:
            low, high = lower, upper
        elif max(low, lower) <= min(high, upper):
            low, high = max(low, lower), min(high, upper)
        else:
            settle(index, high)
            first, low, high = index, lower, upper
    if high is not None:
        settle(len(events), high)
    return times


class _Phase(Enum):
    BEFORE = 1  # entered, nothing started yet
    INSIDE = 2  # its task runs, or would if it were not preempted
    AFTER = 3  # its task has ended


@dataclass
class _StretchRecord:
    begin: Moment
    dispatch: int | None
    end: Moment | None = None
    executed: int = 0
    terminate: int | None = None

    def freeze(self) -> Stretch:
        return Stretch(self.begin, self.end, self.executed, self.dispatch, self.terminate)


@dataclass
class _RunRecord:
    lane: Lane
    number: int
    from_idle: bool
    stretches: list[_StretchRecord]
    end: Moment | None = None
    preemptions: int = 0

    @property
    def begin(self) -> Moment:
        return self.stretches[0].begin

    @property
    def last(self) -> _StretchRecord:
        return self.stretches[-1]


@dataclass
class _HandlerRecord:
    object: str
    begin: Moment
    end: Moment | None = None
    kernel_n: int = 0
    timer: bool = False
    started: set[HandlerKind] = field(default_factory=set)
    met: int = 0
    missed: int = 0

    @property
    def kind(self) -> HandlerKind:
        if self.timer:
            return HandlerKind.TIMER
        for kind in (HandlerKind.ACTIVATION, HandlerKind.INTERRUPT, HandlerKind.TASK):
            if kind in self.started:
                return kind
        return HandlerKind.DEADLINE if self.met + self.missed else HandlerKind.OTHER

    def freeze(self) -> Handler:
        return Handler(self.object, self.kind, self.begin, self.end, self.kernel_n, self.met, self.missed)


@dataclass
class _Frame:
    """A handler that was entered (``handler`` >= 0) or a task that runs outside any handler."""

    handler: int
    phase: _Phase
    since_n: int  # n of ENTER, or of END once the task has ended
    nested_n: int = 0  # of handlers that nested since then
    lane: Lane = IDLE
    run: int = -1
    stretch: _StretchRecord | None = None
    preempted: bool = False
    resumed: Moment | None = None  # when it last got the processor


class _Walk:
    """One pass over the events, with a stack of what is active, innermost last."""

    def __init__(self, trace: Trace) -> None:
        self.events = trace.events
        self.counts_code = trace.instructions_per_tick > 0
        self.scale = max(1, trace.instructions_per_tick)
        self.times = fine_times(self.events, trace.instructions_per_tick)
        self.interrupts = set(trace.interrupts)
        self.event_triggered = set(trace.event_triggered)
        self.timers = set(trace.timers)
        self.waiting: dict[str, int] = {}  # tasks that wait, and their runs
        self.begin, self.end = self._bounds(trace)
        self.segments: list[Segment] = []
        self.runs: list[_RunRecord] = []
        self.handlers: list[_HandlerRecord] = []
        self.stack: list[_Frame] = []
        self.numbers: dict[Lane, int] = defaultdict(int)
        self.lane, self.owner, self.since = IDLE, -1, self.begin
        self.index = 0

    @property
    def following(self) -> Event | None:
        """The event after the one at hand."""
        return self.events[self.index + 1] if self.index + 1 < len(self.events) else None

    def _bounds(self, trace: Trace) -> tuple[Moment, Moment]:
        """From the start of the first round, or the first event if earlier, to the longer of events and length."""
        if not self.events:
            end = max(0, trace.length)
            return Moment(0, 0, 0), Moment(end, end * self.scale, end * self.scale)
        first, last = self.events[0], self.events[-1]
        begin_t = min(0, first.t)
        begin_u = begin_t * self.scale
        begin_n = max(min(0, first.n), first.n - (self.times[0] - begin_u))
        last_u = self.times[-1] + int(self.counts_code)  # the last instruction seen takes its time
        end_u = max(trace.length * self.scale, last_u)
        end_n = last.n + (end_u - self.times[-1])
        return Moment(begin_t, begin_n, begin_u), Moment(max(end_u // self.scale, last.t), end_n, end_u)

    def follow(self) -> None:
        steps = {
            Kind.ENTER: self._enter,
            Kind.START: self._start,
            Kind.PREEMPT: self._preempt,
            Kind.RESUME: self._resume,
            Kind.END: self._end,
            Kind.WAIT: self._end,
            Kind.EXIT: self._exit,
            Kind.IDLE: self._idle,
            Kind.DEADLINE_MET: self._deadline,
            Kind.DEADLINE_MISSED: self._deadline,
        }
        if self.events and self.events[0].kind in (Kind.PREEMPT, Kind.END, Kind.WAIT):
            self.lane = self._lane_of(self.events[0].object)
        for index, event in enumerate(self.events):
            self.index = index
            step = steps.get(event.kind)
            if step is not None:
                step(event, Moment(event.t, event.n, self.times[index]))
        self._switch(IDLE, -1, self.end)

    def _lane_of(self, name: str) -> Lane:
        return Lane(LaneKind.INTERRUPT if name in self.interrupts else LaneKind.TASK, name)

    def _switch(self, lane: Lane, owner: int, at: Moment) -> None:
        """From ``at`` on, ``lane`` has the processor: close the segment of who had it."""
        if at < self.since:
            at = self.since
        if (lane, owner) != (self.lane, self.owner) or at == self.end:
            if (at.n, at.u) != (self.since.n, self.since.u):
                last = self.segments[-1] if self.segments else None
                if last is not None and (last.lane, last.owner) == (self.lane, self.owner):  # preempted for no time
                    self.segments[-1] = last._replace(end=at)
                else:
                    self.segments.append(Segment(self.lane, self.owner, self.since, at))
                if self.owner >= 0:
                    if self.lane is KERNEL:
                        self.handlers[self.owner].kernel_n += at.n - self.since.n
                    else:
                        self.runs[self.owner].last.executed += at.n - self.since.n
                self.since = at
            self.lane, self.owner = lane, owner

    def _show_top(self, at: Moment) -> None:
        """Give the processor to what the top of the stack says."""
        if not self.stack:
            self._switch(IDLE, -1, at)
        elif (top := self.stack[-1]).phase is _Phase.INSIDE:
            top.preempted, top.resumed = False, at
            self._switch(top.lane, top.run, at)
        else:
            self._switch(KERNEL, top.handler, at)

    def _interrupt_top(self, at: Moment, announced: bool = False) -> None:
        """What runs now is preempted.

        It counts only if it ran at all since it got the processor: one handler may follow another with no
        instruction of the task in between.  Where code takes no time, the event that announces it says so.
        """
        top = self.stack[-1] if self.stack else None
        if top is None or top.phase is not _Phase.INSIDE or top.preempted:
            return
        top.preempted = True
        if top.run >= 0 and ((announced and not self.counts_code) or top.resumed != at):
            self.runs[top.run].preemptions += 1

    def _pop(self, at: Moment) -> None:
        frame = self.stack.pop()
        if frame.handler < 0:
            return
        handler = self.handlers[frame.handler]
        handler.end = at
        if self.stack:
            self.stack[-1].nested_n += at.n - handler.begin.n
        self._left(frame, at)

    def _left(self, frame: _Frame, at: Moment) -> None:
        """What follows a task's end, or the begin of a wait, in its handler is over."""
        if frame.phase is _Phase.AFTER and frame.stretch is not None and frame.stretch.terminate is None:
            frame.stretch.terminate = at.n - frame.since_n - frame.nested_n

    def _enter(self, event: Event, at: Moment) -> None:
        self._interrupt_top(at)
        self.handlers.append(_HandlerRecord(event.object, at, timer=event.object in self.timers))
        self.stack.append(_Frame(len(self.handlers) - 1, _Phase.BEFORE, event.n))
        self._show_top(at)

    def _start(self, event: Event, at: Moment) -> None:
        """A task or an interrupt begins, or a task goes on that has waited."""
        lane = self._lane_of(event.object)
        dispatch = None
        if not self.stack or self.stack[-1].phase is _Phase.INSIDE:  # a task that the kernel starts outside handlers
            if self.lane is KERNEL and self.index and self.events[self.index - 1].kind is Kind.PREEMPT:
                dispatch = event.n - self.events[self.index - 1].n
            self._interrupt_top(at)
            self.stack.append(_Frame(-1, _Phase.INSIDE, event.n))
        top = self.stack[-1]
        if top.phase is _Phase.BEFORE:
            dispatch = event.n - top.since_n - top.nested_n
        else:  # a second task in one handler
            self._left(top, at)
        if top.handler >= 0:
            self.handlers[top.handler].started.add(self._purpose(lane))
        top.stretch = _StretchRecord(at, dispatch)
        if event.kind is Kind.START:
            self.numbers[lane] += 1
            self.runs.append(_RunRecord(lane, self.numbers[lane], len(self.stack) == 1, [top.stretch]))
            run = len(self.runs) - 1
        else:
            run = self.waiting.pop(event.object, -1)  # -1: it began before the trace
            if run >= 0:
                self.runs[run].stretches.append(top.stretch)
        top.phase, top.lane, top.run, top.nested_n, top.preempted = _Phase.INSIDE, lane, run, 0, False
        self._show_top(at)

    def _purpose(self, lane: Lane) -> HandlerKind:
        if lane.kind is LaneKind.INTERRUPT:
            return HandlerKind.INTERRUPT
        return HandlerKind.TASK if lane.name in self.event_triggered else HandlerKind.ACTIVATION

    def _find(self, name: str) -> int:
        """The frame in which that task is active; -1 if none."""
        for position in range(len(self.stack) - 1, -1, -1):
            if self.stack[position].phase is _Phase.INSIDE and self.stack[position].lane.name == name:
                return position
        return -1

    def _reach(self, event: Event, at: Moment) -> _Frame:
        """Make the named task's frame the top, as it must be for this event."""
        position = self._find(event.object)
        if position < 0:  # it began before the trace, or its start is missing
            while self.stack and self.stack[-1].phase is not _Phase.INSIDE:
                self._pop(at)
            self.stack.append(_Frame(-1, _Phase.INSIDE, event.n, lane=self._lane_of(event.object)))
        else:
            while len(self.stack) > position + 1:
                self._pop(at)
        return self.stack[-1]

    def _preempt(self, event: Event, at: Moment) -> None:
        if event.object == "idle":
            return
        self._reach(event, at)
        self._interrupt_top(at, announced=True)
        self._switch(KERNEL, -1, at)

    def _resume(self, event: Event, at: Moment) -> None:
        if event.object == "idle":
            self._idle(event, at)
            return
        begins = self.stack and self.stack[-1].phase is _Phase.BEFORE and event.object in self.event_triggered
        if event.object in self.waiting or (begins and self._find(event.object) < 0):
            self._start(event, at)
            return
        self._reach(event, at).preempted = False
        self._show_top(at)

    def _end(self, event: Event, at: Moment) -> None:
        frame = self._reach(event, at)
        if self.lane is KERNEL or self.lane is IDLE:  # its resume is missing
            self._show_top(at)
        after = self._next_instruction(at)
        if event.kind is Kind.WAIT:
            self.waiting[event.object] = frame.run
        elif frame.run >= 0:
            self.runs[frame.run].end = at
        if frame.stretch is not None:
            frame.stretch.end = at
        if frame.handler < 0:
            following = self.following
            if frame.stretch is not None and following is not None:
                frame.stretch.terminate = following.n - event.n
            self._pop(at)
            announced = following is not None and following.kind in (Kind.START, Kind.RESUME, Kind.IDLE)
            if announced:
                self._switch(KERNEL, -1, after)
            else:
                self._show_top(after)
            return
        frame.phase, frame.since_n, frame.nested_n = _Phase.AFTER, event.n, 0
        self._show_top(after)

    def _next_instruction(self, at: Moment) -> Moment:
        """The end of the instruction that an END stands for: it is the task's own, not the kernel's."""
        if not self.counts_code:
            return at
        limit = self.end
        if self.following is not None:
            limit = Moment(self.following.t, self.following.n, self.times[self.index + 1])
        n, u = min(at.n + 1, limit.n), min(at.u + 1, limit.u)
        return Moment(min(max(at.t, u // self.scale), limit.t), n, u)

    def _exit(self, event: Event, at: Moment) -> None:
        for position in range(len(self.stack) - 1, -1, -1):
            handler = self.stack[position].handler
            if handler >= 0 and self.handlers[handler].object == event.object:
                while len(self.stack) > position:
                    self._pop(at)
                break
        following = self.following
        if following is not None and following.kind is Kind.START and not (self.stack and self.stack[-1].phase is _Phase.BEFORE):
            self._switch(KERNEL, -1, at)  # a kernel that dispatches after the handler
        else:
            self._show_top(at)

    def _idle(self, _event: Event, at: Moment) -> None:
        while self.stack:
            self._pop(at)
        self._switch(IDLE, -1, at)

    def _deadline(self, event: Event, _at: Moment) -> None:
        for frame in reversed(self.stack):
            if frame.handler >= 0:
                if frame.phase is _Phase.INSIDE:
                    return
                if event.kind is Kind.DEADLINE_MET:
                    self.handlers[frame.handler].met += 1
                else:
                    self.handlers[frame.handler].missed += 1
                return


def _with_releases(records: Sequence[_RunRecord], releases: Sequence[Release]) -> tuple[Run, ...]:
    """The runs, each with the release it answers.

    From the last start back: each takes the latest release that is not after it and not yet taken.  So a
    start that is later than the next release still finds its own, and a lost activation shifts nothing.
    """
    chosen: dict[int, Release] = {}
    by_task: dict[str, list[Release]] = defaultdict(list)
    for release in releases:
        by_task[release.task].append(release)
    started: dict[str, list[int]] = defaultdict(list)
    for index, record in enumerate(records):
        started[record.lane.name].append(index)
    for task, own in by_task.items():
        times = [release.at for release in own]
        gap = min((b - a for a, b in itertools.pairwise(times)), default=8 * EARLY_TICKS)
        early = min(EARLY_TICKS, gap // 8)
        free = len(own)
        for index in reversed(started[task]):
            free = min(free, bisect.bisect_right(times, records[index].begin.t + early)) - 1
            if free < 0:
                break
            chosen[index] = own[free]
    return tuple(
        Run(
            lane=record.lane,
            number=record.number,
            begin=record.begin,
            end=record.end,
            release=chosen.get(index),
            executed=sum(s.executed for s in record.stretches),
            preemptions=record.preemptions,
            from_idle=record.from_idle,
            dispatch=record.stretches[0].dispatch,
            terminate=record.last.terminate,
            stretches=tuple(s.freeze() for s in record.stretches),
        )
        for index, record in enumerate(records)
    )


def _verdicts(events: Iterable[Event], releases: Sequence[Release], runs: Sequence[Run], end: Moment) -> tuple[Verdict, ...]:
    """One verdict per deadline that lies within the trace, in order of time; the events' word counts first."""
    observed: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for event in events:
        if event.kind in (Kind.DEADLINE_MET, Kind.DEADLINE_MISSED):
            observed[event.object].append((event.t, event.kind is Kind.DEADLINE_MISSED))
    answering = {(run.lane.name, run.release.at): index for index, run in enumerate(runs) if run.release is not None}
    due: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for release in releases:
        due[release.task].extend((deadline, release.at) for deadline in release.deadlines)
    verdicts: list[Verdict] = []
    for task in sorted({*due, *observed}):
        told: dict[int, bool] = {}
        deadlines = sorted(due[task])
        times = [deadline for deadline, _ in deadlines]
        for t, missed in observed[task]:
            position = bisect.bisect_right(times, t) - 1
            if position < 0 or position in told:
                verdicts.append(Verdict(task, t, -1, missed, True))
            else:
                told[position] = missed
        for position, (deadline, at) in enumerate(deadlines):
            index = answering.get((task, at), -1)
            finished = runs[index].end if index >= 0 else None
            if position in told:
                verdicts.append(Verdict(task, deadline, index, told[position], True))
            elif finished is not None and deadline <= end.t:
                verdicts.append(Verdict(task, deadline, index, finished.t >= deadline, False))
            elif deadline < end.t:
                verdicts.append(Verdict(task, deadline, index, True, False))
    return tuple(sorted(verdicts, key=lambda v: (v.at, v.task, v.run)))


def _lanes(trace: Trace, runs: Sequence[Run]) -> tuple[Lane, ...]:
    """Tasks by first activation, then those that never ran, then interrupts, what is event-triggered, kernel, idle."""
    seen = dict.fromkeys(run.lane for run in runs)
    tasks = dict.fromkeys(lane for lane in seen if lane.kind is LaneKind.TASK)
    tasks.update(dict.fromkeys(Lane(LaneKind.TASK, name) for name in trace.tasks))
    interrupts = dict.fromkeys(Lane(LaneKind.INTERRUPT, name) for name in trace.interrupts)
    interrupts.update(dict.fromkeys(lane for lane in seen if lane.kind is LaneKind.INTERRUPT))
    below = [
        Lane(LaneKind.INTERRUPT if name in trace.interrupts else LaneKind.TASK, name)
        for name in dict.fromkeys(trace.event_triggered)
    ]
    above = [lane for lane in (*tasks, *interrupts) if lane not in below]
    return (*above, *below, KERNEL, IDLE)


def _shares(walk: _Walk) -> dict[Lane, float]:
    """The part of the time in which each lane had the processor."""
    had: dict[Lane, int] = defaultdict(int)
    for segment in walk.segments:
        had[segment.lane] += segment.end.u - segment.begin.u
    length = walk.end.u - walk.begin.u
    return {lane: time / length for lane, time in had.items()} if length else {}


def _task_summary(
    lane: Lane,
    event_triggered: bool,
    share: float,
    own: Sequence[Run],
    released: int,
    judged: Sequence[bool],
    start_bound: int | None,
) -> TaskSummary:
    """A lane's figures from its own runs, how many releases it has, and whether each of its deadlines was missed."""
    stretches = [stretch for run in own for stretch in run.stretches]
    finished = [stretch for stretch in stretches if stretch.end is not None]
    answered = [(run, run.release) for run in own if run.release is not None]
    delays = [run.begin.t - release.at for run, release in answered]
    undisturbed = [run.begin.t - release.at for run, release in answered if run.from_idle]
    return TaskSummary(
        lane=lane,
        activations=len(own),
        unstarted=released - len(answered),
        start_delay=Spread.of(delays),
        jitter=max(delays) - min(delays) if delays else None,
        drift=undisturbed[-1] - undisturbed[0] if len(undisturbed) > 1 else None,
        response=Spread.of([run.end.t - release.at for run, release in answered if run.end is not None]),
        execution=Spread.of([stretch.executed for stretch in finished]),
        preemptions=sum(run.preemptions for run in own),
        deadlines_met=judged.count(False),
        deadlines_missed=judged.count(True),
        dispatch=Spread.of([stretch.dispatch for stretch in stretches if stretch.dispatch is not None]),
        terminate=Spread.of([stretch.terminate for stretch in finished if stretch.terminate is not None]),
        event_triggered=event_triggered,
        waits=sum(len(run.waits) for run in own),
        longest=max((stretch.end.t - stretch.begin.t for stretch in finished if stretch.end is not None), default=None),
        share=share,
        start_bound=start_bound,
    )


def _totals(trace: Trace, walk: _Walk, verdicts: Sequence[Verdict]) -> Totals:
    kinds = dict.fromkeys(HandlerKind, 0)
    for handler in walk.handlers:
        kinds[handler.kind] += 1
    kernel = sum(s.end.n - s.begin.n for s in walk.segments if s.lane is KERNEL)
    idle = sum(s.end.u - s.begin.u for s in walk.segments if s.lane is IDLE)
    total_n, total_u = walk.end.n - walk.begin.n, walk.end.u - walk.begin.u
    return Totals(
        interrupts=len(walk.handlers),
        interrupts_by_kind=kinds,
        interrupts_for_met_deadlines=sum(h.kind is HandlerKind.DEADLINE and not h.missed for h in walk.handlers),
        kernel_n=kernel,
        total_n=total_n,
        kernel_share=kernel / total_n if trace.instructions_per_tick > 0 and total_n else None,
        idle_share=idle / total_u if total_u else 0.0,
        deadlines_met=sum(not verdict.missed for verdict in verdicts),
        deadlines_missed=sum(verdict.missed for verdict in verdicts),
    )
