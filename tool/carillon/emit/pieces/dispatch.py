# SPDX-License-Identifier: Apache-2.0
"""Carry out what a table says is due."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.emit import text
from carillon.emit.pieces.common import acknowledge, cells_of, operation
from carillon.image import Image, ModeImage


def body(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """The statements of the handler: the cell is re-armed first, so that nothing drifts."""
    cell = cells_of(mode, carrier)[0]
    at = text.multiplex(image, mode, cell)
    return [
        *acknowledge([cell]),
        f"    const struct carillon_entry *const entry = (const struct carillon_entry *){at}.next;",
        operation(cell, "rearm", f"&{at}"),
        f"    carillon_table_dispatch(entry, {at}.next);",
    ]
