# SPDX-License-Identifier: Apache-2.0
"""Check a deadline: whoever comes here has missed it, because a task that has ended takes the request back."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.emit import text
from carillon.emit.pieces.common import acknowledge, cells_of
from carillon.emit.pieces.entry import Entry
from carillon.image import Image, ModeImage
from carillon.lower import ExpiryPoint


def body(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """The statements of the handler."""
    number = text.task_number(image, carrier.demand.object)
    return [*acknowledge(cells_of(mode, carrier)), f"    carillon_deadline_missed({number}u);"]


def entry(image: Image, point: ExpiryPoint) -> Entry:
    """As an entry of a table: the task's number."""
    return Entry(object=text.task_number(image, point.object))
