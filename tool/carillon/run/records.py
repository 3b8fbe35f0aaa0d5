# SPDX-License-Identifier: Apache-2.0
"""Records of a run become events.

A record is what the virtual board and the tracing plugin write: 64-bit time, 32-bit kind, 32-bit value, little-endian.  The time
counts ticks on a virtual board and instructions in QEMU; the value is a source, a cell or an address.  What an interrupt is for
stands in the image's table of vectors, and where a function is stands in the firmware's symbols.  Nothing that the emitters
decided is worked out here again.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from carillon import c_names
from carillon.emit import text
from carillon.energy import Supply
from carillon.groups import grouped
from carillon.image import Image, ModeImage
from carillon.image.misses import compute_lanes, deadline_misses, late_threads
from carillon.image.operations import Vector
from carillon.model import Mode, SyncStart
from carillon.model.board import Role
from carillon.model.osek import Osek
from carillon.run.activated import activated
from carillon.run.alarms import expiries, merged
from carillon.run.entries import Code, Entry, Record, entry_values, own_vectors
from carillon.run.giotto_jobs import jobs
from carillon.run.happenings import Happenings, Names
from carillon.run.misses import Deadline, attributed
from carillon.run.schedule_tables import Tables
from carillon.run.stimuli import Prepared
from carillon.trace import FROM_OUTSIDE, Event, Kind, Trace
from carillon.trace.activations import activations, lost_events
from carillon.trace.beneath import by_priority, equals
from carillon.trace.course import Course

_RECORD = struct.Struct("<QII")

DELIVER = ("carillon_software_deliver", "carillon_software_deliver_at_base", "carillon_software_above")
"""The functions that run tasks where a software interrupt controller dispatches: called by a service, and by its interrupt or
the end of any handler."""

SWITCH = "carillon_mode_switch"
SYNC_POINT, SYNC_TURN = "carillon_synchronise", "carillon_sync_turn"
"""A sync point's handler; and the one that also ends a turn of another length, on boards whose cells are channels of timers."""
"""The function that leaves a mode for another."""

MISSED = "carillon_deadline_missed"
"""The function that is called for a deadline that was missed, and calls the error hook."""

OVERRUNS = ("carillon_budget_overrun", "carillon_osek_budget_overrun")
"""The functions that are called for a job that has used up its budget, of a round or beneath one."""

RESPONSE = 16
"""Cycles within which an AVR has answered an interrupt, unless a handler has interrupts off."""


_VERDICTS = (Kind.DEADLINE_MET, Kind.DEADLINE_MISSED)


def read_records(path: Path) -> list[Record]:
    """All whole records of a file."""
    data = path.read_bytes()
    usable = len(data) - len(data) % _RECORD.size
    return [Record(*fields) for fields in _RECORD.iter_unpack(data[:usable])]


def _timers(system: Osek) -> tuple[str, ...]:
    return (*(c.name for c in system.counters), *(a.name for a in system.alarms))


def lead_of(image: Image) -> int:
    """Units of a record's time from the start's first store to tick 0."""
    system = image.system
    lead = system.board.lead_at(system.clock_hz) if image.modes or not image.osek else image.osek.lead
    return lead * max(1, system.board.clock(system.clock_hz).instructions_per_tick)


@dataclass(frozen=True, slots=True)
class _Segment:
    """A stretch of rounds of one mode."""

    image: ModeImage
    mode: Mode
    course: Course

    @property
    def begin(self) -> int:
        """The tick 0 of its first round."""
        return self.course.begin


