# SPDX-License-Identifier: Apache-2.0
"""The event-triggered system as C.

``carillon_osek.h`` is what the application sees, ``osek.c`` has tables, stacks and the handlers that need code, and
``osek.ld`` says which function is the vector of a direct task.
"""

from __future__ import annotations

from carillon.allocate.osek import AlarmCell, OsekAllocation, TaskKind, TaskLevel
from carillon.emit import base, clock, text
from carillon.image import CellImage, Image, OsekImage, Vector
from carillon.image.levels import controlled, osek_levels
from carillon.model.osek import (
    ActivateTask,
    Alarm,
    Callback,
    CounterKind,
    Hook,
    IncrementCounter,
    SetEvent,
    Status,
)

GUARD_WORDS = 4
"""Words of eight bytes below a stack that is checked (``CARILLON_OSEK_GUARD``): an overflow into them is found."""

NO_CELL = 0xFFFF


def emit(image: Image) -> dict[str, str]:
    """The generated files of the event-triggered system: name -> text."""
    return {
        "carillon_osek.h": _header(image),
        "carillon_objects.h": _objects(image),
        "osek.c": _source(image),
        "osek.ld": _linker_script(image),
    }


def vectors(image: Image) -> dict[int, str]:
    """Source -> C function, of everything event-triggered."""
    osek = image.osek
    if osek is None:
        return {}
    allocation = osek.allocation
    names = {isr.source: f"carillon_isr_{isr.name}" for isr, _ in allocation.isrs}
    names |= {c.carrier.source: f"carillon_counter_{c.counter.name}" for c in allocation.counters}
    names |= {a.carrier.source: f"carillon_alarm_{a.alarm.name}" for a in allocation.alarms if not a.direct}
    names |= clock.vectors(image, allocation)
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
    serves |= {c.source: (c.demand.object, "") for c in allocation.carriers}
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


def _any_of(value: str, numbers: list[int]) -> str:
    """A C expression: whether a value is one of some."""
    return f"({' || '.join(f'(({value}) == {n}u)' for n in numbers) or '0'})"


def _flag(condition: object) -> int:
    return int(bool(condition))


