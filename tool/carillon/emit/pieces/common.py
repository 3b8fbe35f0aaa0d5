# SPDX-License-Identifier: Apache-2.0
"""What the pieces of several actions share: statements about a carrier's cells."""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.emit import text
from carillon.image import CellImage, Image, ModeImage


def operation(cell: CellImage, name: str, argument: object) -> str:
    """A statement: an operation of the cell's driver."""
    return f"    {cell.family.name}_{name}({argument});"


def multiplex(image: Image, mode: ModeImage, cell: CellImage) -> str:
    """The address of what a re-armed cell is at."""
    return "&" + text.multiplex(image, mode, cell)


def cells_of(mode: ModeImage, carrier: Carrier) -> list[CellImage]:
    """A carrier's cells."""
    return [cell for cell in mode.cells if cell.carrier is carrier]


def acknowledge(cells: list[CellImage]) -> list[str]:
    """Statements that take back the requests of cells that go on asking."""
    return [operation(c, "acknowledge", c.number) for c in cells if c.use.cell.array.acknowledge]


def asks(mode: ModeImage, carrier: Carrier) -> str:
    """The condition that one of a carrier's cells asks for an interrupt."""
    return " || ".join(f"{c.family.name}_asks({c.number})" for c in cells_of(mode, carrier))


def run(function: str) -> str:
    """A statement: call a function of the application."""
    return f"    CARILLON_RUN({function});"
