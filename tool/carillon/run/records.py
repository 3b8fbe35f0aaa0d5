# SPDX-License-Identifier: Apache-2.0
"""Records of a run become events.

A record is what the virtual board and the tracing plugin write: 64-bit time, 32-bit kind, 32-bit value,
little-endian.  The time counts ticks on a virtual board and instructions in QEMU; the value is a source, a
cell or an address.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from carillon.emit import osek, text
from carillon.emit.image import Image, ModeImage
from carillon.emit.vectors import handlers
from carillon.model import Mode
from carillon.model.board import Role
from carillon.model.osek import ActivateTask, Osek
from carillon.trace import Event, Kind, Trace

_RECORD = struct.Struct("<QII")

DELIVER = "carillon_software_deliver"
"""The function that runs tasks where a software interrupt controller dispatches: by its interrupt, or called by a service."""

RESPONSE = 16
"""Cycles within which an AVR has answered an interrupt, unless a handler has interrupts off."""


class Code(IntEnum):
    """Kinds of records, as in ``ports/trace_records.h``."""

    BEGIN = 0  # the first start store of a mode comes next; value: address of its start list
    ENTER = 1  # a handler's first instruction; value: its address, on virtual boards its source
    EXIT = 2  # the first instruction after it
    EXPIRY = 3  # virtual boards: a cell expired
    CALL = 4  # a watched function's first instruction
    RETURN = 5  # its last one
    HALT = 6  # the run ended
    RESUME = 7  # an extended task begins or goes on; value: address of its context
    SUSPEND = 8  # it waits
    LEAVE = 9  # it ends
    MARK = 10  # a marked instruction; value: its address


class Record(NamedTuple):
    """One record."""

    time: int
    code: int
    value: int


def read_records(path: Path) -> list[Record]:
    """All whole records of a file."""
    data = path.read_bytes()
    usable = len(data) - len(data) % _RECORD.size
    return [Record(*fields) for fields in _RECORD.iter_unpack(data[:usable])]


def _by_priority(system: Osek) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """ISRs and tasks, the most urgent first."""
    isrs = sorted(system.isrs, key=lambda i: (i.category, -i.priority))
    return tuple(i.name for i in isrs), tuple(t.name for t in sorted(system.tasks, key=lambda t: -t.priority))


def _timers(system: Osek) -> tuple[str, ...]:
    return (*(c.name for c in system.counters), *(a.name for a in system.alarms))


@dataclass(frozen=True, slots=True)
class _Frame:
    """What has begun and not ended: a handler and what it serves, or (``runs``) a task's or an ISR's own code.

    ``delivers``: the software dispatcher, within its handler or a service.
    """

    object: str
    runs: bool
    delivers: bool = False


@dataclass(frozen=True, slots=True)
class _Segment:
    """A stretch of rounds of one mode; ``begin`` is the tick 0 of its first round."""

    image: ModeImage
    mode: Mode
    begin: int
    end: int


class Decoder:
    """Reads the records of one image."""

    def __init__(self, image: Image, symbols: dict[str, tuple[int, int]]) -> None:
        self._image = image
        self._native = image.system.board.native
        self._response = RESPONSE if image.system.board.code_unit == "cycles" else 0
        self._per_tick = max(1, image.system.board.clock(image.system.clock_hz).instructions_per_tick)
        self._functions: dict[int, list[str]] = {}
        named = [(t.entry, t.name) for t in image.system.tasks] + [(i.handler, i.name) for i in image.system.interrupts]
        event_triggered = image.system.osek
        if event_triggered is not None:
            named += [(f"carillon_task_{t.name}", t.name) for t in event_triggered.tasks if not t.extended]
            named += [(f"carillon_isr_{i.name}", i.name) for i in event_triggered.isrs]
            extended = [(f"carillon_extended_{t.name}", t.name) for t in event_triggered.tasks if t.extended]
            self._contexts = {symbols[symbol][0]: name for symbol, name in extended if symbol in symbols}
        else:
            self._contexts = {}
        for function, name in named:
            if function in symbols:
                self._functions.setdefault(symbols[function][0], []).append(name)
        starts = {f"{text.stem(image, m)}_start": m for m in image.modes}
        self._starts = {symbols[name]: m for name, m in starts.items() if name in symbols}
        self._deliver = symbols.get(DELIVER, (-1, 0))[0]
        self._unexpected = symbols.get("carillon_port_unexpected", (0, 0))[0]
        self._checks: set[int] = set()  # vectors that check deadlines
        self._checked: set[int] = set()  # when they were entered
        self._watches: set[int] = set()  # vectors that are only taken when a deadline is missed
        self._caught: set[tuple[int, str]] = set()  # when they were entered, and the task
        below = self._of_osek(symbols)
        modes = [self._of_mode(mode, symbols) for mode in image.modes] or [({}, {})]
        self._vectors = [(below[0] | objects, below[1] | direct) for objects, direct in modes]

    def _of_mode(self, mode: ModeImage, symbols: dict[str, tuple[int, int]]) -> tuple[dict[int, str], dict[int, str]]:
        """What each vector of a mode serves, and which task or interrupt it runs if that is not seen by itself."""
        objects: dict[int, str] = {}
        direct: dict[int, str] = {}
        names = handlers(self._image, mode)
        serves = {c.source: (c.demand.object, c.role, c.lowered) for c in mode.allocation.carriers}
        serves |= {i.source: (i.name, Role.ACTIVATION, False) for i in self._image.system.interrupts}
        for source, handler in names.items():
            name, role, lowered = serves[source]
            key = source if self._native else symbols[handler][0]
            objects[key] = name
            if role in (Role.DEADLINE, Role.SYSTEM):
                self._checks.add(key)
            if role is Role.DEADLINE:
                self._watches.add(key)
            if self._native and role is Role.ACTIVATION and not lowered:
                direct[key] = name
        return objects, direct

    def _of_osek(self, symbols: dict[str, tuple[int, int]]) -> tuple[dict[int, str], dict[int, str]]:
        """The same of the event-triggered system."""
        objects: dict[int, str] = {}
        direct: dict[int, str] = {}
        if self._image.osek is None:
            return objects, direct
        allocation = self._image.osek.allocation
        serves = {isr.source: isr.name for isr, _ in allocation.isrs}
        serves |= {c.source: c.demand.object for c in allocation.carriers}
        serves |= {level.source: level.tasks[0].name for level in allocation.levels if level.source}
        serves |= {allocation.dispatcher: "dispatcher"} if allocation.software else {}
        for source, function in osek.vectors(self._image).items():
            key = source if self._native else symbols.get(function, (0, 0))[0]
            objects[key] = serves[source]
            own = (f"carillon_task_{serves[source]}", f"carillon_isr_{serves[source]}")
            if self._native and any(name in symbols and symbols[function][0] == symbols[name][0] for name in own):
                direct[key] = serves[source]
        return objects, direct

    def _mode_of(self, address: int) -> int:
        for (begin, size), mode in self._starts.items():
            if begin <= address < begin + max(size, 1):
                return self._image.modes.index(mode)
        return 0

    def _is_round(self, address: int) -> bool:
        """Whether a start list begins a round; with rounds, that of the event-triggered system does not."""
        return not self._image.modes or any(b <= address < b + max(size, 1) for b, size in self._starts)

    def trace(self, records: list[Record], ticks: int, rounds: int, output: str) -> Trace:
        """The trace of a run of ``ticks``; events before the first round are left out."""
        system = self._image.system
        begins = [(r.time, self._mode_of(r.value)) for r in records if r.code == Code.BEGIN and self._is_round(r.value)]
        lead = (
            system.board.lead_at(system.clock_hz) if self._image.modes or not self._image.osek else self._image.osek.lead
        ) * self._per_tick
        origin = begins[0][0] + lead if begins else 0
        end = next((r for r in records if r.code == Code.HALT), Record(0, Code.HALT, 0))
        halt = end.time
        # A run that stopped by itself includes the tick in which it did.
        length = max(0, min(ticks, (halt - origin) // self._per_tick + 1)) if begins else 0
        segments = self._segments(begins, origin, lead, length)
        due = self._due(segments, origin) + self._alarms(length)
        events = self._sort(list(self._happenings(records, origin)) + due)
        events = self._with_deadlines(events, segments, origin, length)
        first = next((m for m in system.modes if m.name == system.start_mode), None)
        below = _by_priority(system.osek) if system.osek is not None else ((), ())
        return Trace(
            application=system.name,
            board=system.board.name,
            kernel=self._image.allocation.kernel,
            clock_hz=system.clock_hz,
            instructions_per_tick=system.board.clock(system.clock_hz).instructions_per_tick,
            rounds=rounds,
            length=length,
            round_length=first.round_length if first is not None else ticks,
            tasks=(*(t.name for t in system.tasks), *below[1]),
            interrupts=(*(i.name for i in system.interrupts), *below[0]),
            events=tuple(e for e in events if 0 <= e.t < max(length, 1)),
            output=output,
            unit=system.board.code_unit,
            modes=tuple((s.begin, s.mode.name) for s in segments),
            stopped=self._reason(end.value) if halt - origin < ticks * self._per_tick else "",
            event_triggered=(*below[0], *below[1]),
            timers=_timers(system.osek) if system.osek is not None else (),
        )

    def _reason(self, where: int) -> str:
        """Why a run ended before its time; the empty string if it did not stop by itself."""
        if where and where == self._unexpected:
            return "a fault, or an interrupt that nobody uses (carillon_port_unexpected)"
        return "the system was shut down" if where else ""

    def _segments(self, begins: list[tuple[int, int]], origin: int, lead: int, length: int) -> list[_Segment]:
        segments: list[_Segment] = []
        if not self._image.modes:
            return segments
        for k, (time, number) in enumerate(begins):
            image = self._image.modes[number]
            mode = next(m for m in self._image.system.modes if m.name == image.allocation.mode.name)
            begin = (time + lead - origin) // self._per_tick
            end = length
            if k + 1 < len(begins) and image.control:
                # Left at the control point before the next start; what lies after it does not happen.
                end = (begins[k + 1][0] + lead - origin) // self._per_tick - image.control.gap
                end = end - mode.round_length + image.control.at
            segments.append(_Segment(image, mode, begin, end))
        return segments

    def _happenings(self, records: list[Record], origin: int) -> Iterator[Event]:
        """Events that were seen, in their order."""
        stack: list[_Frame] = []
        objects, direct = self._vectors[0]
        waiting: set[str] = set()
        for record in records:
            n = record.time - origin
            t = n // self._per_tick

            def event(kind: Kind, name: str, t: int = t, n: int = n) -> Event:
                return Event(t, n, kind, name)

            def begin(name: str, kind: Kind) -> Iterator[Event]:
                if stack and stack[-1].runs:
                    yield event(Kind.PREEMPT, stack[-1].object)
                stack.append(_Frame(name, True))
                yield event(kind, name)

            def end(kind: Kind) -> Iterator[Event]:
                yield event(kind, stack.pop().object)
                yield from goes_on()

            def goes_on() -> Iterator[Event]:
                if not stack:
                    yield event(Kind.IDLE, "idle")
                elif stack[-1].runs:
                    yield event(Kind.RESUME, stack[-1].object)

            if record.code == Code.BEGIN:
                if not self._is_round(record.value):
                    continue  # a cell that is started anew, or the event-triggered system beneath: the mode goes on
                objects, direct = self._vectors[self._mode_of(record.value)]
            elif record.code == Code.ENTER:
                if stack and stack[-1].runs:
                    yield event(Kind.PREEMPT, stack[-1].object)
                stack.append(_Frame(objects.get(record.value, "unexpected"), False))
                if record.value in self._checks:
                    self._checked.add(n)
                if record.value in self._watches:
                    self._caught.add((n, stack[-1].object))
                yield event(Kind.ENTER, stack[-1].object)
                if record.value in direct:
                    yield from begin(direct[record.value], Kind.START)
            elif record.code == Code.CALL and record.value == self._deliver:
                if stack and stack[-1].runs:
                    yield event(Kind.PREEMPT, stack[-1].object)
                stack.append(_Frame("dispatcher", False, delivers=True))
            elif record.code == Code.RETURN and record.value == self._deliver:
                if stack and stack[-1].delivers:
                    stack.pop()
                    yield from goes_on()
            elif record.code == Code.CALL and record.value in self._functions:
                names = self._functions[record.value]
                yield from begin(stack[-1].object if stack and stack[-1].object in names else names[0], Kind.START)
            elif record.code == Code.RESUME and record.value in self._contexts:
                name = self._contexts[record.value]
                yield from begin(name, Kind.RESUME if name in waiting else Kind.START)
                waiting.discard(name)
            elif record.code in (Code.RETURN, Code.LEAVE) and stack and stack[-1].runs:
                if record.code == Code.LEAVE or record.value in self._functions:
                    yield from end(Kind.END)
            elif record.code == Code.SUSPEND and stack and stack[-1].runs:
                waiting.add(stack[-1].object)
                yield from end(Kind.WAIT)
            elif record.code == Code.EXIT and stack:
                if stack[-1].runs:  # the handler is the task
                    yield event(Kind.END, stack.pop().object)
                while stack and stack[-1].delivers:
                    stack.pop()
                if stack:
                    yield event(Kind.EXIT, stack.pop().object)
                yield from goes_on()

    def _due(self, segments: list[_Segment], origin: int) -> list[Event]:
        """Expiry points that came due, worked out from the rounds that began."""
        del origin
        scale = 1 if self._native else self._per_tick
        events = []
        for segment in segments:
            for begin in range(segment.begin, segment.end, segment.mode.round_length):
                points = [(a.at, a.task) for a in segment.mode.activations] + [(e.at, e.interrupt) for e in segment.mode.enables]
                for at, name in points:
                    if begin + at < segment.end:
                        events.append(Event(begin + at, (begin + at) * scale, Kind.EXPIRY, name))
        return events

    def _alarms(self, length: int) -> list[Event]:
        """Activations by alarms that cells carry and nobody cancels; beneath rounds it is not known from when on they count."""
        if self._image.osek is None or self._image.modes:
            return []
        scale = 1 if self._native else self._per_tick
        events = []
        for it in self._image.osek.allocation.alarms:
            if it.alarm.static and isinstance(it.alarm.action, ActivateTask):
                points = it.carrier.cells[0].progression
                due = range(points.offset, length, points.period)
                events += [Event(at, at * scale, Kind.EXPIRY, it.alarm.action.task) for at in due]
        return events

    def _with_deadlines(self, events: list[Event], segments: list[_Segment], origin: int, length: int) -> list[Event]:
        """Add what became of each deadline: whether its task had ended when it passed."""
        del origin
        scale = 1 if self._native else self._per_tick
        starts: dict[str, list[int]] = {}
        ends: dict[str, list[int]] = {}
        for e in events:
            if e.kind is Kind.START:
                starts.setdefault(e.object, []).append(e.n)
            elif e.kind is Kind.END:
                ends.setdefault(e.object, []).append(e.n)
        verdicts = []
        checked = sorted(self._checked)
        for segment in segments:
            for begin in range(segment.begin, segment.end, segment.mode.round_length):
                for a in segment.mode.activations:
                    if begin + a.at >= segment.end:
                        continue
                    started = starts.get(a.task, [])
                    k = bisect_left(started, (begin + a.at) * scale)
                    done = ends.get(a.task, [])
                    end = done[k] if k < len(started) and k < len(done) else None
                    for deadline in a.deadlines:
                        n = (begin + deadline) * scale
                        if begin + deadline < length:
                            # A task whose last instruction is the last before the deadline is not disarmed yet.
                            met = (end is not None and end < n) or (end == n and self._native)
                            seen = self._seen(checked, n)
                            met = met and (seen, a.task) not in self._caught
                            kind = Kind.DEADLINE_MET if met else Kind.DEADLINE_MISSED
                            verdicts.append(Event(begin + deadline, seen, kind, a.task))
        return self._merge(events, sorted(verdicts, key=lambda e: e.n))

    def _seen(self, checked: list[int], n: int) -> int:
        """When the handler that checks a deadline at ``n`` was entered; ``n`` if there was none.

        That is then, or where a processor answers after the instruction that it executes, soon after.
        """
        k = bisect_left(checked, n)
        return checked[k] if k < len(checked) and checked[k] <= n + self._response else n

    def _merge(self, events: list[Event], verdicts: list[Event]) -> list[Event]:
        """Verdicts among events: in the handler that checked them if there is one, else before what happens then."""
        merged: list[Event] = []
        k = 0
        for event in events:
            while k < len(verdicts) and (
                verdicts[k].n < event.n
                or (verdicts[k].n == event.n and event.n not in self._checked and event.kind is not Kind.EXPIRY)
            ):
                merged.append(verdicts[k])
                k += 1
            merged.append(event)
            if event.kind is Kind.ENTER and event.n in self._checked:
                while k < len(verdicts) and verdicts[k].n == event.n:
                    merged.append(verdicts[k])
                    k += 1
        return merged + verdicts[k:]

    @staticmethod
    def _sort(events: list[Event]) -> list[Event]:
        """By time; what is due before what happens, what happens in its own order."""
        return sorted(events, key=lambda e: (e.n, e.kind is not Kind.EXPIRY))
