# SPDX-License-Identifier: Apache-2.0
"""Leave a mode for another."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.image import Entry, Image, ModeImage
from carillon.image.operations import Does, Operation
from carillon.image.pieces.common import acknowledge, cells_of
from carillon.lower import ExpiryPoint


def operations(image: Image, mode: ModeImage, carrier: Carrier) -> list[Operation]:
    """The operations of the handler."""
    return [*acknowledge(image, mode, cells_of(mode, carrier)), Operation(Does.CONTROL)]


def entry(image: Image, point: ExpiryPoint) -> Entry:
    """As an entry of a table: nothing but the action."""
    del image, point
    return Entry()
