# SPDX-License-Identifier: Apache-2.0
"""The tables of counters and alarms of the image against the schedule, and against the cells that expire for alarms.

A counter's queue may have several parts, each served at a level of its own.  The first entries of the table of counters are the
counters, and each is the first part of its queue; those behind them are further parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from carillon import c_names
from carillon.model.osek import (
    Alarm,
    AlarmAction,
    Callback,
    Counter,
    CounterKind,
    IncrementCounter,
    Osek,
    ScheduleTable,
    SetEvent,
)
from carillon.verify.contract import otherwise
from carillon.verify.elf import Elf
from carillon.verify.event_cells import wrong_record
from carillon.verify.event_levels import is_at_its_tasks, level_of_alarm
from carillon.verify.layout import Row
from carillon.verify.schedule_tables import CursorRow, ScheduleTableChecks, cursor_rows
from carillon.verify.table_cells import TableCellChecks, on_cells

if TYPE_CHECKING:
    from carillon.verify.events import Events


@dataclass(slots=True)
class EventReport:
    """What was compared of the event-triggered system."""

    cells: int = 0
    vectors: int = 0
    tables: int = 0


EXPIRE = {"carillon_osek_expire_points", "carillon_osek_expire_lone"}
"""The kernel's functions that serve points of tables in queues; images without both have none."""


def alarm_rows(osek: Osek, elf: Elf) -> Iterator[tuple[Alarm, Row]]:
    """carillon_osek_alarms; nothing if there is no such table."""
    return zip(osek.alarms, elf.rows("carillon_osek_alarms", len(osek.alarms)), strict=False)


@dataclass(slots=True)
class Parts:
    """The entries of the table of counters: the counter that each belongs to, by the alarms in it; None: no counter's.

    ``rows``: what each says.  ``of``: by name, the entry that an alarm is in.  ``cursors``: of schedule tables, each in a part.
    """

    counters: list[Counter | None] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    of: dict[str, int] = field(default_factory=dict)
    cursors: list[CursorRow] = field(default_factory=list)

    @staticmethod
    def read(osek: Osek, elf: Elf) -> Parts:
        """The parts of an image; without a table of counters, each counter has one part."""
        parts = Parts(list(osek.counters), of={alarm.name: row["counter"] for alarm, row in alarm_rows(osek, elf)})
        parts.cursors = [c for c in cursor_rows(osek, elf) if c.table < len(osek.schedule_tables)]
        rows = elf.rows("carillon_osek_counters")
        parts.rows = rows if osek.counters and len(rows) >= len(osek.counters) else []
        for number in range(len(parts.rows)):
            owners = {a.counter for a in osek.alarms if parts.of.get(a.name) == number}
            owners |= {osek.schedule_tables[c.table].counter for c in parts.cursors if c.part == number}
            if number >= len(osek.counters):
                parts.counters.append(osek.counter(owners.pop()) if len(owners) == 1 else None)
        return parts

    @property
    def lone(self) -> list[int]:
        """Of each part, the number of the cursor that it says is alone in it, and 1; else 0."""
        return [row.get("lone") for row in self.rows]

    def counter(self, number: int) -> Counter | None:
        """The counter of a part; None if there is no such part, or it has no counter."""
        return self.counters[number] if 0 <= number < len(self.counters) else None


def _error(events: Events, code: str, subject: Alarm | Counter | ScheduleTable, wrong: str) -> None:
    """A difference in what the tables say of an object."""
    kind = {Alarm: "alarm", Counter: "counter", ScheduleTable: "schedule table"}[type(subject)]
    events.error(code, f"the {kind} '{subject.name}' {wrong}", subject.span)


def check_tables(events: Events) -> None:
    """Everything that the tables say."""
    _counter_table(events)
    cells: dict[str, bool] = {}
    for alarm, row in alarm_rows(events.osek, events.elf):
        events.report.tables += 1
        cells[alarm.name] = bool(row["cell"])
        cell = events.carried.get(alarm.name)
        wrong = _alarm(events, alarm, row)
        if not wrong and cell is not None and row["cell"]:
            wrong = wrong_record(events, alarm, cell, row.to("cell"))
        if wrong:
            _error(events, "C204", alarm, wrong)
    for alarm in events.osek.alarms:
        on_cell = alarm.name in events.carried
        if cells and cells[alarm.name] != on_cell:
            missing = "is to be on a cell, and no cell expires for it"
            _error(events, "C204", alarm, "is on a cell, and its table does not say so" if on_cell else missing)
        elif not on_cell or not alarm.static:
            _queued(events, alarm, on_cell)
    _schedule_tables(events)