def _header(image: Image) -> str:
    osek = image.osek
    assert osek is not None
    allocation = osek.allocation
    model = allocation.osek
    task_hooks = model.hooks & {Hook.PRETASK, Hook.POSTTASK}
    extended = model.status is Status.EXTENDED
    n = len(allocation.levels)
    values: dict[str, object] = {
        "TASKS": f"{len(model.tasks)}u",
        "TASK_LEVELS": f"{n}u",
        "MODES": f"{len(model.modes)}u",
        "RESOURCES": f"{len(allocation.named_resources)}u",
        "COUNTERS": f"{len(model.counters)}u",
        "IS_HARDWARE(counter)": _any_of("counter", [n for n, c in enumerate(model.counters) if c.kind is CounterKind.HARDWARE]),
        "ALARMS": f"{len(model.alarms)}u",
        "CELLS": _flag(allocation.alarms),
        "LEVEL_CELLS": _flag(any(a.level for a in allocation.alarms)),
        "HAS_CELLS(level)": _any_of("level", sorted({a.level for a in allocation.alarms if a.level})),
        "EXTENDED": _flag(extended),
        "SOFTWARE": _flag(allocation.software),
        "DISPATCHER": f"{allocation.dispatcher}u",
        "TOP": f"{max(1, allocation.hardware(allocation.top))}u",
        "ALL": f"{max(1, allocation.hardware(allocation.all))}u",
        "PORT_LEVEL(level)": (f"((level)-{n - 1}u)" if n else "((level)+1u)") if allocation.software else "(level)",
        "DIRECT": _flag(allocation.direct),
        "MANAGED": _flag(any(x.kind is TaskKind.MANAGED for x in allocation.levels)),
        "BASIC": _flag(any(x.kind is TaskKind.MANAGED and not t.extended for x in allocation.levels for t in x.tasks)),
        "QUEUED": _flag(any(x.capacity for x in allocation.levels)),
        "MATES": _flag(image.allocation.mates),
        "EVENTS": _flag(any(t.extended for t in model.tasks)),
        "INTERNAL": _flag(any(allocation.running_level(t) > allocation.level_of(t).number for t in model.tasks)),
        "AUTOSTART": _flag(any(t.autostart for t in model.tasks)),
        "STARTUP_HOOK": _flag(Hook.STARTUP in model.hooks),
        "SHUTDOWN_HOOK": _flag(Hook.SHUTDOWN in model.hooks),
        "ERROR_HOOK": _flag(Hook.ERROR in model.hooks),
        "PRETASK_HOOK": _flag(Hook.PRETASK in model.hooks),
        "POSTTASK_HOOK": _flag(Hook.POSTTASK in model.hooks),
        "TASK_HOOKS": _flag(task_hooks),
        "MISSING_END": _flag(extended or Hook.ERROR in model.hooks),
        "SERVICE_ID": _flag(model.service_id),
        "PARAMETER_ACCESS": _flag(model.parameter_access),
        "STACK_CHECK": _flag(model.stack_check),
        "GUARD": f"{GUARD_WORDS}u",
        "FAR": _flag(allocation.queue is not None and allocation.queue.far_alarms),
        "TIME": _flag(allocation.clock),
        "SLICES": _flag(allocation.slices),
    }
    lines = [text.head(image, "What the application sees of its event-triggered system."), "#ifndef CARILLON_OSEK_GENERATED_H"]
    lines += ["#define CARILLON_OSEK_GENERATED_H", ""]
    lines += [f"#define CARILLON_OSEK_{name} {value}" for name, value in values.items()]
    default = model.modes.index("OSDEFAULTAPPMODE") if "OSDEFAULTAPPMODE" in model.modes else 0
    lines.append(f"#define CARILLON_OSEK_DEFAULT_MODE ((AppModeType){default}u)")
    if model.isrs:
        lines += ["", "/* Interrupt sources of ISRs. */"]
        lines += [f"#define CARILLON_ISR_SOURCE_{isr.name} {isr.source}u" for isr in model.isrs]
    lines += ["", "/* The type of a task's place: its size tells its level (CARILLON_CALLER_LEVEL). */"]
    for task in model.tasks:
        lines += [f"struct carillon_at_{task.name} {{", f"    char carillon_level[{allocation.level_of(task).number + 1}];", "};"]
    lines += _folded(allocation)
    lines += _served(allocation)
    lines += ["", "#endif", ""]
    return "\n".join(lines)


def _level_cells(allocation: OsekAllocation) -> dict[int, list[AlarmCell]]:
    """By level, the alarms whose cells have it."""
    found: dict[int, list[AlarmCell]] = {}
    for alarm_cell in allocation.alarms:
        if alarm_cell.level:
            found.setdefault(alarm_cell.level, []).append(alarm_cell)
    return dict(sorted(found.items()))


def _served(allocation: OsekAllocation) -> list[str]:
    """What serves the cells of a level, which the compiler folds for a level that it knows."""
    cells = _level_cells(allocation)
    if not cells:
        return []
    lines = ["", "/* Serve the alarms on cells that have a level and have expired; locked. */"]
    lines += ["void carillon_osek_call_cells(carillon_vector cells);"]
    lines += [f"void carillon_cells_{level}(void);" for level in cells]
    lines += ["static inline __attribute__((always_inline, unused)) void carillon_serve_known_cells(uint8_t level)", "{"]
    lines += ["    switch (level) {"]
    for level, alarm_cells in cells.items():
        pending = " || ".join(f"carillon_port_is_pending({a.carrier.source}u)" for a in alarm_cells)
        lines += [f"    case {level}u:", f"        if ({pending}) {{"]
        lines += [f"            carillon_osek_call_cells(carillon_cells_{level});", "        }", "        break;"]
    return [*lines, "    default:", "        break;", "    }", "}"]


def _objects(image: Image) -> str:
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
    return "\n".join([*lines, "", "#endif", ""])


def _numbers(title: str, kind: str, names: list[str]) -> list[str]:
    if not names:
        return []
    return ["", f"/* {title} */", *(f"#define {name} (({kind}){number}u)" for number, name in enumerate(names))]


