# SPDX-License-Identifier: Apache-2.0
"""The schedule tables of the image against the schedule.

The image has cursors, each with the steps that it takes in one part of its counter's queue.  What all cursors of a table do
together, step by step, must be what the table's points say, each action once, and all of them must end with the table.
"""

from __future__ import annotations

from collections import Counter as Count
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from carillon.diagnostics import Span
from carillon.elf import UnreadableError
from carillon.model.osek import AlarmAction, Osek, ScheduleTable, SetEvent, Synchronisation, TableStart
from carillon.verify.contract import otherwise
from carillon.verify.elf import Elf
from carillon.verify.layout import Row

Acts = tuple[int, int, int]
"""What is done, as the image says it: the action's number, the task's, and the event's mask."""
SYNC = (Synchronisation.NONE, Synchronisation.IMPLICIT, Synchronisation.EXPLICIT)
START = (TableStart.RELATIVE, TableStart.ABSOLUTE, TableStart.SYNCHRON)
WRAP = 1 << 32


@dataclass(frozen=True, slots=True)
class CursorRow:
    """A cursor: of which table, in which part, its steps, and what it does in each."""

    table: int
    part: int
    steps: tuple[tuple[Row, tuple[Acts, ...]], ...]


LONGEST_LONE = 15 << 28
"""A turn of the counter and one of the table are less than this, in ticks, if the kernel is to start it the short way."""


def celled_tables(osek: Osek, elf: Elf) -> dict[int, Row]:
    """By the number of a schedule table on cells, where the image says which; tables in queues are left out."""
    found = elf.leads("carillon_osek_tables_on_cells")
    return {number: row for number, row in enumerate(found) if row is not None and len(found) == len(osek.schedule_tables)}


def cursor_rows(osek: Osek, elf: Elf) -> list[CursorRow]:
    """carillon_osek_cursors with their steps and actions; nothing where the image has none."""
    actions = elf.rows("carillon_osek_point_actions")
    acts = [(row["action"], row["object"], row["operand"] & 0xFFFF_FFFF) for row in actions]

    def step(row: Row) -> tuple[Row, tuple[Acts, ...]]:
        if row["first"] + row["count"] > len(acts):
            raise UnreadableError(f"a step at {row.address:#x} has actions that are not in carillon_osek_point_actions")
        return row, tuple(acts[row["first"] : row["first"] + row["count"]])

    rows = elf.rows("carillon_osek_cursors") if actions and osek.schedule_tables else []
    return [CursorRow(row["table"], row["part"], tuple(map(step, row.listed("steps", row["count"])))) for row in rows]


