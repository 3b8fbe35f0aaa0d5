# SPDX-License-Identifier: Apache-2.0
"""``carillon_objects.h``: the names of the application's objects.

The name of an object is a macro, so that an object may have the name of a function of POSIX (``read``, ``index``),
which the C library's headers declare.  An application's own macro may hand the name to TASK or ISR, which paste it;
the preprocessor replaces the name before that.  So the macro of a task or an ISR is an identifier, and what is pasted
from that identifier is defined, too.
"""

from __future__ import annotations

from carillon import c_names
from carillon.emit import text
from carillon.image import Image
from carillon.model.osek import CounterKind

_PASTED_BY_TASK = (c_names.TASK, "carillon_does_", "carillon_at_")
"""What TASK and THREAD put before a name (``kernel/api/carillon/osek.h``, ``time.h``)."""

_PASTED_BY_ISR = (c_names.ISR, "carillon_isr_of_", "CARILLON_ISR_CATEGORY_", "CARILLON_ISR_FRAME_")
"""What ISR puts before a name (``kernel/api/carillon/osek.h``)."""


def objects(image: Image) -> str:
    """The names of the application's objects, which the kernel does not see."""
    assert image.osek is not None
    allocation = image.osek.allocation
    model = allocation.osek
    lines = _numbers("Application modes.", "AppModeType", list(model.modes))
    if "OSDEFAULTAPPMODE" not in model.modes:
        lines.append("#define OSDEFAULTAPPMODE ((AppModeType)0u)")
    lines += _identifiers("Tasks.", "TaskType", [t.name for t in model.tasks], _PASTED_BY_TASK)
    lines += _identifiers("ISRs.", "ISRType", [i.name for i in model.isrs], _PASTED_BY_ISR)
    lines += _numbers("Resources.", "ResourceType", allocation.named_resources)
    lines += _numbers("Mutexes.", "carillon_mutex", [mutex.name for mutex in model.mutexes])
    lines += _numbers("Servers.", "carillon_server", [server.name for server in model.servers])
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
    return text.header(image, "The objects of the event-triggered system.", "CARILLON_OBJECTS_H", lines)


def _numbers(title: str, kind: str, names: list[str]) -> list[str]:
    if not names:
        return []
    return ["", f"/* {title} */", *(f"#define {name} (({kind}){number}u)" for number, name in enumerate(names))]


def _identifiers(title: str, kind: str, names: list[str], prefixes: tuple[str, ...]) -> list[str]:
    """The lines that define ``names`` as identifiers, also where one of ``prefixes`` is pasted before the identifier.

    They are constants of ``kind``; in C, where a variable is no constant expression, of an enumeration.
    """
    if not names:
        return []
    lines = ["", f"/* {title} */", "#ifdef __cplusplus"]
    lines += [f"static const {kind} carillon_object_{name} = {number};" for number, name in enumerate(names)]
    lines += ["#else"]
    lines += [f"enum {{ carillon_object_{name} = {number} }};" for number, name in enumerate(names)]
    lines += ["#endif"]
    for name in names:
        lines += [f"#define {name} carillon_object_{name}"]
        lines += [f"#define {prefix}carillon_object_{name} {prefix}{name}" for prefix in prefixes]
    return lines
