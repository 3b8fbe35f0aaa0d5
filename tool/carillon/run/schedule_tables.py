# SPDX-License-Identifier: Apache-2.0
"""What a run's records, or the schedule alone, say of schedule tables.

1. Where nothing but StartOS starts a table, and nothing stops one, the schedule says when its points are due.
2. Else QEMU's plugin sees the unmodified kernel read what a step does and write a table's status, and which function
   does so.  What was written is not seen, but follows from the function and from the status before:
   ``kernel/counters/schedule_table.c`` writes in each of its functions what stands in :meth:`_Statuses.wrote`.  A table that is
   adjusted is written in more ways, so that nothing is said of any table then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from carillon.model.osek import ActivateTask, AlarmAction, Osek, ScheduleTable, Synchronisation, TableStart
from carillon.run.entries import Code, Record
from carillon.trace import Event, Kind, TableState

if TYPE_CHECKING:
    from carillon.elf import Symbol
    from carillon.image import Image

STEERING = (
    "StartScheduleTableRel",
    "StartScheduleTableAbs",
    "StartScheduleTableSynchron",
    "StopScheduleTable",
    "NextScheduleTable",
    "SyncScheduleTable",
    "SetScheduleTableAsync",
)
"""Services that change when a schedule table's points come; the linker keeps those that somebody uses."""

ON_CELLS = ("carillon_osek_start_tables_on_cells", "start_relative", "start_absolute")
"""Those that start tables on cells.  Their points are not shown: no code runs there."""

WRITERS = {
    "s": (
        "StartScheduleTableRel",
        "StartScheduleTableAbs",
        "begin",
        "begin_lone",
        "carillon_osek_start_schedule_tables",
        *ON_CELLS,
    ),
    "t": ("StopScheduleTable", "stop_cells"),
    "n": ("NextScheduleTable",),
    "g": (
        "carillon_osek_expire_points",
        "carillon_osek_expire_lone",
        "carillon_osek_act_point",
        "expire",
        "goes_on",
        "planned",
        "end_cells",
    ),
}
"""The kernel's functions that write statuses, by the letter of the plugin's map."""

INLINE_STOP = "carillon_stops_table_"
"""Begins the labels of stores of StopScheduleTable that stand in the application (carillon_port_note_stop)."""

STATUSES = "carillon_osek_table_states"
STATUS_BYTES = (1, 2, 3, 4)
"""Of each table: ``struct table_state``, which begins with the status, and is no more than that if none can be followed."""

DELAY = range(4)
"""Bytes of a step that are read once when a cursor goes to that step, or before what the step does."""
COUNT = range(4, 8)
"""Bytes of a step that only who serves it reads: ``struct carillon_osek_step``, on processors of 32 bits."""


def watched(image: Image, symbols: Iterable[Symbol]) -> list[str]:
    """Lines of the plugin's map."""
    osek = image.system.osek
    if osek is None or not osek.schedule_tables:
        return []
    lines = []
    handlers = image.osek.handlers if image.osek is not None else ()
    lone = {it.name for it in handlers if any(call.function.startswith("carillon_osek_lone_") for call in it.calls)}
    steps: list[tuple[int, int]] = []
    for symbol in symbols:
        own = symbol.name.partition(".")[0]
        lines += [f"{symbol.address:x} {kind} {symbol.size:x}" for kind, names in WRITERS.items() if own in names]
        if own in lone:  # it has the kernel's steps within it
            lines.append(f"{symbol.address:x} g {symbol.size:x}")
        if symbol.name.startswith(INLINE_STOP):
            lines.append(f"{symbol.address:x} t 2")
        if symbol.name == STATUSES:
            lines.append(f"{symbol.address:x} D {symbol.size:x}")
        if re.fullmatch(r"carillon_steps_\w+_\d+", symbol.name):
            steps.append((symbol.address, symbol.address + symbol.size))
    if steps:
        begin = min(b for b, _ in steps)
        lines.append(f"{begin:x} E {max(e for _, e in steps) - begin:x}")
    return lines


class _Status(Enum):
    STOPPED = 0
    NEXT = 1
    RUNNING = 2


class _ContradictionError(Exception):
    """The kernel made a write that it cannot make: the writes are not understood."""


class _Statuses:
    """The status of each table, followed write by write."""

    def __init__(self, names: Sequence[str]) -> None:
        self._now = dict.fromkeys(names, (_Status.STOPPED, 0))  # status, and since when
        self.states: list[TableState] = []

    def wrote(self, code: Code, name: str, t: int) -> None:
        """A function of that kind wrote a table's status at tick ``t``."""
        before, _ = self._now[name]
        after = {
            (Code.TABLE_STARTS, _Status.STOPPED): _Status.RUNNING,
            (Code.TABLE_STOPS, before): _Status.STOPPED,
            (Code.TABLE_NEXT, _Status.STOPPED): _Status.NEXT,
            (Code.TABLE_NEXT, _Status.NEXT): _Status.STOPPED,  # another is named
            (Code.TABLE_GOES, _Status.NEXT): _Status.RUNNING,
            (Code.TABLE_GOES, _Status.RUNNING): _Status.STOPPED,
        }.get((code, before))
        if after is None:
            raise _ContradictionError
        self._become(name, after, t)

    def _become(self, name: str, after: _Status, t: int) -> None:
        before, since = self._now[name]
        if before is not _Status.STOPPED and t > since:
            self.states.append(TableState(name, since, t, before is _Status.NEXT))
        self._now[name] = after, max(0, t)

    def end(self, t: int) -> None:
        """The run ends."""
        for name in self._now:
            self._become(name, _Status.STOPPED, t)