def _folded(allocation: OsekAllocation) -> list[str]:
    """Constants that the compiler folds where a service is called with a constant."""
    lines: list[str] = []
    model = allocation.osek
    unused = "__attribute__((unused))"
    if not allocation.software and model.tasks:
        by_task = [allocation.level_of(t) for t in model.tasks]
        sources = [str(x.source if x.kind is TaskKind.DIRECT else 0) for x in by_task]
        ends = ["0"] + [
            str((NO_CELL if x.cell is None or _acknowledges(x) else x.cell.source) if x.kind is TaskKind.DIRECT else 0)
            for x in allocation.levels
        ]
        known = [str(int(not x.capacity)) for x in by_task]
        lines += [
            "",
            "/* What services need of a task that they are called with: whether one activation at most waits; its level; of",
            " * a direct task its source, 0 if it is managed; and by level, the source that a direct task's end takes a",
            " * request back from. */",
            f"#define CARILLON_DIRECT_NO_CELL {NO_CELL}u",
            f"static const uint8_t carillon_known_tasks[] {unused} = {{{', '.join(known)}}};",
            f"static const uint8_t carillon_known_levels[] {unused} = {{{', '.join(str(x.number) for x in by_task)}}};",
            f"static const uint16_t carillon_direct_sources[] {unused} = {{{', '.join(sources)}}};",
            f"static const uint16_t carillon_direct_ends[] {unused} = {{{', '.join(ends)}}};",
            f"static const struct carillon_store carillon_known_requests[] {unused} = {{",
            *(f"    CARILLON_STORE_PEND({x.source})," for x in by_task),
            "};",
        ]
        if any(t.extended for t in model.tasks):
            lines += [f"extern struct carillon_osek_extended carillon_extended_{t.name};" for t in model.tasks if t.extended]
            lines += [f"static struct carillon_osek_extended *const carillon_known_extended[] {unused} = {{"]
            lines += [f"    {f'&carillon_extended_{t.name}' if t.extended else 'NULL'}," for t in model.tasks]
            alone = [x.tasks[0] if x.tasks[0].extended and not x.capacity else None for x in allocation.levels]
            lines += ["};", "/* By level: its task, if that is extended and alone there. */"]
            lines += [f"static struct carillon_osek_extended *const carillon_extended_callers[] {unused} = {{", "    NULL,"]
            lines += [f"    {f'&carillon_extended_{t.name}' if t is not None else 'NULL'}," for t in alone]
            lines += ["};"]
    if allocation.named_resources:
        values = ", ".join(str(allocation.ceilings[r]) for r in allocation.named_resources)
        lines += [
            "",
            "/* The ceiling of each resource. */",
            f"static const uint8_t carillon_resource_ceilings[] {unused} = {{{values}}};",
        ]
    return lines


def _source(image: Image) -> str:
    osek = image.osek
    assert osek is not None
    allocation = osek.allocation
    model = allocation.osek
    lines = [text.head(image, "Tables and handlers of the event-triggered system."), '#include "carillon/osek_kernel.h"', ""]
    lines += [f'#include "cells/{family}/cell.h"' for family in sorted({c.family.name for c in osek.cells})]
    lines += ["", "/* Functions of the application. */"]
    lines += [f"void carillon_task_{t.name}(void);" for t in model.tasks]
    lines += [f"void carillon_isr_{i.name}(void);" for i in model.isrs]
    callbacks = dict.fromkeys(a.action.function for a in model.alarms if isinstance(a.action, Callback))
    lines += [f"void carillon_callback_{c}(void);" for c in callbacks]
    lines += ["", *_tasks(image, allocation), *_levels(image, allocation)]
    lines += _resource_tables(allocation)
    lines += _alarm_tables(osek)
    lines += clock.handlers(image, osek)
    lines += _contexts(image, allocation)
    lines += _hardware(image, osek)
    return "\n".join(lines)


def _mask(model_modes: tuple[str, ...], modes: tuple[str, ...]) -> str:
    return f"{sum(1 << model_modes.index(m) for m in modes):#x}u"


