# SPDX-License-Identifier: Apache-2.0
"""What the pieces of several actions share: operations on a carrier's cells and on sources."""

from __future__ import annotations

from collections.abc import Iterable

from carillon.allocate.result import Carrier, Style
from carillon.image import CellImage, Image, ModeImage, names
from carillon.image.operations import Does, Operation
from carillon.model.board import Board


def operate(cell: CellImage, does: Does, at: str = "") -> Operation:
    """An operation of the cell's driver; ``at``: of a re-armed cell, where it is."""
    array = cell.use.cell.array
    return Operation(does, cell.family.name, cell.number, array.rearm if at or array.moves else None, at)


def cells_of(mode: ModeImage, carrier: Carrier) -> list[CellImage]:
    """A carrier's cells."""
    return [cell for cell in mode.cells if cell.carrier is carrier]


def acknowledge(image: Image, mode: ModeImage, cells: list[CellImage], others: bool = False) -> list[Operation]:
    """Take back the requests of cells that go on asking.

    A compare channel's next expiry is set with that: by re-arming it, if it has several points.  So it must have expired, and is
    asked where it need not have: where it is one of several of a handler, or of those of ``others``.
    """
    found = []
    for cell in cells:
        moves = cell.use.cell.array.moves
        rearmed = moves and cell.carrier.style is Style.MULTIPLEXED
        if moves and (others or len(cells) > 1):
            found.append(operate(cell, Does.TAKE_BACK, names.multiplex(image, mode, cell) if rearmed else ""))
        elif cell.use.cell.array.acknowledge and not rearmed:
            found.append(operate(cell, Does.ACKNOWLEDGE))
    return found


def rearm(image: Image, mode: ModeImage, carrier: Carrier) -> list[Operation]:
    """Set a multiplexed carrier's cell for its next point; the handler returns if only a turn was counted."""
    own = [x for x in mode.multiplexes if x.cell.carrier is carrier]
    laps = [operate(x.cell, Does.LAP, names.multiplex(image, mode, x.cell)) for x in own if x.laps]
    return laps + [operate(x.cell, Does.REARM, names.multiplex(image, mode, x.cell)) for x in own]


def by_register(board: Board, sources: Iterable[int]) -> list[tuple[int, ...]]:
    """Sources, grouped by request register."""
    groups: dict[int, list[int]] = {}
    for source in sorted(set(sources)):
        groups.setdefault((source - board.request_base) // board.request_bits, []).append(source)
    return [tuple(group) for group in groups.values()]


def task_number(image: Image, name: str) -> int:
    """The task's number in the schedule, from 0."""
    return [t.name for t in image.system.tasks].index(name)
