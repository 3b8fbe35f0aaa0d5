# SPDX-License-Identifier: Apache-2.0
"""``carillon_osek.h``: what the application and the kernel see, and what the compiler folds where a service is called."""

from __future__ import annotations

from collections.abc import Iterable

from carillon.actions.every import ACTIONS
from carillon.allocate.osek import OsekAllocation, TaskKind
from carillon.emit import text
from carillon.emit.osek import frames
from carillon.emit.osek.budgets import INTERRUPT_LOCKS
from carillon.emit.osek.common import GUARD_WORDS, is_acknowledged, level_counters, served_levels, takes_back
from carillon.image import Image
from carillon.model.osek import AlarmAction, CounterKind, Hook, Status, Synchronisation

NO_CELL = 0xFFFF


def _any_of(value: str, numbers: list[int]) -> str:
    """A C expression: whether a value is one of some."""
    return f"({' || '.join(f'(({value}) == {n}u)' for n in numbers) or '0'})"


def _flag(condition: object) -> int:
    return int(bool(condition))


def _actions(actions: Iterable[AlarmAction]) -> str:
    """A C expression: the set of some actions."""
    said = {type(action) for action in actions}
    bits = [f"CARILLON_ACTION_BIT(CARILLON_ACTION_{c.constant})" for c in ACTIONS.values() if c.says in said]
    return f"({' | '.join(bits) or '0u'})"


def header(image: Image) -> str:
    """The text of ``carillon_osek.h``."""
    osek = image.osek
    assert osek is not None
    allocation = osek.allocation
    model = allocation.osek
    task_hooks = model.hooks & {Hook.PRETASK, Hook.POSTTASK}
    extended = model.status is Status.EXTENDED
    n = len(allocation.levels)
    carried = [a.alarm for a in allocation.alarms]
    values: dict[str, object] = {
        "TASKS": f"{len(model.tasks)}u",
        "TASK_LEVELS": f"{n}u",
        "ISRS": f"{len(model.isrs)}u",
        "MODES": f"{len(model.modes)}u",
        "RESOURCES": f"{len(allocation.named_resources)}u",
        "COUNTERS": f"{len(model.counters)}u",
        "PARTS": f"{len(allocation.parts)}u",
        "IS_HARDWARE(counter)": _any_of("counter", [n for n, c in enumerate(model.counters) if c.kind is CounterKind.HARDWARE]),
        "ALARMS": f"{len(model.alarms)}u",
        "SCHEDULE_TABLES": f"{len(model.schedule_tables)}u",
        "CURSORS": f"{len(allocation.cursors)}u",
        "TABLE_CELLS": f"{len(allocation.tables)}u",
        "TABLE_ENDS": _flag(any(c.action is None for c in allocation.tables)),
        "TABLES_RESTART": _flag(osek.tables and osek.tables[0].restarts),
        "ADJUSTS": _flag(any(t.sync is Synchronisation.EXPLICIT for t in model.schedule_tables)),
        "POINT_ACTIONS": _actions([a for c in allocation.cursors for step in c.steps for a in step.actions]),
        "QUEUES": _flag(
            allocation.cursors
            or any(c.readable and c.kind is CounterKind.HARDWARE for c in model.counters)
            or any(allocation.is_advanced(model.counter(a.counter)) for a in model.alarms)
        ),
        "QUEUE_STARTS": _flag(any(a.autostart is not None and a not in carried for a in model.alarms)),
        "ALARM_ACTIONS": _actions([a.action for a in model.alarms]),
        "CELLS": _flag(allocation.alarms),
        "LEVEL_CELLS": _flag(served_levels(allocation)),
        "LEVEL_COUNTERS": _flag(level_counters(allocation)),
        "HAS_CELLS(level)": _any_of("level", list(served_levels(allocation))),
        "EXTENDED": _flag(extended),
        "SOFTWARE": _flag(allocation.software),
        "DISPATCHER": f"{allocation.dispatcher}u",
        "TOP": f"{max(1, allocation.hardware(allocation.locked))}u",
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
    }
    if allocation.budgets is not None:
        values |= {"BUDGETS": 1, "SUSPENDED": f"{max(1, allocation.hardware(allocation.top))}u"}
    if model.lock_budgets:
        values |= {"LOCKS": f"{len(allocation.named_resources) + len(INTERRUPT_LOCKS)}u"}
    if allocation.frames is not None:
        values |= {"FRAMES": f"{len(model.tasks) + len(model.isrs)}u"}
    if allocation.budgets is not None or allocation.frames is not None:
        values |= {"PROTECTION_HOOK": _flag(Hook.PROTECTION in model.hooks)}
    lines = [text.head(image, "What the application sees of its event-triggered system."), "#ifndef CARILLON_OSEK_GENERATED_H"]
    lines += ["#define CARILLON_OSEK_GENERATED_H", ""]
    lines += [f"#define CARILLON_OSEK_{name} {value}" for name, value in values.items()]
    default = model.modes.index("OSDEFAULTAPPMODE") if "OSDEFAULTAPPMODE" in model.modes else 0
    lines.append(f"#define CARILLON_OSEK_DEFAULT_MODE ((AppModeType){default}u)")
    if model.isrs:
        lines += ["", "/* Interrupt sources of ISRs. */"]
        lines += [f"#define CARILLON_ISR_SOURCE_{isr.name} {isr.source}u" for isr in model.isrs]
        lines += [f"#define CARILLON_ISR_CATEGORY_{isr.name} {isr.category}" for isr in model.isrs]
        lines += frames.places(osek) if allocation.frames is not None else []
    lines += ["", "/* The type of a task's place: its size tells its level (CARILLON_CALLER_LEVEL). */"]
    for task in model.tasks:
        lines += [f"struct carillon_at_{task.name} {{", f"    char carillon_level[{allocation.level_of(task).number + 1}];", "};"]
    lines += _folded(allocation)
    lines += _served(allocation)
    lines += ["", "#endif", ""]
    return "\n".join(lines)


