# SPDX-License-Identifier: Apache-2.0
"""``carillon_objects.h``: the names of the application's objects."""

from __future__ import annotations

from carillon.emit import text
from carillon.image import Image
from carillon.model.osek import (
    CounterKind,
)


def objects(image: Image) -> str:
    """The names of the application's objects, which the kernel does not see."""
    assert image.osek is not None
    allocation = image.osek.allocation
    model = allocation.osek
    lines = [text.head(image, "The objects of the event-triggered system."), "#ifndef CARILLON_OBJECTS_H"]
    lines += ["#define CARILLON_OBJECTS_H"]
    lines += _numbers("Application modes.", "AppModeType", list(model.modes))
    if "OSDEFAULTAPPMODE" not in model.modes:
        lines.append("#define OSDEFAULTAPPMODE ((AppModeType)0u)")
    lines += _numbers("Tasks.", "TaskType", [t.name for t in model.tasks])
    lines += _numbers("ISRs.", "ISRType", [i.name for i in model.isrs])
    lines += _numbers("Resources.", "ResourceType", allocation.named_resources)
    if model.events:
        lines += ["", "/* Events. */"]
        lines += [f"#define {e.name} ((EventMaskType){e.mask:#x}u)" for e in model.events]
    lines += _numbers("Counters.", "CounterType", [c.name for c in model.counters])
    hardware = next((c.name for c in model.counters if c.kind is CounterKind.HARDWARE), None)
    for c in model.counters:
        constants = {"OSMAXALLOWEDVALUE": c.max_allowed, "OSTICKSPERBASE": c.ticks_per_base, "OSMINCYCLE": c.min_cycle}
        if c.kind is CounterKind.HARDWARE:
            constants["OSTICKDURATION"] = c.tick * 1_000_000_000 // image.system.clock_hz
        lines += [f"#define {name}_{c.name} {value}u" for name, value in constants.items()]
        if c.name == hardware:
            lines += [f"#define {name} {name}_{c.name}" for name in constants]
    lines += _numbers("Alarms.", "AlarmType", [a.name for a in model.alarms])
    lines += _numbers("Schedule tables.", "ScheduleTableType", [t.name for t in model.schedule_tables])
    return "\n".join([*lines, "", "#endif", ""])


def _numbers(title: str, kind: str, names: list[str]) -> list[str]:
    if not names:
        return []
    return ["", f"/* {title} */", *(f"#define {name} (({kind}){number}u)" for number, name in enumerate(names))]