def _schedule_tables(events: Events) -> None:
    """Schedule tables, and the parts in which their cursors are."""
    osek, parts = events.osek, events.parts
    cells = on_cells(osek, events.elf)
    if not osek.schedule_tables or (EXPIRE.isdisjoint(events.elf.symbols) and not cells):
        return  # the image uses no tables: the application neither starts one nor advances its counter
    events.report.tables += len(osek.schedule_tables) + len(parts.cursors)
    for span, wrong in ScheduleTableChecks(osek, events.elf, parts.cursors, frozenset(cells), parts.lone).differences():
        events.error("C204", wrong, span)
    checks = TableCellChecks(osek, events.hardware, events.services)
    for number, on_cell in cells.items():
        table = osek.schedule_tables[number]
        events.report.cells += len(on_cell.rows)
        for wrong in checks.differences(table, on_cell):
            _error(events, "C204", table, wrong)
        sources = {source for _, _, source in on_cell.rows}
        for _, cell in events.hardware.cells:
            if cell.place.array.acknowledge and cell.place.source in sources:
                events.acknowledges(cell)
    _lone_cursors(events)
    for cursor in parts.cursors:
        table = osek.schedule_tables[cursor.table]
        counter = osek.counter(table.counter)
        if parts.counter(cursor.part) != counter:
            _error(events, "C204", table, f"is in part {cursor.part}, which is not of '{counter.name}'")
        elif counter.kind is CounterKind.HARDWARE and cursor.part not in events.ticked and events.teller is None:
            what = f"the schedule table '{table.name}'"
            events.error("C204", f"nothing carries {what}: its counter '{counter.name}' has no tick", table.span)


def _lone_cursors(events: Events) -> None:
    """Which cursors are alone in their parts: nothing else can wait there.

    If the kernel has no short way for them in an image, no part and no table says that one is.
    """
    osek, parts = events.osek, events.parts
    says_so = any(parts.lone)
    at = [cursor.part for cursor in parts.cursors]
    for number, found in enumerate(parts.lone):
        others = any(parts.of.get(a.name) == number and not (a.static and a.name in events.carried) for a in osek.alarms)
        alone = at.count(number) == 1 and at.index(number) < 255 and not others and parts.rows[number]["units"] != 0
        expected = at.index(number) + 1 if says_so and alone else 0
        counter = parts.counters[number]
        if found != expected and counter is not None:
            says = f"says that cursor {found - 1} is alone in it" if found else "does not say that a cursor is alone in it"
            _error(events, "C204", counter, f"has a part {number} that {says}")


def _queued(events: Events, alarm: Alarm, on_cell: bool) -> None:
    """Check the part that queues an alarm."""
    counter, part = events.osek.counter(alarm.counter), events.parts.of.get(alarm.name)
    if counter.kind is not CounterKind.HARDWARE or part is None or events.parts.counter(part) != counter:
        return
    if part not in events.ticked:
        if not on_cell and events.teller is None:
            what = f"the alarm '{alarm.name}'"
            events.error("C204", f"nothing carries {what}: its counter '{counter.name}' has no tick", alarm.span)
        return
    leveled, level = events.parts.rows[part].truth("leveled"), level_of_alarm(events, alarm)
    if leveled and level != events.ticked[part]:
        _error(events, "C207", alarm, f"is served at level {events.ticked[part]}, its task's is {level}")
    others = [p for p, at in events.ticked.items() if events.parts.counter(p) == counter and at == level]
    if not leveled and any(is_at_its_tasks(events, p) for p in others):
        _error(events, "C207", alarm, f"is in part {part} of its counter, and part {others[0]} has its level")


