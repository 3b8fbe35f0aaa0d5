# SPDX-License-Identifier: Apache-2.0
"""The event-triggered system as C.

``carillon_osek.h`` is what the application sees, ``osek.c`` has tables, stacks and the handlers that need code, and
``osek.ld`` says which function is the vector of a direct task.
"""

from __future__ import annotations

from carillon import c_names
from carillon.emit import text
from carillon.emit.osek.alarms import alarms
from carillon.emit.osek.budgets import budgets, frames
from carillon.emit.osek.handlers import handlers
from carillon.emit.osek.hardware import contexts, hardware
from carillon.emit.osek.header import header
from carillon.emit.osek.linker import linker_script
from carillon.emit.osek.objects import objects
from carillon.emit.osek.schedule_tables import schedule_tables, tables_on_cells
from carillon.emit.osek.tasks import foreign, levels, new_threads, resources, servers, tasks, thread_times
from carillon.image import Image


def emit(image: Image) -> dict[str, str]:
    """The generated files of the event-triggered system: name -> text."""
    return {
        "carillon_osek.h": header(image),
        "carillon_objects.h": objects(image),
        "osek.c": _source(image),
        "osek.ld": linker_script(image),
    }


def _source(image: Image) -> str:
    osek = image.osek
    assert osek is not None
    allocation = osek.allocation
    model = allocation.osek
    lines = [text.head(image, "Tables and handlers of the event-triggered system."), '#include "kernel/run/kernel.h"', ""]
    lines += [f'#include "cells/{family}/cell.h"' for family in sorted({c.family.name for c in (*osek.cells, *osek.stopped)})]
    called = {it.header for it in osek.handlers if it.header}
    called |= {"carillon/time.h"} if osek.tick_frame is not None or any(t.new for t in model.tasks) else set()
    called |= {"kernel/rtos/rtos.h"} if allocation.clock is not None and allocation.clock.services.heap else set()
    lines += [f'#include "{name}"' for name in sorted(called)]
    lines += ["", "/* Functions of the application. */"]
    lines += [f"void {c_names.task(t.name)}(void);" for t in model.tasks]
    lines += [f"void {c_names.isr(i.name)}(void);" for i in model.isrs]
    callbacks = dict.fromkeys(one.object for a in model.alarms for one in a.action.each if one.subject == "function")
    lines += [f"void {c_names.callback(c)}(void);" for c in callbacks]
    lines += [
        "",
        *tasks(image.system.board, osek),
        *new_threads(osek),
        *foreign(osek),
        *levels(image.system, osek),
        *resources(allocation),
    ]
    lines += [*servers(allocation), *thread_times(allocation), *alarms(osek)]
    lines += [*schedule_tables(allocation), *tables_on_cells(osek), *handlers(osek), *budgets(osek), *frames(osek)]
    return "\n".join([*lines, *contexts(image.system.board, osek), *hardware(image, osek)])