class ScheduleTableChecks:
    """The comparison.

    ``on_cells``: the numbers of the tables that stand in no queue.  ``lone``: of each part, whether a cursor is alone in it.
    """

    def __init__(
        self,
        osek: Osek,
        elf: Elf,
        cursors: Sequence[CursorRow],
        on_cells: frozenset[int] = frozenset(),
        lone: Sequence[int] = (),
    ) -> None:
        self.osek, self.elf, self.cursors, self.on_cells, self.lone = osek, elf, cursors, on_cells, lone

    def differences(self) -> Iterator[tuple[Span, str]]:
        """What is wrong: where it is said, and what the image says instead."""
        rows = self.elf.rows("carillon_osek_schedule_tables")
        if len(rows) != len(self.osek.schedule_tables):
            yield self.osek.schedule_tables[0].span, "the image has no table of the schedule tables, or another number of them"
            return
        parts: dict[str, list[int]] = {}
        for number, (table, row) in enumerate(zip(self.osek.schedule_tables, rows, strict=True)):
            cursors = self.cursors[row["first"] : row["first"] + row["cursors"]]
            subject = f"the schedule table '{table.name}'"
            for wrong in self._wrong(table, number, row, cursors):
                yield table.span, f"{subject} {wrong}"
            if number in self.on_cells:
                continue
            at = [cursor.part for cursor in cursors]
            if at != parts.setdefault(table.counter, at):
                yield table.span, f"{subject} has cursors in parts {at}, and another one of its counter in {parts[table.counter]}"

    def _wrong(self, table: ScheduleTable, number: int, row: Row, cursors: Sequence[CursorRow]) -> Iterator[str]:
        start = table.autostart
        modes = sum(1 << self.osek.modes.index(m) for m in start.modes) if start is not None else 0
        counter = [c.name for c in self.osek.counters].index(table.counter)
        expected = {
            "duration": table.duration % WRAP,
            "initial": table.points[0].offset,
            "precision": table.precision,
            "at": start.at if start is not None else 0,
            "autostart": modes,
            "counter": counter,
            "repeating": table.repeating,
            "sync": SYNC.index(table.sync),
            "start": START.index(start.kind) if start is not None else 0,
        }
        if "lone" in row:
            turns = self.osek.counters[counter].max_allowed + table.duration
            alone = [cursor.part < len(self.lone) and self.lone[cursor.part] != 0 for cursor in cursors]
            expected["lone"] = bool(alone) and all(alone) and turns < LONGEST_LONE
        if wrong := otherwise(row, expected):
            yield f"has {wrong}"
        if number in self.on_cells and not cursors:
            if row["first"] or row["cursors"]:
                yield f"is on cells, and is said to have {row['cursors']} cursors from {row['first']} on"
            return
        if not cursors or len(cursors) != row["cursors"] or any(cursor.table != number for cursor in cursors):
            yield "has no cursors, or those of another table"
            return
        yield from self._wrong_steps(table, cursors)

    def _wrong_steps(self, table: ScheduleTable, cursors: Sequence[CursorRow]) -> Iterator[str]:
        done: list[tuple[int, Acts]] = []
        for cursor in cursors:
            at = 0
            for row, acts in cursor.steps:
                at += row["delay"]
                done += ((at, act) for act in acts)
                if [act[0] for act in acts] != sorted(act[0] for act in acts):
                    yield f"sets events before it activates tasks, {at} ticks after its begin"
            if at != table.duration or (cursor.steps and cursor.steps[-1][1]):
                yield f"ends after {at} ticks in part {cursor.part}, and the schedule says {table.duration}"
        expected = Count((p.offset, self._expected(a)) for p in table.points for a in p.actions)
        for (at, _), count in sorted((Count(done) - expected).items()):
            yield f"does something {at} ticks after its begin, {count} times too often"
        for (at, _), count in sorted((expected - Count(done)).items()):
            yield f"does not do what the schedule says {at} ticks after its begin, {count} times"
        if table.sync is Synchronisation.EXPLICIT:
            yield from self._wrong_adjustments(table, cursors)

    def _wrong_adjustments(self, table: ScheduleTable, cursors: Iterable[CursorRow]) -> Iterator[str]:
        """Every cursor stops at each point, and is adjusted on the way to it as the schedule says.

        The way to the end has what the schedule says of the first point, which follows it; a table that does not begin again is
        not adjusted there.
        """
        wanted = [(p.offset, p.max_lengthen, p.max_shorten) for p in table.points]
        first = wanted[0]
        wanted[0] = (first[0], 0, 0)
        wanted.append((table.duration, *(first[1:] if table.repeating else (0, 0))))
        for cursor in cursors:
            found = [tuple(row[name] for name in ("offset", "max_lengthen", "max_shorten")) for row, _ in cursor.steps]
            if found != wanted:
                wrong = next((f for f, w in zip(found, wanted, strict=False) if f != w), None)
                yield f"is adjusted by {wrong} in part {cursor.part}, or at other points than the schedule says"

    def _expected(self, action: AlarmAction) -> Acts:
        mask = next((e.mask for e in self.osek.events if isinstance(action, SetEvent) and e.name == action.event), 0)
        return action.number, [t.name for t in self.osek.tasks].index(action.object), mask
