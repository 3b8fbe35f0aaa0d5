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

from carillon.emit import text
from carillon.emit.image import Image, ModeImage
from carillon.emit.vectors import handlers
from carillon.model import Mode
from carillon.model.board import Role
from carillon.trace import Event, Kind, Trace

_RECORD = struct.Struct("<QII")


class Code(IntEnum):
    """Kinds of records, as in ``ports/host/carillon_port.c`` and ``ports/armv7m/trace_plugin.c``."""

    BEGIN = 0  # the first start store of a mode comes next; value: address of its start list
    ENTER = 1  # a handler's first instruction; value: its address, on virtual boards its source
    EXIT = 2  # the first instruction after it
    EXPIRY = 3  # virtual boards: a cell expired
    CALL = 4  # a watched function's first instruction
    RETURN = 5  # its last one
    HALT = 6  # the run ended


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


@dataclass
class _Frame:
    """A handler that has not ended: what it serves, and the task that it started."""

    object: str
    running: str | None = None


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
        self._native = image.system.board.run.kind == "native"
        self._per_tick = max(1, image.system.board.clock(image.system.clock_hz).instructions_per_tick)
        self._functions: dict[int, list[str]] = {}
        named = [(t.entry, t.name) for t in image.system.tasks] + [(i.handler, i.name) for i in image.system.interrupts]
        for function, name in named:
            if function in symbols:
                self._functions.setdefault(symbols[function][0], []).append(name)
        starts = {f"{text.stem(image, m)}_start": m for m in image.modes}
        self._starts = {symbols[name]: m for name, m in starts.items() if name in symbols}
        self._unexpected = symbols.get("carillon_port_unexpected", (0, 0))[0]
        self._checks: set[int] = set()  # vectors that check deadlines
        self._checked: set[int] = set()  # when they were entered
        self._watches: set[int] = set()  # vectors that are only taken when a deadline is missed
        self._caught: set[tuple[int, str]] = set()  # when they were entered, and the task
        self._vectors = [self._of_mode(mode, symbols) for mode in image.modes]

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

    def _mode_of(self, address: int) -> int:
        for (begin, size), mode in self._starts.items():
            if begin <= address < begin + max(size, 1):
                return self._image.modes.index(mode)
        return 0

    def trace(self, records: list[Record], ticks: int, rounds: int, output: str) -> Trace:
        """The trace of a run of ``ticks``; events before the first round are left out."""
        system = self._image.system
        begins = [(r.time, self._mode_of(r.value)) for r in records if r.code == Code.BEGIN]
        lead = system.board.lead * self._per_tick
        origin = begins[0][0] + lead if begins else 0
        end = next((r for r in records if r.code == Code.HALT), Record(0, Code.HALT, 0))
        halt = end.time
        # A run that stopped by itself includes the tick in which it did.
        length = max(0, min(ticks, (halt - origin) // self._per_tick + 1)) if begins else 0
        segments = self._segments(begins, origin, lead, length)
        events = self._sort(list(self._happenings(records, origin)) + self._due(segments, origin))
        events = self._with_deadlines(events, segments, origin, length)
        first = next(m for m in system.modes if m.name == system.start_mode)
        return Trace(
            application=system.name,
            board=system.board.name,
            kernel=self._image.allocation.kernel,
            clock_hz=system.clock_hz,
            instructions_per_tick=system.board.clock(system.clock_hz).instructions_per_tick,
            rounds=rounds,
            length=length,
            round_length=first.round_length,
            tasks=tuple(t.name for t in system.tasks),
            interrupts=tuple(i.name for i in system.interrupts),
            events=tuple(e for e in events if 0 <= e.t < max(length, 1)),
            output=output,
            modes=tuple((s.begin, s.mode.name) for s in segments),
            stopped=self._reason(end.value) if halt - origin < ticks * self._per_tick else "",
        )

    def _reason(self, where: int) -> str:
        """Why a run ended before its time; the empty string if it did not stop by itself."""
        if where and where == self._unexpected:
            return "a fault, or an interrupt that nobody uses (carillon_port_unexpected)"
        return "the system was shut down" if where else ""

    def _segments(self, begins: list[tuple[int, int]], origin: int, lead: int, length: int) -> list[_Segment]:
        segments = []
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
        frames: list[_Frame] = []
        objects, direct = self._vectors[0]
        for record in records:
            n = record.time - origin
            t = n // self._per_tick

            def event(kind: Kind, name: str, t: int = t, n: int = n) -> Event:
                return Event(t, n, kind, name)

            if record.code == Code.BEGIN:
                objects, direct = self._vectors[self._mode_of(record.value)]
            elif record.code == Code.ENTER:
                if frames and frames[-1].running:
                    yield event(Kind.PREEMPT, frames[-1].running)
                frames.append(_Frame(objects.get(record.value, "unexpected")))
                if record.value in self._checks:
                    self._checked.add(n)
                if record.value in self._watches:
                    self._caught.add((n, frames[-1].object))
                yield event(Kind.ENTER, frames[-1].object)
                if record.value in direct:
                    frames[-1].running = direct[record.value]
                    yield event(Kind.START, direct[record.value])
            elif record.code == Code.CALL and frames and record.value in self._functions:
                names = self._functions[record.value]
                frames[-1].running = frames[-1].object if frames[-1].object in names else names[0]
                yield event(Kind.START, frames[-1].running)
            elif record.code == Code.RETURN and frames and frames[-1].running:
                yield event(Kind.END, frames[-1].running)
                frames[-1].running = None
            elif record.code == Code.EXIT and frames:
                frame = frames.pop()
                if frame.running:
                    yield event(Kind.END, frame.running)
                yield event(Kind.EXIT, frame.object)
                if frames and frames[-1].running:
                    yield event(Kind.RESUME, frames[-1].running)
                elif not frames:
                    yield event(Kind.IDLE, "idle")

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
                            met = met and (n, a.task) not in self._caught
                            kind = Kind.DEADLINE_MET if met else Kind.DEADLINE_MISSED
                            verdicts.append(Event(begin + deadline, n, kind, a.task))
        return self._merge(events, sorted(verdicts, key=lambda e: e.n))

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
