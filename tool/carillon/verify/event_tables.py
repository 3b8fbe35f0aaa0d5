# SPDX-License-Identifier: Apache-2.0
"""The tables of counters and alarms of the image against the schedule, and against the cells that expire for alarms.

A counter's queue may have several parts, each served at a level of its own.  The first entries of the table of counters are the
counters, and each is the first part of its queue; those behind them are further parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from carillon.model.osek import Alarm, AlarmAction, Counter, CounterKind, Osek, ScheduleTable, SetEvent
from carillon.verify.contract import rows_of
from carillon.verify.elf import Elf
from carillon.verify.event_cells import wrong_record
from carillon.verify.schedule_tables import CursorRow, ScheduleTableChecks, cursor_rows
from carillon.verify.table_cells import TableCellChecks, on_cells

if TYPE_CHECKING:
    from carillon.verify.event_levels import Levels
    from carillon.verify.events import Events


@dataclass(slots=True)
class EventReport:
    """What was compared of the event-triggered system."""

    cells: int = 0
    vectors: int = 0
    tables: int = 0


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """An entry of the table of alarms, as numbers."""

    alarm: Alarm
    operand: int
    cell: int
    start: int
    cycle: int
    autostart: int
    part: int
    action: int
    object: int
    absolute: int


def alarm_rows(osek: Osek, elf: Elf) -> Iterator[AlarmRow]:
    """carillon_osek_alarms; nothing if there is no such table, or it has another number of entries."""
    for alarm, reader in zip(osek.alarms, rows_of(elf, "carillon_osek_alarms", count=len(osek.alarms)), strict=False):
        operand, cell = reader.take(4), reader.pointer()
        yield AlarmRow(alarm, operand, cell, *(reader.take(size) for size in (4, 4, 4, 1, 1, 1, 1)))


@dataclass(slots=True)
class Parts:
    """The entries of the table of counters: the counter that each belongs to, by the alarms in it; None: no counter's.

    ``numbers``: what each says of the counter.  ``flags``: units of the time base in a tick, whether software advances it, and
    whether anything does.  ``leveled``: whether each says that it is served at the level of tasks.
    ``of``: by name, the entry that an alarm is in.  ``cursors``: of schedule tables, each in a part.
    """

    counters: list[Counter | None] = field(default_factory=list)
    numbers: list[tuple[int, ...]] = field(default_factory=list)
    flags: list[tuple[int, int, int]] = field(default_factory=list)
    leveled: list[bool] = field(default_factory=list)
    of: dict[str, int] = field(default_factory=dict)
    cursors: list[CursorRow] = field(default_factory=list)

    @staticmethod
    def read(osek: Osek, elf: Elf) -> Parts:
        """The table of an image; where that has none, no counter has more than one part."""
        parts = Parts(list(osek.counters), of={row.alarm.name: row.part for row in alarm_rows(osek, elf)})
        parts.cursors = [c for c in cursor_rows(osek, elf) if c.table < len(osek.schedule_tables)]
        symbol, size = elf.symbols.get("carillon_osek_counters"), elf.padded(19, 4)
        if symbol is None or not osek.counters or symbol.size % size or symbol.size < size * len(osek.counters):
            return parts
        for number, reader in enumerate(rows_of(elf, symbol.name, size)):
            parts.numbers.append(tuple(reader.take(4) for _ in range(3)))
            parts.flags.append((reader.take(4), reader.take(1), reader.take(1)))
            parts.leveled.append(reader.truth())
            owners = {a.counter for a in osek.alarms if parts.of.get(a.name) == number}
            owners |= {osek.schedule_tables[c.table].counter for c in parts.cursors if c.part == number}
            if number >= len(osek.counters):
                parts.counters.append(osek.counter(owners.pop()) if len(owners) == 1 else None)
        return parts

    def counter(self, number: int) -> Counter | None:
        """The counter that a part belongs to; None of what is no part."""
        return self.counters[number] if 0 <= number < len(self.counters) else None


class EventTables:
    """The comparison."""

    def __init__(self, events: Events, levels: Levels) -> None:
        self.events, self.levels = events, levels

    def _error(self, code: str, it: Alarm | Counter | ScheduleTable, wrong: str) -> None:
        """A difference in what the tables say of an object."""
        kind = {Alarm: "alarm", Counter: "counter", ScheduleTable: "schedule table"}[type(it)]
        self.events.error(code, f"the {kind} '{it.name}' {wrong}", it.span)

    def check(self) -> None:
        """Everything that the tables say."""
        self._counter_table()
        cells: dict[str, bool] = {}
        for row in alarm_rows(self.events.osek, self.events.elf):
            self.events.report.tables += 1
            cells[row.alarm.name] = bool(row.cell)
            wrong = self._alarm(row) or self._record(row)
            if wrong:
                self._error("C204", row.alarm, wrong)
        for alarm in self.events.osek.alarms:
            on_cell = alarm.name in self.events.carried
            if cells and cells[alarm.name] != on_cell:
                missing = "is to be on a cell, and no cell expires for it"
                self._error("C204", alarm, "is on a cell, and its table does not say so" if on_cell else missing)
            elif not on_cell or not alarm.static:
                self._queued(alarm, on_cell)
        self._schedule_tables()

    def _schedule_tables(self) -> None:
        """Schedule tables, and the parts in which their cursors are."""
        osek, parts = self.events.osek, self.events.parts
        cells = on_cells(osek, self.events.elf, self.events.hardware)
        if not osek.schedule_tables or ("carillon_osek_expire_points" not in self.events.elf.symbols and not cells):
            return  # nothing in the image goes through tables: the application neither starts one nor advances its counter
        self.events.report.tables += len(osek.schedule_tables) + len(parts.cursors)
        for span, wrong in ScheduleTableChecks(osek, self.events.elf, parts.cursors, frozenset(cells)).differences():
            self.events.error("C204", wrong, span)
        checks = TableCellChecks(osek, self.events.hardware, self.events.services)
        for number, it in cells.items():
            table = osek.schedule_tables[number]
            self.events.report.cells += len(it.rows)
            for wrong in checks.differences(table, it):
                self._error("C204", table, wrong)
        for cursor in parts.cursors:
            table = osek.schedule_tables[cursor.table]
            counter = osek.counter(table.counter)
            if parts.counter(cursor.part) != counter:
                self._error("C204", table, f"is in part {cursor.part}, which is not of '{counter.name}'")
            elif counter.kind is CounterKind.HARDWARE and cursor.part not in self.events.ticked:
                what = f"the schedule table '{table.name}'"
                self.events.error("C204", f"nothing carries {what}: its counter '{counter.name}' has no tick", table.span)

    def _queued(self, alarm: Alarm, on_cell: bool) -> None:
        """The part in which an alarm stands while it is queued."""
        counter, part = self.events.osek.counter(alarm.counter), self.events.parts.of.get(alarm.name)
        if counter.kind is not CounterKind.HARDWARE or part is None or self.events.parts.counter(part) != counter:
            return
        if part not in self.events.ticked:
            if not on_cell:
                what = f"the alarm '{alarm.name}'"
                self.events.error("C204", f"nothing carries {what}: its counter '{counter.name}' has no tick", alarm.span)
            return
        own, level = self.events.parts.leveled[part], self.levels.of_alarm(alarm)
        if own and level != self.events.ticked[part]:
            self._error("C207", alarm, f"is served at level {self.events.ticked[part]}, its task's is {level}")
        others = [p for p, at in self.events.ticked.items() if self.events.parts.counter(p) == counter and at == level]
        if not own and any(self.levels.is_at_its_tasks(p) for p in others):
            self._error("C207", alarm, f"is in part {part} of its counter, and part {others[0]} has its level")

    def _alarm(self, row: AlarmRow) -> str:
        alarm = row.alarm
        counter = self.events.parts.counter(row.part)
        if counter is None or counter.name != alarm.counter:
            return f"is on counter {row.part}, not on '{alarm.counter}'"
        begin = alarm.autostart
        modes = sum(1 << self.events.osek.modes.index(m) for m in begin.modes) if begin is not None else 0
        expected = (begin.time, begin.cycle, modes, int(begin.absolute)) if begin is not None else (0, 0, 0, 0)
        if (row.start, row.cycle, row.autostart, row.absolute) != expected:
            said = f"the schedule says {expected[0]}, cycle {expected[1]}"
            return f"is set to {row.start}, cycle {row.cycle}, at the start, and {said}"
        operand = self.events.elf.code(row.operand) if alarm.action.subject == "function" else row.operand
        found = (row.action, row.object, operand)
        return "" if found == self._expected(alarm.action) else "does something else than the schedule says"

    def _record(self, row: AlarmRow) -> str:
        """What is wrong with what the image knows of an alarm's cell."""
        cell = self.events.carried.get(row.alarm.name)
        return wrong_record(self.events, row.alarm, cell, row.cell) if cell is not None and row.cell else ""

    def _expected(self, what: AlarmAction) -> tuple[int, int, int]:
        """An action as the table says it: its number, its object's, and what it takes besides."""
        osek, elf = self.events.osek, self.events.elf
        operand = next((e.mask for e in osek.events if isinstance(what, SetEvent) and e.name == what.event), 0)
        numbers = {"task": [t.name for t in osek.tasks], "counter": [c.name for c in osek.counters]}
        if what.subject in numbers:
            return what.number, numbers[what.subject].index(what.object), operand
        body = elf.symbols.get(f"carillon_callback_{what.object}")
        return what.number, 0, body.address if body is not None else -1

    def _counter_table(self) -> None:
        parts = self.events.parts
        for number, found in enumerate(parts.numbers):
            counter = parts.counters[number]
            self.events.report.tables += 1
            if counter is None:
                self.events.error("C204", f"part {number} of the counters' queues has alarms of no counter, or of several")
                continue
            expected = (counter.max_allowed, counter.ticks_per_base, counter.min_cycle)
            if found != expected:
                self._error("C204", counter, f"has {found}, and the schedule says {expected}")
            if wrong := self._advances(counter, *parts.flags[number]):
                self._error("C204", counter, wrong)
            level, leveled = self.events.ticked.get(number), parts.leveled[number]
            if leveled and level is None:
                self._error("C207", counter, "has no tick, and its table says at which level")
            if level is not None and leveled != self.levels.is_at_its_tasks(number):
                says = "says" if leveled else "does not say"
                self._error("C207", counter, f"is served at level {level}, and its table {says} that this is its tasks'")

    def _advances(self, counter: Counter, units: int, software: int, ticked: int) -> str:
        """What is wrong with what a counter's table says of what advances it."""
        by_software = counter.kind is CounterKind.SOFTWARE
        celled = any(self.events.parts.counter(p) == counter for p in self.events.ticked)
        if software != by_software:
            surplus = "is advanced by IncrementCounter, and the schedule does not say so"
            return surplus if software else "is not advanced by software"
        if ticked != (by_software or celled):
            return "is said to advance, and nothing ticks it" if ticked else "is said to stand still"
        if units and (not celled or units != counter.tick):
            return f"has {units} units of the time base in a tick, and the schedule says {counter.tick if celled else 0}"
        others = [self.events.parts.counter(p) for p, it in enumerate(self.events.parts.flags) if it[0]]
        if celled and not units and (others or self.events.based):
            return "is not followed by the time base"
        return ""
