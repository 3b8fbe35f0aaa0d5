# SPDX-License-Identifier: Apache-2.0
"""Time frames: ``carillon_frame.h``, the table of frames, and the handler of their cell (``kernel/osek/frame.h``)."""

from __future__ import annotations

from carillon.emit import text
from carillon.emit.osek.alarms import paused
from carillon.image import Image, OsekImage
from carillon.model.osek import Isr, OsekTask


def device(image: Image) -> dict[str, str]:
    """The generated header; none if there are no frames."""
    osek = image.osek
    if osek is None or osek.allocation.frames is None:
        return {}
    cell = osek.cell(osek.allocation.frames)
    values = {"COUNTER": f"({text.macro(cell, 'COUNTER', cell.number)})", "SOURCE": f"{cell.carrier.source}u"}
    values["TURN"] = f"UINT32_C({cell.period})"
    return text.device(image, "FRAME", cell.family.name, f"The cell of time frames is {cell.use.cell.name}.", values)


def places(osek: OsekImage) -> list[str]:
    """What the vector of each ISR asks with: the place of its frame in the table and 1, or 0 if it has none."""
    model = osek.allocation.osek
    first = len(model.tasks) + 1
    return [f"#define CARILLON_ISR_FRAME_{isr.name} {first + k if isr.time_frame else 0}u" for k, isr in enumerate(model.isrs)]


def table(osek: OsekImage) -> list[str]:
    """The table of frames, and the handler of their cell."""
    allocation = osek.allocation
    if allocation.frames is None:
        return []
    cell = osek.cell(allocation.frames)
    every: list[OsekTask | Isr] = [*allocation.osek.tasks, *allocation.osek.isrs]
    rows = [f"{cell.use.units(it.time_frame) if it.time_frame else 0}u, /* {it.name}, {text.place(it.span)} */" for it in every]
    lines = text.table("const uint32_t carillon_osek_frames[]", rows)
    does = [*text.acknowledging(cell), *paused(allocation.budgets is not None, ["    carillon_frame_turns();"])]
    title = f"{cell.use.cell.name}: turns of the cell of time frames."
    return [*lines, *text.function("carillon_frame_vector", does, title), ""]
