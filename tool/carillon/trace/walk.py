# SPDX-License-Identifier: Apache-2.0
"""Follow a run's events: who has the processor after each of them.

Order of events that it expects: ``enter(object)``, then ``start(task)`` ... ``end(task)``, then ``exit(object)``;
``preempt(task)`` precedes the ``enter`` of the handler that preempts it and ``resume(task)`` follows the ``exit`` after which it
goes on; ``idle`` whenever idle (re)gains the processor.  ``wait(task)`` instead of ``end(task)`` leaves an extended task's run
open: a later ``resume(task)`` begins where ``start(task)`` would.  Handlers nest.  It accepts a kernel that starts tasks outside
handlers, missing ``preempt`` and ``resume`` events, and a trace that is cut off at either end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from carillon.groups import grouped
from carillon.trace import ASIDE, Event, Kind, Trace
from carillon.trace.timeline import IDLE, KERNEL, Handler, HandlerKind, Lane, LaneKind, Moment, Run, Segment, Stretch


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


_OF_TASKS = (Kind.START, Kind.PREEMPT, Kind.RESUME, Kind.END, Kind.WAIT)


class _Phase(Enum):
    BEFORE = 1  # entered, nothing started yet
    INSIDE = 2  # its task runs, or would if it were not preempted
    AFTER = 3  # its task has ended


@dataclass
class _Frame:
    """A handler that was entered (``handler`` >= 0), or a task that runs outside any handler."""

    handler: int
    phase: _Phase
    since_n: int  # n of ENTER, or of END once the task has ended
    nested_n: int = 0  # of handlers that nested since then
    lane: Lane = IDLE
    run: int = -1
    stretch: Stretch | None = None
    preempted: bool = False
    announced: bool = False  # a PREEMPT told of that, so that a RESUME is to come
    resumed: Moment | None = None  # when it last got the processor


class Walk:
    """One pass over the events, with a stack of the active frames, innermost last."""

    def __init__(self, trace: Trace) -> None:
        self.events = tuple(event for event in trace.events if event.kind not in ASIDE)
        self.counts_code = trace.instructions_per_tick > 0
        self.scale = max(1, trace.instructions_per_tick)
        times = fine_times(trace.events, trace.instructions_per_tick)
        seen = list(zip(trace.events, times, strict=True))
        self.times = [time for event, time in seen if event.kind not in ASIDE]
        self.activations = [(event, time) for event, time in seen if event.kind in (Kind.EXPIRY, Kind.ACTIVATION)]
        self.changes = [(event.object, time) for event, time in seen if event.kind is Kind.PIN]
        self.interrupts = set(trace.interrupts)
        self.event_triggered = set(trace.event_triggered)
        self.timers = set(trace.timers)
        self.waiting: dict[str, int] = {}  # tasks that wait, and their runs
        self.begin, self.end = self._bounds(trace)
        self.segments: list[Segment] = []
        self.runs: list[Run] = []
        self.handlers: list[Handler] = []
        self.stack: list[_Frame] = []
        self.numbers: dict[Lane, int] = defaultdict(int)
        self.lane, self.owner, self.since = IDLE, -1, self.begin
        self.index = 0
        self.own = grouped((event.object, place) for place, event in enumerate(self.events) if event.kind in _OF_TASKS)

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
        """Go through all events."""
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

    def high(self, trace: Trace) -> dict[str, list[tuple[int, int]]]:
        """When each pin was high."""
        found: dict[str, list[tuple[int, int]]] = {name: [] for name, _ in trace.pins}
        since = {name: self.begin.u for name, level in trace.pins if level}
        for change, time in self.changes:
            name, _, level = change.rpartition("=")
            if level == "1":
                since.setdefault(name, time)
            elif name in since:
                found[name].append((since.pop(name), time))
        for name, time in since.items():
            found[name].append((time, self.end.u))
        return found

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
                        self.runs[self.owner].stretches[-1].executed += at.n - self.since.n
                self.since = at
            self.lane, self.owner = lane, owner

    def _show_top(self, at: Moment) -> None:
        """Give the processor to what the top of the stack says."""
        if not self.stack:
            self._switch(IDLE, -1, at)
        elif (top := self.stack[-1]).phase is _Phase.INSIDE:
            if top.announced and self._resumes(top.lane.name):
                self._switch(KERNEL, -1, at)
                return
            top.preempted, top.announced, top.resumed = False, False, at
            self._switch(top.lane, top.run, at)
        else:
            self._switch(KERNEL, top.handler, at)

    def _resumes(self, name: str) -> bool:
        """Whether the next event of a preempted task says that it goes on; else its RESUME is missing."""
        own = self.own[name]
        place = bisect_right(own, self.index)
        return place < len(own) and self.events[own[place]].kind is Kind.RESUME

    def _interrupt_top(self, at: Moment, announced: bool = False) -> None:
        """Preempt the frame that runs now.

        The preemption counts only if the frame ran at all since it got the processor: one handler may follow another with no
        instruction of the task in between.  Where code takes no time, the announcing event says whether it counts.
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
        """End the part of a handler after a task's end, or after the begin of a wait."""
        if frame.phase is _Phase.AFTER and frame.stretch is not None and frame.stretch.terminate is None:
            frame.stretch.terminate = at.n - frame.since_n - frame.nested_n

    def _enter(self, event: Event, at: Moment) -> None:
        self._interrupt_top(at)
        self.handlers.append(Handler(event.object, at, event.object in self.timers))
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
            purpose = HandlerKind.TASK if lane.name in self.event_triggered else HandlerKind.ACTIVATION
            self.handlers[top.handler].started.add(HandlerKind.INTERRUPT if lane.kind is LaneKind.INTERRUPT else purpose)
        top.stretch = Stretch(at, dispatch)
        if event.kind is Kind.START:
            self.numbers[lane] += 1
            self.runs.append(Run(lane, self.numbers[lane], len(self.stack) == 1, [top.stretch]))
            run = len(self.runs) - 1
        else:
            run = self.waiting.pop(event.object, -1)  # -1: it began before the trace
            if run >= 0:
                self.runs[run].stretches.append(top.stretch)
        top.phase, top.lane, top.run, top.nested_n, top.preempted = _Phase.INSIDE, lane, run, 0, False
        self._show_top(at)

    def _find(self, name: str) -> int:
        """The position of the frame in which the task is active; -1 if there is none."""
        for position in range(len(self.stack) - 1, -1, -1):
            if self.stack[position].phase is _Phase.INSIDE and self.stack[position].lane.name == name:
                return position
        return -1

    def _reach(self, event: Event, at: Moment) -> _Frame:
        """Make the frame of the event's task the top of the stack, as the event requires."""
        position = self._find(event.object)
        if position < 0:  # the task began before the trace, or its start is missing
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
        self.stack[-1].announced = True
        self._switch(KERNEL, -1, at)

    def _resume(self, event: Event, at: Moment) -> None:
        if event.object == "idle":
            self._idle(event, at)
            return
        begins = self.stack and self.stack[-1].phase is _Phase.BEFORE and event.object in self.event_triggered
        if event.object in self.waiting or (begins and self._find(event.object) < 0):
            self._start(event, at)
            return
        frame = self._reach(event, at)
        frame.preempted = frame.announced = False
        self._show_top(at)

    def _end(self, event: Event, at: Moment) -> None:
        frame = self._reach(event, at)
        frame.announced = False
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
        """The end of the instruction of an END event: this instruction is the task's, not the kernel's."""
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
        if event.object in self.event_triggered:
            return  # a block of a Giotto program has found the miss, in a handler that has other work
        for frame in reversed(self.stack):
            if frame.handler >= 0:
                if frame.phase is _Phase.INSIDE:
                    return
                self.handlers[frame.handler].met += event.kind is Kind.DEADLINE_MET
                self.handlers[frame.handler].missed += event.kind is Kind.DEADLINE_MISSED
                return
