# SPDX-License-Identifier: Apache-2.0
"""Which cells can carry schedule tables, and why those of a board cannot.

The hardware repeats a table: its cells reload themselves.  A table begins at any time, so each cell is told how far away its
first expiry is.  Either one store starts all cells, and each is shifted while it runs.  Or each is set while it stands still, and
started by a store of its own, at a time that the time base says.
"""

from __future__ import annotations

from collections.abc import Sequence

from carillon.allocate.base import longest_stretch
from carillon.lower.events import TABLE_REST, turn_of
from carillon.model import System
from carillon.model.board import Board, Cells
from carillon.model.family import BaseKind, Capability, Start
from carillon.model.osek import Hook, ScheduleTable, Status

_START, _CELL = 180, 40
"""Instructions, at most, from the reading of the time base to the store that starts the first cell, and more for each cell."""
TABLE_AHEAD = 1 << 28
"""For how many ticks of the clock a start may be held back at most (``ARRAY_AHEAD`` of ``cells/array/cell.h``, ``BEHIND`` of
``kernel/counters/table.h``)."""


def is_set(array: Cells) -> bool:
    """Whether an array's cells are set while they stand still, each on a source of its own, which asks no cell."""
    alone = len(set(array.sources)) == len(array.sources)
    return array.start is Start.EACH and Capability.FIRST in array.family.can and alone


def carries_tables(board: Board, clock_hz: int, array: Cells) -> bool:
    """Whether an array's cells can carry schedule tables: of the board's first family that can.

    They count ticks of the system clock, as the time base does.
    """
    down = [a for a in board.cells if a.family.base is BaseKind.DOWN]
    able = [a for a in down if (a.start is Start.GROUP and (a.family.align or Capability.RESTART in a.family.can)) or is_set(a)]
    return array in able and array.family == able[0].family and _counts_ticks(array, clock_hz)


def tells_tables(board: Board, clock_hz: int, array: Cells) -> bool:
    """Whether a cell of the array can be the time base beside schedule tables on cells.

    Cells that one store starts have a time base that is read right before it, and counts in the same way.
    """
    if carries_tables(board, clock_hz, array):
        return True
    able = next((a for a in board.cells if carries_tables(board, clock_hz, a)), None)
    return able is not None and is_set(able) and array.family.base is BaseKind.DOWN and _counts_ticks(array, clock_hz)


def near_of(board: Board, clock_hz: int, table: ScheduleTable) -> int:
    """Ticks of the system clock from where a start of a table on cells has read the time until all its cells are set.

    For cells that are set while they stand still (``kernel/counters/table_set.h``), these are ticks in which the time base's tick
    is found, and instructions: of the start, and of each cell.
    """
    lead = board.lead_at(clock_hz)
    array = next(a for a in board.cells if carries_tables(board, clock_hz, a))
    if not is_set(array):
        return lead
    per_tick = max(board.clock(clock_hz).instructions_per_tick, 1)
    cells = sum(len(table.series(action)) for action in table.actions) + (not table.repeating)
    return max(lead, per_tick + -(-(_START + _CELL * cells) // per_tick) + cells * board.start_spacing + 1)


def _moves(array: Cells) -> bool:
    """Whether one store moves all cells of a table, by what is added to their counts, so that it may come late."""
    return Capability.MOVE in array.family.can


def _beside_rounds(system: System, table: ScheduleTable, arrays: Sequence[Cells]) -> str:
    """Why a table on cells cannot be beside the rounds of a system; empty if it can, or there are none.

    A round's handlers may come between any two instructions of a start.  Where code takes no time, none does.
    """
    if not system.modes or not arrays:
        return ""
    board = system.board
    takes_time = board.clock(system.clock_hz).instructions_per_tick > 0
    if takes_time and not _moves(arrays[0]):
        return (
            f"a start on board '{board.name}' sets or shifts each cell by itself and locks all interrupts for it, for which the "
            "rounds' tasks would wait; cells that one store moves, as those of 'cv32e40x-rtl', need no such lock"
        )
    if takes_time and table.followed:
        return "what ends it is held back by the rounds' tasks, so that the table that follows might not begin in time"
    stretch = longest_stretch(system)
    if stretch is not None and stretch + board.lead_at(system.clock_hz) >= TABLE_AHEAD:
        return f"the rounds' tasks may hold a start back for {stretch} ticks of the clock, and cells allow {TABLE_AHEAD - 1}"
    return ""


def _counts_ticks(array: Cells, clock_hz: int) -> bool:
    return array.units(1, clock_hz, array.prescalers[0]) == 1


def _no_cells(board: Board) -> str:
    """Why a board has no cells that carry schedule tables."""
    name = f"board '{board.name}'"
    if all(array.start is Start.TIMER for array in board.cells):
        return f"cells of {name} are channels, which expire in each turn of their timer, and a table may begin many turns later"
    if all(Capability.MATCH in array.family.can for array in board.cells):
        return f"cells of {name} expire once, until a handler sets them anew, and it would take its time from higher tasks"
    return f"{name} has no cells that repeat by themselves and that are told, when others run, how far their first expiry is"


def table_refusal(system: System, table: ScheduleTable) -> str:
    """Why no cell of the board can carry a schedule table, however many there are; empty if it could."""
    assert system.osek is not None
    board, hz = system.board, system.clock_hz
    arrays = [a for a in board.cells if carries_tables(board, hz, a)]
    if system.time is not None and system.time.tickless:
        return "its counter is tickless, and a table on cells is started by the count of a cell"
    if why := _beside_rounds(system, table, arrays):
        return why
    if system.osek.status is Status.EXTENDED or Hook.ERROR in system.osek.hooks:
        return "services of tables on cells look for no errors, and tell the error hook of none"
    if not arrays:
        return _no_cells(board)
    counter = system.osek.counter(table.counter)
    turn, duration = turn_of(counter), table.duration * counter.tick + (0 if table.repeating else TABLE_REST)
    width = min(a.width for a in arrays)
    most, half = min(1 << width, (1 << (31 if _moves(arrays[0]) else 32)) - TABLE_AHEAD) - 1, 1 << (width - 1)
    if turn > half:  # an earlier value of the counter and a later one are told by the sign of their difference
        return (
            f"its counter '{counter.name}' takes {turn} ticks of the clock to begin anew, more than the {half} that cells allow"
        )
    if turn + duration > most:
        return (
            f"its counter '{counter.name}' takes {turn} ticks of the clock to begin anew and the table {duration}, and the "
            f"cells count up to {most}"
        )
    if table.followed and is_set(arrays[0]):
        return f"cells of board '{board.name}' are started by a store each, which takes too long at the end of another table"
    if table.shifted and Capability.SYNCHRONISE not in arrays[0].family.can:
        return f"it is synchronised explicitly, and cells of board '{board.name}' cannot be shifted while they run"
    apart = [table.half, table.duration - table.half] if table.followed else []
    nearest = min(*apart, *(table.nearest(action) for action in table.actions), table.duration) * counter.tick
    near = near_of(board, hz, table)
    if nearest <= 2 * near:
        return f"points {nearest} ticks of the clock apart are too near: a start may take {near} of them"
    over = (table.duration - table.points[-1].offset + table.initial_offset - table.points[0].max_shorten) * counter.tick
    if table.shifted and over <= 2 * near:
        return (
            f"from its last point to the first one of the next turn there may be {over} ticks of the clock, too few: "
            f"to shift its cells may take {near} of them"
        )
    return ""
