# SPDX-License-Identifier: Apache-2.0
"""The event-triggered system as C.

``carillon_osek.h`` is what the application sees, ``osek.c`` has tables, stacks and the handlers that need code, and
``osek.ld`` says which function is the vector of a direct task.
"""

from __future__ import annotations

from carillon.allocate.osek import TaskKind, TaskLevel
from carillon.emit import clock, text
from carillon.emit.osek import budgets, frames
from carillon.emit.osek.alarms import alarms
from carillon.emit.osek.common import alarm_name, part_name, point_name
from carillon.emit.osek.hardware import contexts, hardware
from carillon.emit.osek.header import header
from carillon.emit.osek.linker import linker_script
from carillon.emit.osek.objects import objects
from carillon.emit.osek.schedule_tables import schedule_tables, tables_on_cells
from carillon.emit.osek.tasks import levels, resources, tasks
from carillon.image import Image, Vector


def emit(image: Image) -> dict[str, str]:
    """The generated files of the event-triggered system: name -> text."""
    return {
        "carillon_osek.h": header(image),
        "carillon_objects.h": objects(image),
        "osek.c": _source(image),
        "osek.ld": linker_script(image),
        **budgets.device(image),
        **frames.device(image),
    }


def vectors(image: Image) -> dict[int, str]:
    """Source -> C function, of everything event-triggered."""
    osek = image.osek
    if osek is None:
        return {}
    allocation = osek.allocation
    names = {isr.source: f"carillon_isr_{isr.name}" for isr, _ in allocation.isrs}
    names |= {c.carrier.source: part_name(allocation, c) for c in allocation.counters}
    names |= {a.carrier.source: alarm_name(allocation, a) for a in allocation.alarms if not a.direct}
    names |= {c.carrier.source: point_name(c) for c in allocation.handled}
    names |= clock.vectors(image, allocation)
    if allocation.budgets is not None:
        names[allocation.budgets.source] = "carillon_port_budget_vector"
    if allocation.frames is not None:
        names[allocation.frames.source] = "carillon_frame_vector"
    if allocation.software:
        names |= {allocation.dispatcher: "carillon_software_dispatch"} if allocation.dispatcher else {}
    else:
        names |= {level.source: _handler(level) for level in allocation.levels}
    return names


def table(image: Image) -> tuple[Vector, ...]:
    """What the sources of everything event-triggered are for."""
    if image.osek is None:
        return ()
    allocation = image.osek.allocation
    serves = {isr.source: (isr.name, f"carillon_isr_{isr.name}") for isr, _ in allocation.isrs}
    serves |= {c.source: (c.demand.name, "") for c in allocation.carriers}
    serves |= {source: (" and ".join(a.alarm.name for a in own), "") for source, own in allocation.joined.items()}
    serves |= {c.carrier.source: (c.carrier.demand.name, "") for c in allocation.handled}
    serves |= dict.fromkeys(allocation.turns.values(), ("slices", ""))
    for level in (x for x in allocation.levels if x.source):
        name = level.tasks[0].name
        serves[level.source] = (name, f"carillon_task_{name}" if level.kind is TaskKind.DIRECT else "")
    if allocation.software:
        serves[allocation.dispatcher] = ("dispatcher", "")
    return tuple(Vector(source, symbol, serves[source][0], None, serves[source][1]) for source, symbol in vectors(image).items())


def _handler(level: TaskLevel) -> str:
    if level.kind is TaskKind.DIRECT:
        return f"carillon_vector_{level.tasks[0].name}"
    return f"carillon_level_{level.number}"


def _source(image: Image) -> str:
    osek = image.osek
    assert osek is not None
    allocation = osek.allocation
    model = allocation.osek
    contract = "counter.h" if allocation.counters else "kernel.h"
    lines = [text.head(image, "Tables and handlers of the event-triggered system."), f'#include "kernel/osek/{contract}"', ""]
    lines += [f'#include "cells/{family}/cell.h"' for family in sorted({c.family.name for c in (*osek.cells, *osek.stopped)})]
    lines += ["", "/* Functions of the application. */"]
    lines += [f"void carillon_task_{t.name}(void);" for t in model.tasks]
    lines += [f"void carillon_isr_{i.name}(void);" for i in model.isrs]
    callbacks = dict.fromkeys(a.action.object for a in model.alarms if a.action.subject == "function")
    lines += [f"void carillon_callback_{c}(void);" for c in callbacks]
    lines += ["", *tasks(image, allocation), *levels(image, allocation)]
    lines += resources(allocation)
    lines += alarms(osek)
    lines += schedule_tables(allocation)
    lines += tables_on_cells(osek)
    lines += clock.handlers(image, osek)
    lines += budgets.table(osek)
    lines += budgets.handler(osek)
    lines += frames.table(osek)
    lines += contexts(image, allocation)
    lines += hardware(image, osek)
    return "\n".join(lines)