class Tables:
    """Reads the records of one image."""

    def __init__(self, image: Image, symbols: dict[str, tuple[int, int]]) -> None:
        self._image = image
        self._symbols = symbols
        self._native = image.system.board.native
        self._per_tick = max(1, image.system.board.clock(image.system.clock_hz).instructions_per_tick)

    def found(self, records: Iterable[Record], origin: int, length: int) -> tuple[tuple[TableState, ...], list[Event]]:
        """When tables are started or named as the next one, in a run of ``length`` ticks, and the events of their points."""
        osek = self._image.system.osek
        if osek is None or not osek.schedule_tables:
            return (), []
        steered = any(name in STEERING or name.startswith(INLINE_STOP) for name in self._symbols)
        if not self._image.modes and not steered:
            return self._from_schedule(osek, length)
        try:
            return self._from_records(osek, records, origin, length)
        except _ContradictionError:
            return (), []

    def _from_schedule(self, osek: Osek, length: int) -> tuple[tuple[TableState, ...], list[Event]]:
        """Of tables of hardware counters that StartOS starts in every application mode."""
        scale = 1 if self._native else self._per_tick
        states: list[TableState] = []
        events: list[Event] = []
        for table in osek.schedule_tables:
            counter, start = osek.counter(table.counter), table.autostart
            if not counter.tick or start is None or start.kind is TableStart.SYNCHRON or set(start.modes) != set(osek.modes):
                continue
            begin = (start.at or counter.max_allowed + 1) * counter.tick  # StartOS finds the counter at 0
            turn = table.duration * counter.tick
            states.append(TableState(table.name, 0, length if table.repeating else min(length, begin + turn)))
            for first in range(begin, length, turn) if table.repeating else (begin,):
                for point in table.points:
                    at = first + point.offset * counter.tick
                    names = (table.name, *(a.object for a in point.actions if isinstance(a, ActivateTask)))
                    events += [Event(at, at * scale, Kind.EXPIRY, name) for name in names if at < length]
        return tuple(states), events

    def _from_records(
        self, osek: Osek, records: Iterable[Record], origin: int, length: int
    ) -> tuple[tuple[TableState, ...], list[Event]]:
        """Of all tables, where their kernel was watched and none is adjusted."""
        names = [table.name for table in osek.schedule_tables]
        base, size = self._symbols.get(STATUSES, (0, 0))
        how = self._image.system.board.run
        adjusted = any(t.sync is Synchronisation.EXPLICIT for t in osek.schedule_tables)
        if how is None or how.kind in ("native", "simavr") or adjusted or size not in [n * len(names) for n in STATUS_BYTES]:
            return (), []
        each = size // len(names)
        steps = self._steps()
        statuses = _Statuses(names)
        events: list[Event] = []
        last: dict[int, int] = {}  # per cursor (address of its steps), the step served last
        for time, code, value in records:
            n = time - origin
            t = n // self._per_tick
            if Code.TABLE_STARTS <= code <= Code.TABLE_GOES and not (value - base) % each:
                name = names[(value - base) // each]
                statuses.wrote(Code(code), name, t)
                if code == Code.TABLE_STARTS:
                    last = {place: number for place, number in last.items() if steps[place][0].name != name}
            elif code == Code.STEP:
                for place, (table, bytes_, actions) in steps.items():
                    number, within = divmod(value - place, bytes_)
                    if 0 <= number < len(actions) and within in DELAY:
                        last.pop(place, None)
                    elif 0 <= number < len(actions) and within in COUNT and last.get(place) != number:
                        last[place] = number
                        if actions[number]:
                            events.append(Event(t, n, Kind.POINT, table.name))
                        events += [Event(t, n, Kind.EXPIRY, a.object) for a in actions[number] if isinstance(a, ActivateTask)]
        statuses.end(length)
        return tuple(sorted(statuses.states, key=lambda s: (s.begin, s.name))), events

    def _steps(self) -> dict[int, tuple[ScheduleTable, int, tuple[tuple[AlarmAction, ...], ...]]]:
        """The cursors by the address of their steps: table, bytes per step, and each step's actions."""
        assert self._image.osek is not None
        cursors = {}
        for cursor in self._image.osek.allocation.cursors:
            address, size = self._symbols.get(f"carillon_steps_{cursor.table.name}_{cursor.part}", (0, 0))
            if size:
                cursors[address] = cursor.table, size // len(cursor.steps), tuple(tuple(s.actions) for s in cursor.steps)
        return cursors
