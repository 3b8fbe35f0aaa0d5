# SPDX-License-Identifier: Apache-2.0
"""Check a deadline: this handler runs only on a miss, because a task that ends in time withdraws the request."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.image import Entry, Image, ModeImage
from carillon.image.operations import Does, Operation
from carillon.image.pieces.common import acknowledge, cells_of, task_number
from carillon.lower import ExpiryPoint


def operations(image: Image, mode: ModeImage, carrier: Carrier) -> list[Operation]:
    """The operations of the handler."""
    number = task_number(image, carrier.demand.object)
    return [*acknowledge(image, mode, cells_of(mode, carrier)), Operation(Does.MISSED, number=number)]


def entry(image: Image, point: ExpiryPoint) -> Entry:
    """As an entry of a table: the task's number."""
    return Entry(object=task_number(image, point.object))
