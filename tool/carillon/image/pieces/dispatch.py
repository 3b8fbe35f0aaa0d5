# SPDX-License-Identifier: Apache-2.0
"""Carry out what a table says is due."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.image import Image, ModeImage, names
from carillon.image.operations import Does, Operation
from carillon.image.pieces.common import acknowledge, cells_of, operate


def operations(image: Image, mode: ModeImage, carrier: Carrier) -> list[Operation]:
    """The operations of the handler; the cell is re-armed first, so that the round does not drift."""
    cell = cells_of(mode, carrier)[0]
    at = names.multiplex(image, mode, cell)
    return [
        *acknowledge(image, mode, [cell]),
        Operation(Does.LOOK_UP, at=at),
        operate(cell, Does.REARM, at),
        Operation(Does.DISPATCH, at=at),
    ]
