# SPDX-License-Identifier: Apache-2.0
"""Carry out what a table says is due."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.emit.image import Image, ModeImage
from carillon.emit.pieces.common import acknowledge, cells_of, operation


def body(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """The statements of the handler: the cell is re-armed first, so that nothing drifts."""
    del image
    cell = cells_of(mode, carrier)[0]
    return [
        *acknowledge([cell]),
        "    const struct carillon_entry *const entry = (const struct carillon_entry *)carillon_system.next;",
        operation(cell, "rearm", "&carillon_system"),
        "    carillon_conventional_dispatch(entry);",
    ]
