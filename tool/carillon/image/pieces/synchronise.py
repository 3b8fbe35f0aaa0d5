# SPDX-License-Identifier: Apache-2.0
"""Move all cells of the round towards the global time."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.image import Image, ModeImage
from carillon.image.operations import Does, Operation
from carillon.image.pieces.common import acknowledge, cells_of
from carillon.model.family import Start


def operations(image: Image, mode: ModeImage, carrier: Carrier) -> list[Operation]:
    """The operations of the handler."""
    turns = carrier.cells[0].cell.array.start is Start.TIMER
    does = Operation(Does.SYNCHRONISE, name="carillon_sync_turn" if turns else "carillon_synchronise")
    return [*acknowledge(image, mode, cells_of(mode, carrier)), does]
