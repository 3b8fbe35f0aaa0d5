# SPDX-License-Identifier: Apache-2.0
"""The time services as C: the handlers of their cells.

``carillon_clock_device.h`` says which cell the clock is.
"""

from __future__ import annotations

from carillon.emit import text
from carillon.image import CellImage, Image, OsekImage
from carillon.image.handlers import FRAMED, framed, is_wrapped, serve


def handlers(image: Image, osek: OsekImage) -> list[str]:
    """The handlers that need code of their own."""
    clock, slices = osek.allocation.clock, osek.allocation.slices
    lines: list[str] = []
    if clock is not None:
        lines += ['#include "carillon/time.h"', ""]
        cell = osek.cell(clock.carrier)
        if framed(image):
            function = f"{clock.carrier.source}, {FRAMED}, carillon_clock_queue.head.time"
            counted = f"CARILLON_COUNTED_TICK_FRAME({function}, carillon_time_ticks)"
            lines += [f"/* {_comment(cell)} */", counted if clock.services.now else f"CARILLON_TICK_FRAME({function})", ""]
        elif is_wrapped(clock):
            lines += _handler("carillon_clock_vector", cell, f"{serve(clock)}();")
    if slices is not None:
        cell = osek.cell(slices)
        if osek.allocation.software:
            return [*lines, *_handler("carillon_slice_timer", cell, "carillon_slice_over(NULL);")]
        lines += [] if image.microcode is None else ['#include "kernel/microcode/tasks.h"', ""]
        over = "carillon_slice_over" if image.microcode is None else "carillon_microcode_tick"
        below = [f"carillon_slice_over_below({level}u);" for level in list(osek.allocation.turns)[1:]]
        lines += _handler("carillon_slice_vector", cell, *below, f"{over}(frame);", parameters="const void *frame")
    return lines


def _comment(cell: CellImage) -> str:
    return f"{cell.use.cell.name}: {cell.carrier.demand.name} ({text.place(cell.carrier.demand.span)})."


def _handler(name: str, cell: CellImage, *calls: str, parameters: str = "void") -> list[str]:
    body = [*text.acknowledging(cell), *(f"    {call}" for call in calls)]
    return [*text.function(name, body, _comment(cell), parameters), ""]


def emit(image: Image) -> dict[str, str]:
    """``carillon_clock_device.h`` of a clock that is not periodic."""
    file = "carillon_clock_device.h"
    if image.osek is None or image.osek.allocation.clock is None or not image.switches[file]:
        return {}
    cell = image.osek.cell(image.osek.allocation.clock.carrier)
    lines = ["", *text.switches(image, file), "", f'#include "cells/{cell.family.name}/clock.h"']
    return {file: text.header(image, f"The clock is {cell.use.cell.name}.", "CARILLON_CLOCK_DEVICE_H", lines)}
