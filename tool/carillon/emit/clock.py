# SPDX-License-Identifier: Apache-2.0
"""The time services as C: macros of ``carillon_config.h``, and the handlers of their cells.

``carillon_clock_device.h`` says which cell the clock is.
"""

from __future__ import annotations

from carillon.allocate.osek import OsekAllocation
from carillon.emit import text
from carillon.emit.image import CellImage, Image, OsekImage
from carillon.model.time import ClockKind

KINDS = {ClockKind.PERIODIC: "CARILLON_CLOCK_TICK", ClockKind.ONE_SHOT: "CARILLON_CLOCK_ONE_SHOT"}
KINDS |= {ClockKind.COMPARE: "CARILLON_CLOCK_COMPARE"}


def configuration(image: Image) -> dict[str, object]:
    """The macros of the clock; none if there are no time services."""
    if image.osek is None or image.osek.allocation.clock is None:
        return {}
    clock = image.osek.allocation.clock
    services, driver = clock.services, clock.driver
    periodic = services.clock is ClockKind.PERIODIC
    hertz = image.system.clock_hz / clock.tick
    return {
        "CARILLON_CLOCK": KINDS[services.clock],
        "CARILLON_CLOCK_BITS": services.bits if periodic else driver.bits,
        "CARILLON_CLOCK_MINIMUM": f"{driver.minimum}u",
        "CARILLON_CLOCK_LATEST": f"{clock.latest}u",
        "CARILLON_CLOCK_FARTHEST": f"{clock.longest}u" if clock.longest is not None else "CARILLON_LAP",
        # A periodic clock's time is the number of its ticks, which its handler counts apart.
        "CARILLON_CLOCK_KEEPS_TIME": int(services.now and not periodic),
        "CARILLON_TIME_NOW": int(services.now),
        "CARILLON_TIME_COUNTS": int(services.now and periodic),
        "CARILLON_CLOCK_REQUESTS": int(driver.requests),
        "CARILLON_CLOCK_NESTS": 0,  # handlers of alarms never unlock
        "CARILLON_CLOCK_RESTARTS": int(driver.restarts),
        "CARILLON_CLOCK_COST": f"{driver.cost}u",
        "CARILLON_TIME_FAR": int(clock.longest is None),
        "CARILLON_TIME_HZ": f"{hertz.numerator}u",
        "CARILLON_TIME_HZ_DIVISOR": f"{hertz.denominator}u",
    }


def vectors(allocation: OsekAllocation) -> dict[int, str]:
    """Source -> C function, of the cells of the time services."""
    names: dict[int, str] = {}
    if allocation.clock is not None:
        names[allocation.clock.carrier.source] = "carillon_clock_vector" if _wrapped(allocation) else _serve(allocation)
    if allocation.slices is not None:
        names[allocation.slices.source] = "carillon_port_slice_vector"
    return names


def _wrapped(allocation: OsekAllocation) -> bool:
    """Whether the clock's handler is more than the kernel's function: it acknowledges, or has to lock."""
    assert allocation.clock is not None
    periodic = allocation.clock.services.clock is ClockKind.PERIODIC
    return allocation.software or (periodic and allocation.clock.carrier.cells[0].cell.array.acknowledge)


def _serve(allocation: OsekAllocation) -> str:
    """The kernel's function that serves the clock; others acknowledge by themselves (``cells/*/clock.h``)."""
    assert allocation.clock is not None
    return "carillon_time_tick" if allocation.clock.services.clock is ClockKind.PERIODIC else "carillon_clock_interrupt"


def handlers(osek: OsekImage) -> list[str]:
    """The handlers that need code of their own."""
    allocation = osek.allocation
    lines: list[str] = []
    if allocation.clock is not None:
        lines += ['#include "carillon/time.h"', ""]
        if _wrapped(allocation):
            cell = osek.cell(allocation.clock.carrier)
            periodic = allocation.clock.services.clock is ClockKind.PERIODIC
            serve = [f"{_serve(allocation)}();"]
            if allocation.software:  # with hardware dispatch, its level keeps out everything else that uses the clock
                serve = ["const uint32_t saved = carillon_osek_lock();", *serve, "carillon_osek_unlock(saved);"]
            lines += _handler("carillon_clock_vector", cell, _acknowledge(cell) if periodic else [], serve)
    if allocation.slices is not None:
        cell = osek.cell(allocation.slices)
        lines += _handler("carillon_slice_vector", cell, _acknowledge(cell), ["carillon_slice_over(frame);"], "const void *frame")
    return lines


def _acknowledge(cell: CellImage) -> list[str]:
    return [f"    {cell.family.name}_acknowledge({cell.number});"] if cell.use.cell.array.acknowledge else []


def _handler(name: str, cell: CellImage, first: list[str], then: list[str], parameters: str = "void") -> list[str]:
    return [
        f"/* {cell.use.cell.name}: {cell.carrier.demand.object} ({text.place(cell.carrier.demand.span)}). */",
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
