# SPDX-License-Identifier: Apache-2.0
"""The time services as C: macros of ``carillon_config.h``, and the handlers of their cells.

``carillon_clock_device.h`` says which cell the clock is.
"""

from __future__ import annotations

from carillon.emit import text
from carillon.image import CellImage, Image, OsekImage
from carillon.image.handlers import FRAMED, framed, is_wrapped, serve
from carillon.model.osek import Hook
from carillon.model.time import ClockKind, TimedKind

KINDS = {ClockKind.PERIODIC: "CARILLON_CLOCK_TICK", ClockKind.ONE_SHOT: "CARILLON_CLOCK_ONE_SHOT"}
KINDS |= {ClockKind.COMPARE: "CARILLON_CLOCK_COMPARE"}


def configuration(image: Image) -> dict[str, object]:
    """The macros of the clock; none if there are no time services."""
    if image.osek is None or image.osek.allocation.clock is None:
        return {}
    clock = image.osek.allocation.clock
    services, driver = clock.services, clock.driver
    periodic = services.clock is ClockKind.PERIODIC
    counted = periodic and not clock.based
    kind = ClockKind.COMPARE if driver.free else services.clock
    hertz = image.system.clock_hz / clock.tick
    return {
        "CARILLON_CLOCK": KINDS[kind],
        "CARILLON_CLOCK_BITS": services.bits if periodic else driver.bits,
        "CARILLON_CLOCK_MINIMUM": f"{driver.minimum}u",
        "CARILLON_CLOCK_LATEST": f"{clock.latest}u",
        "CARILLON_CLOCK_FARTHEST": f"{clock.longest}u" if clock.longest is not None else "CARILLON_LAP",
        # A periodic clock's time is the number of its ticks, which its handler counts apart if no time base does.
        "CARILLON_CLOCK_KEEPS_TIME": int(services.now and not counted),
        "CARILLON_TIME_NOW": int(services.now),
        "CARILLON_TIME_COUNTS": int(services.now and counted),
        "CARILLON_CLOCK_REQUESTS": int(driver.requests),
        "CARILLON_CLOCK_NESTS": 0,  # handlers of alarms never unlock
        # Functions may, and what gives a semaphore a unit takes the time-out of a task that waits for one out of the queue.
        "CARILLON_CLOCK_CALLED": int(
            TimedKind.FUNCTION in services.uses or {TimedKind.SEMAPHORE, TimedKind.TIMEOUT} <= services.uses
        ),
        "CARILLON_CLOCK_HOOKED": int(Hook.STARTUP in image.osek.allocation.osek.hooks or image.system.cplusplus),
        "CARILLON_CLOCK_RESTARTS": int(driver.restarts),
        "CARILLON_CLOCK_COST": f"{driver.cost}u",
        "CARILLON_CLOCK_BEHIND": f"{clock.behind(image.system)}u",
        "CARILLON_TIME_FAR": int(clock.longest is None),
        **{f"CARILLON_TIME_{kind.name}S": int(kind in services.uses) for kind in TimedKind},
        "CARILLON_TIME_HZ": f"{hertz.numerator}u",
        "CARILLON_TIME_HZ_DIVISOR": f"{hertz.denominator}u",
        **({"CARILLON_CLOCK_UNITS": f"{clock.base_units}u"} if clock.based else {}),
    }


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
            lines += [_comment(cell), counted if clock.services.now else f"CARILLON_TICK_FRAME({function})", ""]
        elif is_wrapped(clock):
            lines += _handler("carillon_clock_vector", cell, _acknowledge(cell), [f"{serve(clock)}();"])
    if slices is not None:
        cell = osek.cell(slices)
        if osek.allocation.software:
            return [*lines, *_handler("carillon_slice_timer", cell, _acknowledge(cell), ["carillon_slice_over(NULL);"])]
        lines += [] if image.microcode is None else ['#include "kernel/microcode/tasks.h"', ""]
        over = "carillon_slice_over" if image.microcode is None else "carillon_microcode_tick"
        below = [f"carillon_slice_over_below({level}u);" for level in list(osek.allocation.turns)[1:]]
        lines += _handler("carillon_slice_vector", cell, _acknowledge(cell), [*below, f"{over}(frame);"], "const void *frame")
    return lines


def _comment(cell: CellImage) -> str:
    return f"/* {cell.use.cell.name}: {cell.carrier.demand.name} ({text.place(cell.carrier.demand.span)}). */"


def _acknowledge(cell: CellImage) -> list[str]:
    return [f"    {cell.family.name}_acknowledge({cell.number});"] if cell.use.cell.array.acknowledge else []


def _handler(name: str, cell: CellImage, first: list[str], then: list[str], parameters: str = "void") -> list[str]:
    return [
        _comment(cell),
        f"void {name}({parameters});",
        f"void {name}({parameters})",
        "{",
        *first,
        *(f"    {line}" for line in then),
        "}",
        "",
    ]


def emit(image: Image) -> dict[str, str]:
    """``carillon_clock_device.h`` of a clock that is not periodic."""
    if image.osek is None or image.osek.allocation.clock is None:
        return {}
    clock = image.osek.allocation.clock
    if clock.services.clock is ClockKind.PERIODIC:
        return {}
    cell = image.osek.cell(clock.carrier)
    lines = [text.head(image, f"The clock is {cell.use.cell.name}."), "#ifndef CARILLON_CLOCK_DEVICE_H"]
    lines += ["#define CARILLON_CLOCK_DEVICE_H", ""]
    lines += [f"#define CARILLON_CLOCK_CELL {cell.number}u", f"#define CARILLON_CLOCK_SOURCE {clock.carrier.source}u"]
    # Interrupts that the kernel's lock does not keep out may come within an operation of the device.
    exposed = bool(image.modes) or any(isr.category == 1 for isr, _ in image.osek.allocation.isrs)
    lines += [f"#define CARILLON_CLOCK_EXPOSED {int(exposed)}", ""]
    lines += [f'#include "cells/{cell.family.name}/clock.h"', "", "#endif", ""]
    return {"carillon_clock_device.h": "\n".join(lines)}
