# SPDX-License-Identifier: Apache-2.0
"""Leave a mode for another."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.emit.pieces.common import acknowledge, cells_of
from carillon.emit.pieces.entry import Entry
from carillon.image import Image, ModeImage
from carillon.lower import ExpiryPoint


def body(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """The statements of the handler."""
    del image
    return [*acknowledge(cells_of(mode, carrier)), "    carillon_control();"]


def entry(image: Image, point: ExpiryPoint) -> Entry:
    """As an entry of a table: nothing but the action."""
    del image, point
    return Entry()
