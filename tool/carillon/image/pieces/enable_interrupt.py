# SPDX-License-Identifier: Apache-2.0
"""Enable an interrupt again."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.image import Entry, Image, ModeImage
from carillon.image.operations import Does, Operation
from carillon.image.pieces.common import acknowledge, cells_of, rearm
from carillon.lower import ExpiryPoint


def operations(image: Image, mode: ModeImage, carrier: Carrier) -> list[Operation]:
    """The operations of the handler."""
    before = acknowledge(image, mode, cells_of(mode, carrier)) + rearm(image, mode, carrier)
    source = image.system.interrupt(carrier.demand.object).source
    length = mode.allocation.mode.round_length
    if mode.control is not None and any((t - mode.control.at) % length == 0 for t in carrier.demand.times):
        before.append(Operation(Does.LEAVES, sources=(mode.control.cell.carrier.source,)))
    return [*before, Operation(Does.ENABLE, sources=(source,))]


def entry(image: Image, point: ExpiryPoint) -> Entry:
    """As an entry of a table: the interrupt's source and its bit."""
    source = image.system.interrupt(point.object).source
    return Entry(source=source, object=source)
