# SPDX-License-Identifier: Apache-2.0
"""What of a plan rests on how long instructions take, which a chip need not confirm (guide, "Silicon")."""

from __future__ import annotations

from carillon.image import CellImage, Image
from carillon.image.sync import matches
from carillon.model.board import Board, Cells
from carillon.model.family import Timed
from carillon.model.time import ClockKind


def timed_sequences(image: Image) -> tuple[str, ...]:
    """Each timed sequence that an image has, as a clause; none where code takes no time."""
    system = image.system
    board = system.board
    if not board.clock(system.clock_hz).instructions_per_tick:
        return ()
    found: list[str] = []
    for mode in image.modes:
        where = f"in mode '{mode.allocation.mode.name}', " if len(image.modes) > 1 else ""
        found += [where + clause for clause in _of_cells(image.system.board, mode.cells, len(mode.stores["start"]))]
        moved = [x.cell for x in mode.multiplexes if Timed.REARM in x.cell.family.timed]
        found += [f"{where}{_names(moved)} {_verb(moved)} re-armed by moving a counter that runs"] if moved else []
    if len(image.modes) > 1:
        found.append("a switch of modes waits by a number of instructions")
    if any(mode.sync is not None and mode.sync.wrap is None and not matches(mode.sync) for mode in image.modes):
        found.append("a synchronised round moves counters that run")
    if image.osek is not None:
        found += _of_cells(image.system.board, image.osek.cells, len(image.osek.stores["start"]))
        if image.osek.tables:
            found.append("a schedule table on cells starts some instructions after it has read the time")
        clock = image.osek.allocation.clock
        if clock is not None and _is_one_shot(clock.carrier.cells[0].cell.array, image):
            found.append("the one-shot clock is set by moving a counter that runs")
    return tuple(dict.fromkeys(found))


def _is_one_shot(array: Cells, image: Image) -> bool:
    time = image.system.time
    return time is not None and time.clock is ClockKind.ONE_SHOT and Timed.ONE_SHOT in array.family.timed


def _of_cells(board: Board, cells: tuple[CellImage, ...], stores: int) -> list[str]:
    """What of the start of some cells is timed."""
    found = []
    started = [cell for cell in cells if Timed.START in board.timed(cell.use.cell.array)]
    if started and stores > 1:
        found.append(f"{_names(started)} {_verb(started)} started some instructions after the cells before")
    aligned = [cell for cell in cells if Timed.ALIGN in cell.family.timed]
    if aligned:
        found.append(f"{_names(aligned)} {_verb(aligned)} moved to the first expiry while the counter runs")
    return found


def _names(cells: list[CellImage]) -> str:
    names = [cell.use.cell.name for cell in cells]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _verb(cells: list[CellImage]) -> str:
    return "are" if len(cells) > 1 else "is"
