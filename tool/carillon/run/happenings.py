# SPDX-License-Identifier: Apache-2.0
"""The sequence of events in a run's records: tasks and ISRs begin, are preempted, go on and end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from carillon.model.board import Role
from carillon.run.entries import Code, Entry, Record, called
from carillon.trace import Event, Kind


@dataclass(frozen=True, slots=True)
class _Frame:
    """What has begun and not ended: a handler and what it serves, or (``runs``) a task's or an ISR's own code.

    ``delivers``: the software dispatcher, within its handler or a service.  ``entered``: of a handler, the event of its
    entry, ``role`` the role in which it serves, and ``serves`` whom it may serve.  ``left``: of a handler that ended a
    slice, that its exit was told.
    """

    object: str
    runs: bool
    delivers: bool = False
    entered: Event | None = None
    role: Role | None = None
    serves: frozenset[str] = frozenset()
    left: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """The meaning of an image's addresses, as records contain them."""

    functions: Mapping[int, Sequence[str]]
    """Of the functions of tasks and interrupts, the objects that have each."""
    contexts: Mapping[int, str]
    """Of the contexts of extended tasks."""
    deliver: frozenset[int]
    """The functions that run tasks where software dispatches."""
    missed: int
    """The function that is called for a missed deadline."""
    overruns: frozenset[int]
    """The functions that are called for a job that has used up its budget."""
    late: Mapping[int, str]
    """Of what Giotto's blocks call for a missed deadline, the lane of the task."""
    entries: Callable[[int], Mapping[int, list[Entry]] | None]
    """While the mode runs whose start list has an address: what may be meant by each value of a record of an entry.

    None of what begins no round: a cell that is started anew, or the event-triggered system beneath.
    """


