# SPDX-License-Identifier: Apache-2.0
"""Schedule tables in the queues of their counters: a cursor for each part of the queue, with the steps that it takes.

A cursor does what its table's points do at the level of its part (:mod:`.parts`), and comes to the table's end.  All tables of a
counter have cursors in the same parts, so that one can follow another.  A table that is synchronised explicitly is adjusted at
each of its points, so that all of its cursors stop at all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from carillon.diagnostics import Span
from carillon.model.osek import AlarmAction, Osek, ScheduleTable, Synchronisation

LONGEST = 0xFFFF_FFFF
"""The longest delay of a step, in ticks (``TickType``)."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a cursor: ``delay`` ticks after the one before it, ``offset`` after the table's begin.

    ``span``: of its point; None of the table's end, and of one that only divides a longer delay.
    """

    delay: int
    offset: int
    actions: tuple[AlarmAction, ...]
    max_lengthen: int
    max_shorten: int
    span: Span | None


@dataclass(frozen=True, slots=True)
class Cursor:
    """The steps of a table in one part of its counter's queue; the last of ``steps`` is the table's end."""

    table: ScheduleTable
    part: int
    steps: tuple[Step, ...]

    @property
    def longest(self) -> int:
        """The longest delay after the first step."""
        return max((step.delay + step.max_lengthen for step in self.steps[1:]), default=0)

    @property
    def turn(self) -> int:
        """From the last point to the first of the next turn, of a table that repeats (``kernel/counters/table_queue.h``, 4)."""
        return self.steps[-1].delay + self.steps[0].delay if self.table.repeating else 0


def cursors(osek: Osek, part_of: Callable[[str, AlarmAction], int], on_cells: Sequence[ScheduleTable] = ()) -> tuple[Cursor, ...]:
    """The cursors of all tables but those on cells; ``part_of``: the part in which a counter's action is done."""
    table_cursors: list[Cursor] = []
    queued = [t for t in osek.schedule_tables if t not in on_cells]
    for table in queued:
        parts = table_parts(queued, table.counter, part_of)
        table_cursors += (Cursor(table, part, tuple(_steps(table, part, part_of))) for part in parts)
    return tuple(table_cursors)


def table_parts(queued: Iterable[ScheduleTable], counter: str, part_of: Callable[[str, AlarmAction], int]) -> list[int]:
    """The parts of a counter's queue that serve an action of at least one of the ``queued`` tables."""
    own = (t for t in queued if t.counter == counter)
    return sorted({part_of(counter, action) for t in own for point in t.points for action in point.actions})


def _steps(table: ScheduleTable, part: int, part_of: Callable[[str, AlarmAction], int]) -> Iterable[Step]:
    """Its points of that part, in order of time, and its end.

    The last point adjusts the delay to the first point of the next turn, which the end has (``kernel/counters/table_points.c``).
    A table begins when it is told to: so its first step is not adjusted.
    """
    adjusted = table.sync is Synchronisation.EXPLICIT
    at = 0
    first = table.points[0]
    for point in table.points:
        actions = tuple(a for a in point.actions if part_of(table.counter, a) == part)
        if not actions and not adjusted:
            continue
        limits = (0, 0) if point is first else (point.max_lengthen, point.max_shorten)
        yield Step(point.offset - at, point.offset, actions, *limits, point.span)
        at = point.offset
    while table.duration - at > LONGEST:
        at += LONGEST
        yield Step(LONGEST, at, (), 0, 0, None)
    limits = (first.max_lengthen, first.max_shorten) if table.repeating else (0, 0)
    yield Step(table.duration - at, table.duration, (), *limits, None)
