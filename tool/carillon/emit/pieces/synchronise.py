# SPDX-License-Identifier: Apache-2.0
"""Move all cells of the round towards the global time."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.emit.pieces.common import acknowledge, cells_of
from carillon.image import Image, ModeImage


def body(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """The statements of the handler."""
    del image
    return [*acknowledge(cells_of(mode, carrier)), "    carillon_synchronise();"]