def _served(allocation: OsekAllocation) -> list[str]:
    """What serves the cells of a level, which the compiler folds for a level that it knows."""
    cells = served_levels(allocation)
    if not cells:
        return []
    lines = ["", "/* Whether cells of alarms and counters that have a level have expired and wait; and serve them, locked. */"]
    lines += ["void carillon_osek_call_cells(carillon_vector cells);"]
    lines += [f"void carillon_cells_{level}(void);" for level in cells]
    inline = "static inline __attribute__((always_inline, unused))"
    lines += [f"{inline} bool carillon_known_cells_wait(uint8_t level)", "{", "    switch (level) {"]
    for level, sources in cells.items():
        pending = " || ".join(f"carillon_port_is_pending({source}u)" for source in sources)
        lines += [f"    case {level}u:", f"        return {pending};"]
    lines += ["    default:", "        return false;", "    }", "}"]
    lines += [f"{inline} void carillon_serve_known_cells(uint8_t level)", "{", "    switch (level) {"]
    for level in cells:
        lines += [f"    case {level}u:", f"        if (carillon_known_cells_wait({level}u)) {{"]
        lines += [f"            carillon_osek_call_cells(carillon_cells_{level});", "        }", "        break;"]
    return [*lines, "    default:", "        break;", "    }", "}"]


def _folded(allocation: OsekAllocation) -> list[str]:
    """Constants that the compiler folds where a service is called with a constant."""
    lines: list[str] = []
    model = allocation.osek
    unused = "__attribute__((unused))"
    if not allocation.software and model.tasks:
        by_task = [allocation.level_of(t) for t in model.tasks]
        sources = [str(x.source if x.kind is TaskKind.DIRECT else 0) for x in by_task]
        ends = ["0"] + [
            str((x.source if takes_back(x) and not is_acknowledged(x) else NO_CELL) if x.kind is TaskKind.DIRECT else 0)
            for x in allocation.levels
        ]
        # Whether an activation comes too early is not looked at where a service is called.
        known = [str(int(not x.capacity and not t.time_frame)) for t, x in zip(model.tasks, by_task, strict=True)]
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