class Decoder:
    """Reads the records of one image, and of the stimuli of its run, if it has any."""

    def __init__(self, image: Image, symbols: dict[str, tuple[int, int]], stimuli: Prepared | None = None) -> None:
        self._stimuli = stimuli
        self._image = image
        self._native = image.system.board.native
        self._response = RESPONSE if image.system.board.code_unit == "cycles" else 0
        self._per_tick = max(1, image.system.board.clock(image.system.clock_hz).instructions_per_tick)
        named = [(t.entry, t.name) for t in image.system.tasks] + [(i.handler, i.name) for i in image.system.interrupts]
        event_triggered = image.system.osek
        if event_triggered is not None:
            named += [(c_names.task(t.name), t.name) for t in event_triggered.tasks if not t.extended]
            named += [(c_names.isr(i.name), i.name) for i in event_triggered.isrs]
        self._placed = symbols
        isrs = own_vectors(image, symbols)
        named += [(vector.symbol, vector.object) for vector in isrs]
        functions = grouped((symbols[function][0], name) for function, name in named if function in symbols)
        starts = {f"{text.stem(image, m)}_start": m for m in image.modes}
        self._starts = {symbols[name]: m for name, m in starts.items() if name in symbols}
        self._switch = symbols.get(SWITCH, (0, 0))[0] & ~1
        self._sync_point = symbols[SYNC_POINT][0] & ~1 if SYNC_TURN in symbols else None
        self._unexpected = symbols.get(text.UNEXPECTED, (0, 0))[0] & ~1
        rows = [miss for miss in deadline_misses(image) if miss.symbol in symbols]
        self._computes = {symbols[name][0]: lane for name, lane in compute_lanes(image).items() if name in symbols}
        self._late = {symbols[miss.symbol][0]: miss for miss in rows}
        threads = {symbols[name][0]: thread for name, thread in late_threads(image).items() if name in symbols}
        self._tables = Tables(image, symbols)
        extended = [t.name for t in event_triggered.tasks if t.extended] if event_triggered is not None else []
        contexts = {name: symbols.get(c_names.extended(name)) for name in extended}
        self._names = Names(
            functions,
            {symbol[0]: name for name, symbol in contexts.items() if symbol is not None},
            frozenset(symbols[name][0] for name in DELIVER if name in symbols),
            symbols.get(MISSED, (-1, 0))[0],
            frozenset(symbols[name][0] for name in OVERRUNS if name in symbols),
            {address: miss.lane for address, miss in self._late.items()} | threads,
            lambda address: self._vectors[self._mode_of(address)] if self._is_round(address) else None,
        )
        self._vectors = [self._of_mode((*vectors, *isrs), symbols) for vectors in image.vectors]
        self._own = tuple(vector.object for vector in isrs)

    def _of_mode(self, vectors: Collection[Vector], symbols: dict[str, tuple[int, int]]) -> dict[int, list[Entry]]:
        """What may be meant by each value of a record of an entry, while a mode runs."""
        values = entry_values(self._image, symbols, vectors)
        itself = {v for v in vectors if self._native and v.runs in symbols and symbols[v.runs][0] == symbols[v.symbol][0]}
        return grouped((values[v.source], Entry(v, v in itself)) for v in vectors)

    def _mode_of(self, address: int) -> int:
        for (begin, size), mode in self._starts.items():
            if begin <= address < begin + max(size, 1):
                return self._image.modes.index(mode)
        return 0

    def _is_round(self, address: int) -> bool:
        """Whether a start list begins a round; where rounds exist, the event-triggered system's list does not."""
        return not self._image.modes or any(b <= address < b + max(size, 1) for b, size in self._starts)

    def _begins(self, records: list[Record]) -> list[tuple[int, int]]:
        """When each mode began, and its number."""
        return [(r.time, self._mode_of(r.value)) for r in records if r.code == Code.BEGIN and self._is_round(r.value)]

    def origin(self, records: list[Record]) -> int | None:
        """The time of what :meth:`trace` calls tick 0; None if nothing began."""
        begins = self._begins(records)
        return begins[0][0] + lead_of(self._image) if begins else None

    def trace(self, records: list[Record], ticks: int, rounds: int, output: str) -> Trace:
        """The trace of a run of ``ticks``; events before the first round are left out."""
        system = self._image.system
        begins, lead = self._begins(records), lead_of(self._image)
        origin = begins[0][0] + lead if begins else 0
        end = next((r for r in records if r.code == Code.HALT), Record(0, Code.HALT, 0))
        halt = end.time
        # A run that stopped by itself includes the tick of its stop.
        length = max(0, min(ticks, (halt - origin) // self._per_tick + 1)) if begins else 0
        segments = self._segments(begins, origin, lead, length, records)
        tables, points = self._tables.found(records, origin, length)
        alarms = expiries(self._image, self._placed, records, origin, length)
        due = self._due(segments) + [e for _, e in alarms] + [e for e in points if e.kind is Kind.EXPIRY]
        times = grouped((event.object, event.n) for event in due)
        seen = [e for e in points if e.kind is not Kind.EXPIRY]
        last = length * self._per_tick
        happenings = Happenings(self._names, self._vectors[0], records, origin, self._per_tick, times, last)
        # Stimuli, expiries and other activations precede other events of the same instant; other events keep their order.
        outside, pins = self._outside(records, origin)
        happened = list(happenings.events())
        others = activated(self._image, records, origin, happened, self._stimuli)
        events = [*outside, *happened, *due, *seen, *others]
        events.sort(key=lambda e: (e.n, e.kind not in FROM_OUTSIDE, e.kind not in (Kind.EXPIRY, Kind.ACTIVATION)))
        events = self._with_deadlines(events, happenings, segments, length)
        events = sorted([*events, *self._lost(events, merged(self._image, alarms, happened))], key=lambda e: e.n)
        first = next((m for m in system.modes if m.name == system.start_mode), None)
        invocations = tuple(self._invocations(records, origin))
        per_tick = system.board.clock(system.clock_hz).instructions_per_tick
        seen_at_all = {event.object for event in events}
        own = tuple(name for name in self._own if name in seen_at_all)
        below = by_priority(system.osek)
        return Trace(
            application=system.name,
            board=system.board.name,
            kernel=self._image.allocation.kernel,
            clock_hz=system.clock_hz,
            instructions_per_tick=per_tick,
            rounds=rounds,
            length=length,
            round_length=first.round_length if first is not None else ticks,
            tasks=(*(t.name for t in system.tasks), *below[1]),
            interrupts=(*(i.name for i in system.interrupts), *own, *below[0]),
            events=tuple(e for e in events if 0 <= e.t < max(length, 1) or (e.t == length and e.kind in _VERDICTS)),
            output=output,
            unit=system.board.code_unit,
            caveat=system.board.caveat,
            modes=tuple((s.begin, s.mode.name) for s in segments),
            courses=tuple(s.course for s in segments),
            round_lengths=tuple((m.name, m.round_length) for m in system.modes),
            stopped=self._reason(end.value) if halt - origin < ticks * self._per_tick else "",
            event_triggered=(*below[0], *below[1]),
            equals=equals(system.osek),
            timers=_timers(system.osek) if system.osek is not None else (),
            tables=tables,
            missed=self._missed_by_giotto(records, origin, length),
            invocations=invocations,
            invoked=tuple(jobs(system, events, invocations, per_tick)),
            pins=pins,
            supply=Supply.of(system),
        )

    def _outside(self, records: list[Record], origin: int) -> tuple[list[Event], tuple[tuple[str, int], ...]]:
        """Stimuli, and changes of the levels of pins; and each pin with its level before tick 0."""
        if self._stimuli is None:
            return [], ()
        events: list[Event] = []
        levels = dict.fromkeys(self._stimuli.pins, 0)
        before = dict(levels)
        for record in records:
            n = record.time - origin
            if record.code == Code.STIMULUS:
                events.append(Event(n // self._per_tick, n, Kind.STIMULUS, str(self._stimuli.rows[record.value])))
            elif record.code == Code.LEVEL:
                name, level = self._stimuli.pins[record.value >> 1], record.value & 1
                if n >= 0 and levels[name] != level:
                    events.append(Event(n // self._per_tick, n, Kind.PIN, f"{name}={level}"))
                levels[name] = level
                before = dict(levels) if n < 0 else before
        return events, tuple(before.items())

    def _invocations(self, records: list[Record], origin: int) -> Iterator[tuple[str, int, int | None]]:
        """Invocations of microcode tasks (lane, begin, end): from a call of the function to its return or next call."""
        begun: dict[str, int] = {}
        for record in records:
            lane = self._computes.get(record.value) if record.code in (Code.CALL, Code.RETURN) else None
            if lane is None:
                continue
            if lane in begun:
                yield lane, begun.pop(lane), record.time - origin
            if record.code == Code.CALL:
                begun[lane] = record.time - origin
        for lane, time in begun.items():
            yield lane, time, None

    def _missed_by_giotto(self, records: list[Record], origin: int, length: int) -> tuple[tuple[int, str], ...] | None:
        """The tick and the task of each deadline that a Giotto program missed; None without a program."""
        if self._image.system.giotto is None:
            return None
        found = [r for r in records if r.code == Code.CALL and r.value in self._late]
        all_of_them = [((r.time - origin) // self._per_tick, self._late[r.value].task.name.text) for r in found]
        return tuple((t, task) for t, task in all_of_them if 0 <= t < length)

    def _reason(self, where: int) -> str:
        """Why a run ended before its time; empty if the run did not stop by itself."""
        if where and where & ~1 == self._unexpected:
            return "a fault, or an interrupt that nobody uses (carillon_port_unexpected)"
        return "the system was shut down" if where else ""

    def _segments(
        self, begins: list[tuple[int, int]], origin: int, lead: int, length: int, records: list[Record]
    ) -> list[_Segment]:
        segments: list[_Segment] = []
        if not self._image.modes:
            return segments
        for k, (time, number) in enumerate(begins):
            image = self._image.modes[number]
            mode = next(m for m in self._image.system.modes if m.name == image.allocation.mode.name)
            begin = (time + lead - origin) // self._per_tick
            end = length
            if k + 1 < len(begins) and image.control:
                # The mode is left at the control point before the next start; later points do not happen.
                end = (begins[k + 1][0] + lead - origin) // self._per_tick - image.control.gap
                end = end - mode.round_length + image.control.at
            elif image.control and (left := [r.time for r in records if r.code == Code.MARK and r.value & ~1 == self._switch]):
                # The run ends before the next mode has begun.
                tick = (left[-1] - origin) // self._per_tick - begin - image.control.at
                end = begin + tick // mode.round_length * mode.round_length + image.control.at if left[-1] > time else end
            points, held = self._synchronised(records, number, origin, begin, end)
            segments.append(_Segment(image, mode, Course(begin, end, mode.round_length, points, held)))
        return segments

    def _synchronised(self, records: list[Record], mode: int, origin: int, begin: int, end: int) -> tuple[tuple[int, ...], int]:
        """When the sync points of a mode were served, and from when on its tasks could start; nothing without [sync]."""
        sync = self._image.system.sync
        if sync is None:
            return (), 0
        served: dict[Role | None, list[int]] = {Role.SYNC: [], Role.ACTIVATION: []}
        for record in records:
            tick = (record.time - origin) // self._per_tick
            if record.code == Code.MARK and record.value & ~1 == self._sync_point and begin <= tick < end:
                served[Role.SYNC].append(tick)
            if record.code == Code.ENTER and begin <= tick < end:
                for role in {e.vector.role for e in self._vectors[mode].get(record.value, [])} & served.keys():
                    if role is not Role.SYNC or self._sync_point is None:
                        served[role].append(tick)
        first = next(iter(served[Role.ACTIVATION]), end)
        points = tuple(served[Role.SYNC])
        if points:  # the first activation after the last point tells its effect, as for a point that is still to come
            length = self._image.modes[mode].allocation.mode.round_length
            at = (points[0] - begin) % length
            gap = min((a.at - at - 1) % length + 1 for a in self._image.system.modes[mode].activations)
            last = next((t for t in served[Role.ACTIVATION] if t > points[-1]), points[-1] + gap)
            if -sync.shorten <= last - points[-1] - gap <= sync.lengthen:
                points += (last - gap + length,)
        # Before the first start there is a sync point, at which the rounds were let go.
        held = max((t for t in points if t < first), default=begin) if sync.start is SyncStart.HARD else begin
        return points, held

    def _due(self, segments: list[_Segment]) -> list[Event]:
        """Expiry points that came due, computed from the rounds that began."""
        scale = 1 if self._native else self._per_tick
        events = []
        for segment in segments:
            course = segment.course
            for number in course.rounds:
                points = [(a.at, a.task) for a in segment.mode.activations] + [(e.at, e.interrupt) for e in segment.mode.enables]
                for at, name in points:
                    tick = course.tick(number, at)
                    if course.happens(tick):
                        events.append(Event(tick, tick * scale, Kind.EXPIRY, name))
        return events

    def _lost(self, events: list[Event], merged: Mapping[Event, int]) -> list[Event]:
        """Activations that came while the task had all that it takes, or while their cell had asked already."""
        osek = self._image.system.osek
        takes = {task.name: 2 for task in self._image.system.tasks}
        framed = {t.name: t.time_frame for t in osek.tasks if t.time_frame} if osek is not None else {}
        waits = {t.name for t in osek.tasks if t.thread or (t.extended and t.time_frame)} if osek is not None else set()
        takes |= {t.name: t.activations for t in osek.tasks if t.name not in waits} if osek is not None else {}
        return lost_events(activations(events, takes, framed, not self._native, merged))

    def _with_deadlines(self, events: list[Event], happenings: Happenings, segments: list[_Segment], length: int) -> list[Event]:
        """Add what became of each deadline.

        One that the kernel watches is missed if the kernel said so.  Of the others, and where the application kept the
        interrupt out that watches it, the task's last instruction decides: it lies before the deadline, or not.  Of a job
        that its budget ends, the kernel alone decides: the budget's cell comes before a deadline's of the same tick.
        """
        ended = self._ended_by_budgets(events)
        deadlines = self._deadlines(events, segments, length)
        handler_of = attributed(happenings.misses, [d for d in deadlines if d.watched], events)
        checks = sorted(happenings.checks, key=lambda e: e.n)
        times = [e.n for e in checks]
        verdicts: list[Event] = []
        inside: dict[int, list[Event]] = {}
        for deadline in deadlines:
            handler = handler_of.get(id(deadline))
            late = deadline.end is None or deadline.end >= deadline.n + (self._response if deadline.watched else 0)
            late = late and not (deadline.watched and (deadline.task, deadline.end) in ended)
            kind = Kind.DEADLINE_MISSED if handler is not None or late else Kind.DEADLINE_MET
            if handler is None:  # the handler that checked came then, or soon after if the processor answers later
                k = bisect_left(times, deadline.n)
                handler = checks[k] if k < len(checks) and times[k] <= deadline.n + self._response else None
            if handler is None:
                verdicts.append(Event(deadline.t, deadline.n, kind, deadline.task))
            else:
                inside.setdefault(id(handler), []).append(Event(deadline.t, handler.n, kind, deadline.task))
        return self._merge(events, sorted(verdicts, key=lambda e: e.n), inside)

    @staticmethod
    def _ended_by_budgets(events: list[Event]) -> set[tuple[str, int | None]]:
        """The jobs that had used up their budgets before they ended: the task, and the end's ``n``."""
        over: set[str] = set()
        found: set[tuple[str, int | None]] = set()
        for event in events:
            if event.kind is Kind.BUDGET_OVERRUN:
                over.add(event.object)
            elif event.kind is Kind.END and event.object in over:
                over.discard(event.object)
                found.add((event.object, event.n))
        return found

    def _deadlines(self, events: list[Event], segments: list[_Segment], length: int) -> list[Deadline]:
        """The deadlines of the rounds that began, as far as the run went."""
        scale = 1 if self._native else self._per_tick
        starts, ends = (grouped((e.object, e.n) for e in events if e.kind is kind) for kind in (Kind.START, Kind.END))
        deadlines: list[Deadline] = []
        for segment in segments:
            watched, round_length, course = segment.image.watched, segment.mode.round_length, segment.course
            for number in course.rounds:
                for a in segment.mode.activations:
                    if not course.happens(course.tick(number, a.at)):
                        continue
                    begin = course.tick(number, a.at) - a.at
                    started, done = starts[a.task], ends[a.task]
                    k = bisect_left(started, (begin + a.at) * scale)
                    end = done[k] if k < len(started) and k < len(done) else None
                    deadlines += [
                        Deadline(a.task, begin + d, (begin + d) * scale, end, (a.task, d % round_length) in watched)
                        for d in a.deadlines
                        if begin + d <= length
                    ]
        return deadlines

    @staticmethod
    def _merge(events: list[Event], verdicts: list[Event], inside: dict[int, list[Event]]) -> list[Event]:
        """Verdicts among events: inside the handler that found them, or else before the events of the same time."""
        merged: list[Event] = []
        k = 0
        for event in events:
            while k < len(verdicts) and (verdicts[k].n < event.n or (verdicts[k].n == event.n and event.kind is not Kind.EXPIRY)):
                merged.append(verdicts[k])
                k += 1
            merged.append(event)
            merged += inside.get(id(event), [])
        return merged + verdicts[k:]
