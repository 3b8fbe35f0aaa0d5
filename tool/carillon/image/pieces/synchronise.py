# SPDX-License-Identifier: Apache-2.0
"""Move all cells of the round towards the global time."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.image import Image, ModeImage
from carillon.image.operations import Does, Operation
from carillon.image.pieces.common import acknowledge, cells_of


def operations(image: Image, mode: ModeImage, carrier: Carrier) -> list[Operation]:
    """The operations of the handler."""
    return [*acknowledge(image, mode, cells_of(mode, carrier)), Operation(Does.SYNCHRONISE)]
