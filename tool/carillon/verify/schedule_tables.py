# SPDX-License-Identifier: Apache-2.0
"""The schedule tables of the image against the schedule.

The image has cursors, each with the steps that it takes in one part of its counter's queue.  What all cursors of a table do
together, step by step, must be what the table's points say, each action once, and all of them must end with the table.
"""

from __future__ import annotations

from collections import Counter as Count
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from carillon.diagnostics import Span
from carillon.model.osek import AlarmAction, Osek, ScheduleTable, SetEvent, Synchronisation, TableStart
from carillon.verify.contract import Reader, otherwise, rows_of
from carillon.verify.elf import Elf

Acts = tuple[int, int, int]
"""What is done, as the image says it: the action's number, the task's, and the event's mask."""
SYNC = (Synchronisation.NONE, Synchronisation.IMPLICIT, Synchronisation.EXPLICIT)
START = (TableStart.RELATIVE, TableStart.ABSOLUTE, TableStart.SYNCHRON)
WRAP = 1 << 32


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step: its delay, what it does, and of images with tables that are adjusted where it is, and by how much."""

    delay: int
    acts: tuple[Acts, ...]
    offset: int
    lengthen: int
    shorten: int


@dataclass(frozen=True, slots=True)
class CursorRow:
    """A cursor: of which table, in which part, and its steps."""

    table: int
    part: int
    steps: tuple[StepRow, ...]


TABLE = {
    **dict.fromkeys(("duration", "initial", "precision", "at", "autostart"), 4),
    "first": 2,
    **dict.fromkeys(("cursors", "counter", "repeating", "sync", "start"), 1),
}
"""The members of an entry of the table of schedule tables, with their sizes.

Behind them is whether all cursors of the table are alone in their parts: a byte of padding, which is 0, if none is in any."""
TABLE_BYTES = sum(TABLE.values())
LONGEST_LONE = 15 << 28
"""A turn of the counter and one of the table are less than this, in ticks, if the kernel is to start it the short way."""


def celled_tables(osek: Osek, elf: Elf) -> dict[int, int]:
    """By the number of a schedule table on cells, where the image says which; tables in queues are left out."""
    symbol, count = elf.symbols.get("carillon_osek_tables_on_cells"), len(osek.schedule_tables)
    if symbol is None or symbol.size != count * elf.pointer:
        return {}
    pointers = (elf.number(symbol.address + number * elf.pointer, elf.pointer) for number in range(count))
    return {number: elf.data(pointer) for number, pointer in enumerate(pointers) if pointer}


def cursor_rows(osek: Osek, elf: Elf) -> list[CursorRow]:
    """carillon_osek_cursors with their steps and actions; nothing where the image has none."""
    actions = elf.symbols.get("carillon_osek_point_actions")
    if actions is None or not osek.schedule_tables:
        return []
    celled = celled_tables(osek, elf)
    adjusted = any(t.sync is Synchronisation.EXPLICIT and k not in celled for k, t in enumerate(osek.schedule_tables))
    step_size = elf.padded(20 if adjusted else 8, 4)
    act_size = elf.padded(max(4, elf.pointer) + 2, max(4, elf.pointer))
    rows = []
    for reader in rows_of(elf, "carillon_osek_cursors", elf.padded(elf.pointer + 4, elf.pointer)):
        steps, count, part, table = reader.pointer(), reader.take(2), reader.take(1), reader.take(1)
        step_rows = []
        for k in range(count):
            step = Reader(elf, elf.data(steps) + k * step_size)
            delay, first, acts = step.take(4), step.take(2), step.take(2)
            more = (step.take(4), step.take(4), step.take(4)) if adjusted else (0, 0, 0)
            done = tuple(_act(elf, actions.address + (first + a) * act_size) for a in range(acts))
            step_rows.append(StepRow(delay, done, *more))
        rows.append(CursorRow(table, part, tuple(step_rows)))
    return rows


def _act(elf: Elf, at: int) -> Acts:
    reader = Reader(elf, at)
    operand = reader.take(max(4, elf.pointer)) & 0xFFFF_FFFF
    action, task = reader.take(1), reader.take(1)
    return action, task, operand


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
        readers = rows_of(
            self.elf, "carillon_osek_schedule_tables", self.elf.padded(TABLE_BYTES, 4), len(self.osek.schedule_tables)
        )
        size = self.elf.padded(TABLE_BYTES, 4)
        members = TABLE | ({"lone": 1} if size > TABLE_BYTES else {})
        rows = [reader.members(members) for reader in readers]
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

    def _wrong(self, table: ScheduleTable, number: int, row: Mapping[str, int], cursors: Sequence[CursorRow]) -> Iterator[str]:
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
            for step in cursor.steps:
                at += step.delay
                done += ((at, act) for act in step.acts)
            if at != table.duration or (cursor.steps and cursor.steps[-1].acts):
                yield f"ends after {at} ticks in part {cursor.part}, and the schedule says {table.duration}"
        expected = Count((p.offset, self._expected(a)) for p in table.points for a in p.actions)
        for (at, _), count in sorted((Count(done) - expected).items()):
            yield f"does something {at} ticks after its begin, {count} times too often"
        for (at, _), count in sorted((expected - Count(done)).items()):
            yield f"does not do what the schedule says {at} ticks after its begin, {count} times"
        for cursor in cursors:
            for step in cursor.steps:
                if [act[0] for act in step.acts] != sorted(act[0] for act in step.acts):
                    yield f"sets events before it activates tasks, {step.offset} ticks after its begin"
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
            found = [(step.offset, step.lengthen, step.shorten) for step in cursor.steps]
            if found != wanted:
                wrong = next((f for f, w in zip(found, wanted, strict=False) if f != w), None)
                yield f"is adjusted by {wrong} in part {cursor.part}, or at other points than the schedule says"

    def _expected(self, action: AlarmAction) -> Acts:
        mask = next((e.mask for e in self.osek.events if isinstance(action, SetEvent) and e.name == action.event), 0)
        return action.number, [t.name for t in self.osek.tasks].index(action.object), mask