def _tasks(image: Image, allocation: OsekAllocation) -> list[str]:
    model = allocation.osek
    lines: list[str] = []
    managed = any(x.kind is TaskKind.MANAGED for x in allocation.levels)
    for task in model.tasks:
        if task.extended:
            words = -(-(task.stack or image.system.board.stack) // 8) + (GUARD_WORDS if model.stack_check else 0)
            lines += [
                f"/* Task {task.name} ({text.place(task.span)}): its stack, its events and where it left off. */",
                f"static uint64_t carillon_stack_{task.name}[{words}];",
                f"struct carillon_osek_extended carillon_extended_{task.name};",
                "",
            ]
    if managed:
        lines += [f"struct carillon_osek_job carillon_osek_jobs[{len(model.tasks)}];", ""]
    if not model.tasks:
        return [*lines, "const struct carillon_osek_task carillon_osek_tasks[1];", ""]
    cells = _level_cells(allocation)
    lines += ["const struct carillon_osek_task carillon_osek_tasks[] = {"]
    for task in model.tasks:
        level = allocation.level_of(task)
        fields = {
            "function": f"carillon_task_{task.name}",
            "autostart": _mask(model.modes, task.autostart),
            "source": level.source,
            "level": level.number,
            "request": f"CARILLON_STORE_PEND({level.source})" if level.source else "{0, 0}",
            "ceiling": allocation.running_level(task),
            "activations": task.activations,
            "direct": int(level.kind is TaskKind.DIRECT),
        }
        if task.thread:
            fields["thread"] = 1
        if level.number in cells:
            fields["cells"] = f"carillon_cells_{level.number}"
        if task.extended:
            fields |= {
                "extended": f"&carillon_extended_{task.name}",
                "stack": f"carillon_stack_{task.name}",
                "stack_words": f"sizeof(carillon_stack_{task.name}) / 8u",
            }
        lines += [f"    {{ /* {task.name}, priority {task.priority}, {text.place(task.span)} */"]
        lines += [f"        .{name} = {value}," for name, value in fields.items()]
        lines += ["    },"]
    return [*lines, "};", ""]


def _levels(image: Image, allocation: OsekAllocation) -> list[str]:
    lines: list[str] = []
    model = allocation.osek
    numbers = {t.name: k for k, t in enumerate(model.tasks)}
    for level in allocation.levels:
        if level.capacity:
            lines += [
                f"static uint8_t carillon_ring_{level.number}[{level.capacity}];",
                f"static struct carillon_osek_ring carillon_ring_state_{level.number};",
            ]
    lines += ["const struct carillon_osek_level carillon_osek_levels[] = {", "    {.task = 0},"]
    for level in allocation.levels:
        fields: dict[str, object] = {"source": level.source, "task": numbers[level.tasks[0].name]}
        if level.source:
            fields["request"] = f"CARILLON_STORE_PEND({level.source})"
        text_fields = [f".{k} = {v}" for k, v in fields.items()]
        if level.capacity:
            text_fields += [
                f".ring = carillon_ring_{level.number}",
                f".state = &carillon_ring_state_{level.number}",
                f".capacity = {level.capacity}",
            ]
        names = ", ".join(t.name for t in level.tasks)
        lines.append(f"    {{{', '.join(text_fields)}}}, /* {level.number}: {names} */")
    lines += ["};", ""]
    for level in allocation.levels:
        names = ", ".join(t.name for t in level.tasks)
        priority = level.tasks[0].priority
        where = f"source {level.source}" if level.source else "software"
        if level.kind is TaskKind.MANAGED:
            apart = (
                " __attribute__((noinline))" if any(a.level == level.number and a.runs_level for a in allocation.alarms) else ""
            )
            lines += [
                f"/* Level {level.number}, priority {priority}: {names} ({where}). */",
                f"void carillon_level_{level.number}(void){apart};",
                f"void carillon_level_{level.number}(void)",
                "{",
                f"    carillon_osek_run({level.number}u);",
                "}",
                "",
            ]
        else:
            lines += _direct_handlers(image, level)
    if allocation.software:
        lines += ["const carillon_vector carillon_software_handlers[] = {", "    NULL,"]
        lines += [f"    carillon_level_{level.number}," for level in allocation.levels]
        lines += ["};", ""]
    return lines


def _acknowledge(cell: CellImage) -> list[str]:
    return [f"    {cell.family.name}_acknowledge({cell.number});"] if cell.use.cell.array.acknowledge else []


def _acknowledges(level: TaskLevel) -> bool:
    return level.cell is not None and level.cell.cells[0].cell.array.acknowledge


def _direct_handlers(image: Image, level: TaskLevel) -> list[str]:
    """Of a direct task: its frame, where somebody ends it from within a function (osek.ld decides)."""
    assert image.osek is not None
    task = level.tasks[0]
    acknowledge = _acknowledge(image.osek.cell(level.cell)) if level.cell is not None else []
    priority = f"level {level.number}, priority {task.priority}, source {level.source}"
    lines = [f"/* Task {task.name} ({priority}, {text.place(task.span)}) is its vector (osek.ld). */"]
    if acknowledge:
        lines += [
            f"void carillon_acknowledged_{task.name}(void);",
            f"void carillon_acknowledged_{task.name}(void)",
            "{",
            *acknowledge,
            f"    carillon_task_{task.name}();",
            *acknowledge,
            f"    carillon_osek_forget_request({level.source});",
            "}",
        ]
    unpend = [*acknowledge, f"    carillon_osek_forget_request({level.source});"] if level.cell is not None else []
    return [
        *lines,
        f"void carillon_framed_{task.name}(void);",
        f"void carillon_framed_{task.name}(void)",
        "{",
        *acknowledge,
        f"    carillon_port_call(carillon_task_{task.name});",
        *unpend,
        "}",
        "",
    ]


def _resource_tables(allocation: OsekAllocation) -> list[str]:
    names = allocation.named_resources
    if not names:
        return []
    return [
        f"uint32_t carillon_osek_saved[{len(names)}];",
        "const uint8_t carillon_osek_ceilings[] = {",
        *(f"    {allocation.ceilings[name]}, /* {name} */" for name in names),
        "};",
        "",
    ]


def _alarm_tables(osek: OsekImage) -> list[str]:
    allocation = osek.allocation
    model = allocation.osek
    lines: list[str] = []
    if model.counters:
        lines += ["const struct carillon_osek_counter carillon_osek_counters[] = {"]
        ticked = {c.counter.name for c in allocation.counters}
        for c in model.counters:
            software = int(c.kind is CounterKind.SOFTWARE)
            set_anew = int(bool(software) or c.name in ticked)
            numbers = [c.max_allowed, c.ticks_per_base, c.min_cycle, allocation.base_units(c)]
            lines.append(f"    {{{', '.join(f'{n}u' for n in numbers)}, {software}, {set_anew}}}, /* {c.name} */")
        lines += ["};", ""]
    carried = {a.alarm.name: a for a in allocation.alarms}
    for name, alarm_cell in carried.items():
        cell = osek.cell(alarm_cell.carrier)
        lines += [
            f"/* Alarm {name} on {cell.use.cell.name}. */",
            f"static const struct carillon_store carillon_alarm_{name}_stop[] = {{",
            f"    {text.macro(cell, 'STOP', cell.number)},",
            "};",
            f"static const struct carillon_osek_cell carillon_alarm_{name}_cell = {{",
            f"    {text.macro(cell, 'COUNTER', cell.number)},",
            f"    {cell.use.units(model.counter(alarm_cell.alarm.counter).tick)}u,",
            f"    carillon_alarm_{name}_stop,",
            f"    CARILLON_COUNT(carillon_alarm_{name}_stop),",
            "};",
            "",
        ]
    if model.alarms:
        lines += ["const struct carillon_osek_alarm carillon_osek_alarms[] = {"]
        for alarm in model.alarms:
            lines += _alarm(allocation, alarm, alarm.name in carried)
        lines += ["};", ""]
    for counter in allocation.counters:
        cell = osek.cell(counter.carrier)
        number = [c.name for c in model.counters].index(counter.counter.name)
        lines += _cell_handler(f"carillon_counter_{counter.counter.name}", cell, f"    carillon_osek_tick_over({number}u);")
    for alarm_cell in allocation.alarms:
        if not alarm_cell.direct:
            cell = osek.cell(alarm_cell.carrier)
            number = model.alarms.index(alarm_cell.alarm)
            name = f"carillon_alarm_{alarm_cell.alarm.name}"
            if not alarm_cell.level:
                lines += _cell_handler(name, cell, f"    carillon_osek_alarm_expired({number}u);")
            elif alarm_cell.runs_level:
                body = [
                    f"    if (carillon_osek_level_alarm({number}u, true)) {{",
                    f"        carillon_level_{alarm_cell.level}();",
                ]
                lines += _cell_handler(name, cell, *body, "    }")
            else:
                lines += _cell_handler(name, cell, f"    (void)carillon_osek_level_alarm({number}u, false);")
    return lines + _serve_cells(osek)


def _serve_cells(osek: OsekImage) -> list[str]:
    """What serves the cells of a level before their handlers do."""
    lines: list[str] = []
    for level, alarm_cells in _level_cells(osek.allocation).items():
        lines += [f"/* The cells of level {level}: what their handlers would do is done. */"]
        lines += [f"void carillon_cells_{level}(void)", "{"]
        for it in alarm_cells:
            number = osek.allocation.osek.alarms.index(it.alarm)
            lines += [
                f"    if (carillon_osek_level_alarm_waits({number}u, {it.carrier.source}u)) {{ /* {it.alarm.name} */",
                *(f"    {line}" for line in _acknowledge(osek.cell(it.carrier))),
                f"        carillon_port_unpend({it.carrier.source}u);",
                f"        carillon_osek_level_alarm_early({number}u);",
                "    }",
            ]
        lines += ["}", ""]
    return lines


def _cell_handler(name: str, cell: CellImage, *body: str) -> list[str]:
    points = f"{cell.use.progression.offset} + k * {cell.use.progression.period}"
    return [
        f"/* {cell.use.cell.name}, at {points} ({text.place(cell.carrier.demand.span)}). */",
        f"void {name}(void);",
        f"void {name}(void)",
        "{",
        *_acknowledge(cell),
        *body,
        "}",
        "",
    ]


def _alarm(allocation: OsekAllocation, alarm: Alarm, on_cell: bool) -> list[str]:
    model = allocation.osek
    counters = [c.name for c in model.counters]
    tasks = [t.name for t in model.tasks]
    fields: dict[str, object] = {"counter": counters.index(alarm.counter)}
    match alarm.action:
        case ActivateTask(task):
            fields |= {"action": "CARILLON_OSEK_ACTIVATE", "object": tasks.index(task)}
        case SetEvent(task, event):
            mask = next(e.mask for e in model.events if e.name == event)
            fields |= {"action": "CARILLON_OSEK_SET_EVENT", "object": tasks.index(task), "event": f"{mask:#x}u"}
        case Callback(function):
            fields |= {"action": "CARILLON_OSEK_CALLBACK", "callback": f"carillon_callback_{function}"}
        case IncrementCounter(counter):
            fields |= {"action": "CARILLON_OSEK_INCREMENT", "object": counters.index(counter)}
    if on_cell:
        fields["cell"] = f"&carillon_alarm_{alarm.name}_cell"
    if alarm.autostart is not None:
        start = alarm.autostart
        fields |= {
            "autostart": _mask(model.modes, start.modes),
            "start": f"{start.time}u",
            "cycle": f"{start.cycle}u",
            "absolute": int(start.absolute),
        }
    lines = [f"    {{ /* {alarm.name}, {text.place(alarm.span)} */"]
    return [*lines, *(f"        .{name} = {value}," for name, value in fields.items()), "    },"]


def _contexts(image: Image, allocation: OsekAllocation) -> list[str]:
    """What each source is, for call levels."""
    known: dict[int, str] = {}
    for isr, level in allocation.isrs:
        known[isr.source] = f"CARILLON_OSEK_ISR{isr.category} | {level}"
    for carrier in allocation.carriers:
        known[carrier.source] = f"CARILLON_OSEK_ISR2 | {carrier.level}"
    for it in (a for a in allocation.alarms if a.runs_level):
        known[it.carrier.source] = f"CARILLON_OSEK_TASK | {it.level}"  # its task runs in its handler
    for level_ in allocation.levels:
        if level_.source:
            known[level_.source] = f"CARILLON_OSEK_TASK | {level_.number}"
    lines = [f"const uint16_t carillon_osek_contexts[{image.system.board.sources}] = {{"]
    lines += [f"    [{source}] = {value}," for source, value in sorted(known.items())]
    return [*lines, "};", ""] if known else [f"const uint16_t carillon_osek_contexts[{image.system.board.sources}];", ""]


def _array(kind: str, name: str, items: list[str]) -> list[str]:
    if not items:
        return []
    return [f"static const {kind} {name}[] = {{", *(f"    {item}" for item in items), "};", ""]


def _hardware(image: Image, osek: OsekImage) -> list[str]:
    """The image that StartOS, or ttStartOS above it, brings the hardware into."""
    system, allocation = image.system, osek.allocation
    board = system.board
    stem = "carillon_osek"
    alone = not image.modes
    levels = osek_levels(allocation)
    sources = [s for s in sorted(levels) if controlled(board, s)]

    def stores(kind: str) -> list[str]:
        return [f"CARILLON_STORE_{kind}({s}, {bits})," for s, bits in text.masks(board, sources)]

    def named(cell: CellImage, macro: str) -> str:
        if cell is osek.base:
            return base.macro(cell, macro)
        clock = allocation.clock
        return f"FREE_{macro}" if clock is not None and clock.driver.free and cell.carrier == clock.carrier else macro

    prepare = [text.macro(c, named(c, "PREPARE"), c.number, c.first, c.period, c.use.prescaler) + "," for c in osek.cells]
    stop = [text.macro(c, "STOP", c.number) + "," for c in osek.cells]
    align = [text.macro(c, "ALIGN", c.number, c.first, c.period) + "," for c in osek.cells if c.family.align]
    finish = [text.macro(c, "FINISH", c.number, c.first, c.period) + "," for c in osek.cells if c.finishes]
    start = []
    for store in osek.start:
        bits = " | ".join(text.macro(c, "BIT", c.number) for c in store.cells) if store.group else str(store.cells[0].number)
        who = " /* " + ", ".join(f"{c.use.cell.name}: {c.carrier.demand.object}" for c in store.cells) + " */"
        start.append(text.macro(store.cells[0], named(store.cells[0], "START"), bits) + "," + who)
    if not start:  # the run's beginning all the same
        start = [f"CARILLON_STORE_UNPEND({board.request_base}, 0u),"]
    lines = ["extern const carillon_vector carillon_osek_vectors[];", ""] if alone else []
    lines += _array("struct carillon_level", f"{stem}_source_levels", [f"{{{s}, {v}}}," for s, v in sorted(levels.items())])
    lists = (
        ("struct carillon_store", "prepare", prepare),
        ("struct carillon_store", "start", start),
        ("struct carillon_shift", "align", align),
        ("struct carillon_store", "finish", finish),
        ("struct carillon_store", "stop", stop),
    )
    for kind, name, items in lists:
        lines += _array(kind, f"{stem}_{name}", items)
    lines += ["const struct carillon_mode carillon_osek_image = {"]
    lines += ["    .vectors = carillon_osek_vectors,"] if alone else []
    if levels:
        lines += [f"    .levels = {stem}_source_levels,", f"    .level_count = CARILLON_COUNT({stem}_source_levels),"]
    for _, name, items in lists:
        if items:
            lines += [f"    .{name} = {stem}_{name},", f"    .{name}_count = CARILLON_COUNT({stem}_{name}),"]
    lines += ["};", ""]
    for name, kind in (("forget", "UNPEND"), ("enable", "ENABLE"), ("disable", "DISABLE")):
        items = stores(kind) or [f"CARILLON_STORE_UNPEND({board.request_base}, 0u),"]
        lines += [f"const struct carillon_store carillon_osek_{name}[] = {{", *(f"    {i}" for i in items), "};"]
        lines += [f"const uint16_t carillon_osek_{name}_count = CARILLON_COUNT(carillon_osek_{name});", ""]
    return lines


def _linker_script(image: Image) -> str:
    """Names for the linker.

    TerminateTask and ChainTask within a function called by a task must find the way out of it: whoever refers to
    them makes every direct task's vector a frame to come back to.
    """
    assert image.osek is not None
    allocation = image.osek.allocation
    lines = [text.head(image, "Which function is the vector of a direct task."), ""]
    lines += [
        "PROVIDE(carillon_terminate_used = carillon_osek_TerminateTask);",
        "PROVIDE(carillon_chain_used = carillon_osek_ChainTask);",
    ]
    for level in allocation.levels:
        if level.kind is TaskKind.DIRECT:
            name = level.tasks[0].name
            plain = f"carillon_acknowledged_{name}" if _acknowledges(level) else f"carillon_task_{name}"
            lines.append(
                f"carillon_vector_{name} = (DEFINED(carillon_terminate_used) || DEFINED(carillon_chain_used)) ? "
                f"carillon_framed_{name} : {plain};"
            )
    return "\n".join([*lines, ""])
