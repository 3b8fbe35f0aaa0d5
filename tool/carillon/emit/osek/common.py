# SPDX-License-Identifier: Apache-2.0
"""What the files of the event-triggered system share."""

from __future__ import annotations

from carillon.image import CellImage


def mode_mask(model_modes: tuple[str, ...], modes: tuple[str, ...]) -> str:
    """The bits of some application modes."""
    return f"{sum(1 << model_modes.index(m) for m in modes):#x}u"


def acknowledging(cell: CellImage) -> list[str]:
    """The statement that takes back what a cell goes on asking for, if it does."""
    return [f"    {cell.family.name}_acknowledge({cell.number});"] if cell.use.cell.array.acknowledge else []