@dataclass(slots=True)
class Happenings:
    """Follows the records from ``origin`` on; ``due``: when each object's points came, ``last``: the last time that counts."""

    names: Names
    entries: Mapping[int, list[Entry]]
    """What may be meant by each value of a record of an entry, in the mode that runs."""
    records: Sequence[Record]
    origin: int
    per_tick: int
    due: Mapping[str, Sequence[int]]
    last: int
    misses: list[tuple[Event, frozenset[str] | None]] = field(default_factory=list)
    """Where the kernel found a deadline missed: the handler's entry, and whose it may be if not anyone's."""
    checks: list[Event] = field(default_factory=list)
    """Entries of the handler that looks whether deadlines are met."""
    _stack: list[_Frame] = field(default_factory=list)
    _waiting: dict[str, list[_Frame]] = field(default_factory=dict)
    """Of tasks that wait, what was above each: the handler that ended its slice."""
    _served: dict[str, int] = field(default_factory=dict)
    """Of objects that share a function: how many points had come when each was served."""
    _place: int = 0
    _n: int = 0

    def events(self) -> Iterator[Event]:
        """Events that were seen, in their order."""
        steps: dict[int, Callable[[Record], Iterator[Event]]] = {
            Code.BEGIN: self._mode,
            Code.ENTER: self._enter,
            Code.CALL: self._call,
            Code.RETURN: self._return,
            Code.RESUME: self._resume,
            Code.SUSPEND: self._suspend,
            Code.LEAVE: self._suspend,
            Code.EXIT: self._exit,
        }
        for place, record in enumerate(self.records):
            self._place, self._n = place, record.time - self.origin
            step = steps.get(record.code)
            if step is not None:
                yield from step(record)

    def _event(self, kind: Kind, name: str) -> Event:
        return Event(self._n // self.per_tick, self._n, kind, name)

    def _preempt(self) -> Iterator[Event]:
        if self._stack and self._stack[-1].runs:
            yield self._event(Kind.PREEMPT, self._stack[-1].object)

    def _begin(self, name: str, kind: Kind) -> Iterator[Event]:
        yield from self._preempt()
        self._stack.append(_Frame(name, True))
        yield self._event(kind, name)

    def _end(self, kind: Kind) -> Iterator[Event]:
        yield self._event(kind, self._stack.pop().object)
        yield from self._goes_on()

    def _goes_on(self) -> Iterator[Event]:
        if not self._stack:
            yield self._event(Kind.IDLE, "idle")
        elif self._stack[-1].runs:
            yield self._event(Kind.RESUME, self._stack[-1].object)

    def _mode(self, record: Record) -> Iterator[Event]:
        begun = self.names.entries(record.value)
        self.entries = self.entries if begun is None else begun
        yield from ()

    def _enter(self, record: Record) -> Iterator[Event]:
        yield from self._preempt()
        known = self.entries.get(record.value, [])
        meant = self._meant(called(known, self.records, self._place, self.names.functions))
        entered = self._event(Kind.ENTER, meant.vector.object if meant is not None else "unexpected")
        if meant is None:
            self._stack.append(_Frame("unexpected", False, entered=entered))
            yield entered
            return
        serves = frozenset(e.vector.object for e in known)
        self._stack.append(_Frame(meant.vector.object, False, entered=entered, role=meant.vector.role, serves=serves))
        if meant.vector.role is Role.SYSTEM:
            self.checks.append(entered)
        yield entered
        if meant.begins:
            yield from self._begin(meant.vector.object, Kind.START)

    def _meant(self, entries: Sequence[Entry]) -> Entry | None:
        """The meant entry: of several objects with one function, the latest that came due and was not served."""
        if len({e.vector.object for e in entries}) <= 1:
            return entries[0] if entries else None

        def waits_since(entry: Entry) -> int:
            times = self.due.get(entry.vector.object, [])
            k = bisect_right(times, self._n)
            return times[k - 1] if k > self._served.get(entry.vector.object, 0) else -1

        chosen = max(entries, key=waits_since)
        self._served[chosen.vector.object] = bisect_right(self.due.get(chosen.vector.object, []), self._n)
        return chosen

    def _call(self, record: Record) -> Iterator[Event]:
        names, top = self.names, self._stack[-1] if self._stack else None
        if record.value == names.missed:
            if top is not None and top.entered is not None and self._n <= self.last:  # an emulator runs on a little
                self.misses.append((top.entered, top.serves if top.role is Role.DEADLINE else None))
        elif record.value in names.overruns:
            place = self._position(lambda _: True)
            if place is not None and self._n <= self.last:
                yield self._event(Kind.BUDGET_OVERRUN, self._stack[place].object)
        elif record.value in names.late:
            yield self._event(Kind.DEADLINE_MISSED, names.late[record.value])
        elif record.value in names.deliver:
            yield from self._preempt()
            self._stack.append(_Frame("dispatcher", False, delivers=True))
        elif record.value in names.functions:
            own = names.functions[record.value]
            yield from self._begin(top.object if top is not None and top.object in own else own[0], Kind.START)

    def _return(self, record: Record) -> Iterator[Event]:
        if record.value in self.names.deliver:
            if self._stack and self._stack[-1].delivers:
                self._stack.pop()
                yield from self._goes_on()
        elif record.value in self.names.functions:
            own, stack = self.names.functions[record.value], self._stack
            if stack and stack[-1].runs:
                yield from self._end(Kind.END)
            elif (position := self._position(lambda frame: frame.object in own)) is not None:  # a handler has ended it
                yield from self._leave(position)
                yield from self._end(Kind.END)

    def _resume(self, record: Record) -> Iterator[Event]:
        name = self.names.contexts.get(record.value)
        if name is None:
            return
        above = self._waiting.pop(name, None)
        if above:  # the task goes on when the frames above it have ended
            yield from self._preempt()
            self._stack.extend((_Frame(name, True), *above))
        else:
            yield from self._begin(name, Kind.START if above is None else Kind.RESUME)

    def _suspend(self, record: Record) -> Iterator[Event]:
        """An extended task waits, or ends."""
        name, stack = self.names.contexts.get(record.value), self._stack
        position = self._position(lambda frame: frame.object == name)
        if name is None or position is None:
            return
        above = stack[position + 1 :]
        yield from self._leave(position)
        if record.code == Code.SUSPEND:
            self._waiting[name] = [replace(frame, left=True) for frame in above]
        yield from self._end(Kind.WAIT if record.code == Code.SUSPEND else Kind.END)

    def _position(self, is_own: Callable[[_Frame], bool]) -> int | None:
        """Where a task's own code is on the stack, the innermost; None if it is not there."""
        stack = self._stack
        return next((k for k in range(len(stack) - 1, -1, -1) if stack[k].runs and is_own(stack[k])), None)

    def _leave(self, position: int) -> Iterator[Event]:
        """What is above a task has ended with it, or waits with it."""
        above = self._stack[position + 1 :]
        for frame in reversed(above):
            if frame.entered is not None and not frame.left:
                yield self._event(Kind.EXIT, frame.object)
        if above:
            yield self._event(Kind.RESUME, self._stack[position].object)
        del self._stack[position + 1 :]

    def _exit(self, _: Record) -> Iterator[Event]:
        stack = self._stack
        if not stack:
            return
        if stack[-1].runs:  # the handler is the task
            yield self._event(Kind.END, stack.pop().object)
        while stack and stack[-1].delivers:
            stack.pop()
        if stack:
            handler = stack.pop()
            if not handler.left:
                yield self._event(Kind.EXIT, handler.object)
        yield from self._goes_on()
