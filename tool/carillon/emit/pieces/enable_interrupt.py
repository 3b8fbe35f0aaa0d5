# SPDX-License-Identifier: Apache-2.0
"""Enable an interrupt again."""

from __future__ import annotations

from carillon.allocate.result import Carrier, Style
from carillon.emit.pieces.common import acknowledge, cells_of, multiplex, operation
from carillon.emit.pieces.entry import Entry
from carillon.image import Image, ModeImage
from carillon.lower import ExpiryPoint


def body(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """The statements of the handler."""
    cells = cells_of(mode, carrier)
    lines = acknowledge(cells)
    lines += [operation(c, "rearm", multiplex(image, mode, c)) for c in cells if carrier.style is Style.MULTIPLEXED]
    source = image.system.interrupt(carrier.demand.object).source
    length = mode.allocation.mode.round_length
    if mode.control is not None and any((t - mode.control.at) % length == 0 for t in carrier.demand.times):
        lines += [f"    if (carillon_leaves({mode.control.cell.carrier.source}u)) {{", "        return;", "    }"]
    return [*lines, f"    carillon_port_enable({source}, CARILLON_SOURCE_BIT({source}));"]


def entry(image: Image, point: ExpiryPoint) -> Entry:
    """As an entry of a table: the interrupt's source and its bit."""
    source = image.system.interrupt(point.object).source
    return Entry(mask=f"CARILLON_SOURCE_BIT({source})", object=source)