def _alarm(events: Events, alarm: Alarm, row: Row) -> str:
    counter = events.parts.counter(row["counter"])
    if counter is None or counter.name != alarm.counter:
        return f"is on counter {row['counter']}, not on '{alarm.counter}'"
    begin = alarm.autostart
    expected = dict.fromkeys(("start", "cycle", "autostart", "absolute"), 0)
    if begin is not None:
        modes = sum(1 << events.osek.modes.index(m) for m in begin.modes)
        expected = {"start": begin.time, "cycle": begin.cycle, "autostart": modes, "absolute": begin.absolute}
    if wrong := otherwise(row, expected):
        return f"has at the start: {wrong}"
    if len(alarm.action.each) > 1:
        found_list = _list(events.elf, row["operand"])
        wanted = [_expected(events, it) for it in alarm.action.each if not isinstance(it, IncrementCounter)]
        object_of = _expected(events, alarm.action.each[-1])[1] if alarm.action.subject == "counter" else 0
        same = found_list == wanted and (row["action"], row["object"]) == (alarm.action.number, object_of)
        return "" if same else "does other things than the schedule says, or in another order"
    found = _found(events.elf, row)
    return "" if found == _expected(events, alarm.action) else "does something else than the schedule says"


def _found(elf: Elf, row: Row) -> tuple[int, int, int]:
    """An action of the image; of a function, the address that its code has."""
    operand = elf.code(row["operand"]) if row["action"] == Callback.number else row["operand"]
    return row["action"], row["object"], operand


def _list(elf: Elf, first: int) -> list[tuple[int, int, int]]:
    """The actions of an alarm that has several: those of the table of lists from ``first`` on."""
    actions = []
    for row in elf.rows("carillon_osek_alarm_actions")[first:]:
        actions.append(_found(elf, row))
        if not row["more"]:
            break
    return actions


def _expected(events: Events, action: AlarmAction) -> tuple[int, int, int]:
    """An action as the table gives it: its number, its object's number, and its operand."""
    osek, elf = events.osek, events.elf
    operand = next((e.mask for e in osek.events if isinstance(action, SetEvent) and e.name == action.event), 0)
    numbers = {"task": [t.name for t in osek.tasks], "counter": [c.name for c in osek.counters]}
    if action.subject in numbers:
        return action.number, numbers[action.subject].index(action.object), operand
    body = elf.symbols.get(c_names.callback(action.object))
    return action.number, 0, body.address if body is not None else -1


def _counter_table(events: Events) -> None:
    parts = events.parts
    for number, row in enumerate(parts.rows):
        counter = parts.counters[number]
        events.report.tables += 1
        if counter is None:
            events.error("C204", f"part {number} of the counters' queues has alarms of no counter, or of several")
            continue
        if wrong := otherwise(row, {name: getattr(counter, name) for name in ("max_allowed", "ticks_per_base", "min_cycle")}):
            _error(events, "C204", counter, f"has {wrong}")
        if wrong := _advances(events, counter, row["units"], row["software"], row["ticked"]):
            _error(events, "C204", counter, wrong)
        level, leveled = events.ticked.get(number), row.truth("leveled")
        if leveled and level is None:
            _error(events, "C207", counter, "has no tick, and its table says at which level")
        if level is not None and leveled != is_at_its_tasks(events, number):
            says = "says" if leveled else "does not say"
            _error(events, "C207", counter, f"is served at level {level}, and its table {says} that this is its tasks'")


def _advances(events: Events, counter: Counter, units: int, software: int, ticked: int) -> str:
    """The fault in a counter's row about what advances the counter."""
    by_software = counter.kind is CounterKind.SOFTWARE
    celled = any(events.parts.counter(p) == counter for p in events.ticked)
    told = events.teller is not None and not by_software
    if software != by_software:
        surplus = "is advanced by IncrementCounter, and the schedule does not say so"
        return surplus if software else "is not advanced by software"
    if ticked != (by_software or celled or told):
        return "is said to advance, and nothing ticks it" if ticked else "is said to stand still"
    if told and events.teller is not None:
        found = events.teller.ticks(units)
        return "" if found == counter.tick else f"has a tick of {float(found):g}, and the schedule says {counter.tick}"
    if units and (not celled or units != counter.tick):
        return f"has {units} units of the time base in a tick, and the schedule says {counter.tick if celled else 0}"
    others = [events.parts.counter(p) for p, it in enumerate(events.parts.rows) if it["units"]]
    if celled and not units and (others or events.based):
        return "is not followed by the time base"
    return ""
