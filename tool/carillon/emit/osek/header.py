# SPDX-License-Identifier: Apache-2.0
"""``carillon_osek.h``: declarations for the application and the kernel, and values folded at calls of services."""

from __future__ import annotations

from collections.abc import Iterable

from carillon import c_names
from carillon.allocate.osek import OsekAllocation
from carillon.emit import text
from carillon.emit.osek.budgets import places
from carillon.image import Image, OsekImage, ServedLevel
from carillon.image.osek import NO_CELL
from carillon.model.osek import OsekTask


def header(image: Image) -> str:
    """The text of ``carillon_osek.h``."""
    osek = image.osek
    assert osek is not None
    allocation = osek.allocation
    model = allocation.osek
    lines = ["", *text.switches(image, "carillon_osek.h")]
    if model.isrs:
        lines += ["", "/* Interrupt sources of ISRs. */"]
        lines += [f"#define CARILLON_ISR_SOURCE_{isr.name} {isr.source}u" for isr in model.isrs]
        lines += [f"#define CARILLON_ISR_CATEGORY_{isr.name} {isr.category}" for isr in model.isrs]
        lines += places(osek)
    lines += ["", "/* The type of a task's place: its size tells its level (CARILLON_CALLER_LEVEL). */"]
    for task in model.tasks:
        lines += [f"struct carillon_at_{task.name} {{", f"    char carillon_level[{allocation.level_of(task).number + 1}];", "};"]
    bodies = [c_names.task(direct.level.tasks[0].name) for direct in osek.direct if direct.body]
    if bodies:
        lines += ["", "/* Tasks that are bodies of handlers. */"]
        lines += text.linkage([f"CARILLON_NESTED_TASK({function});" for function in bodies])
    lines += _folded(osek)
    lines += _ceilings(allocation)
    lines += _served(osek.served)
    purpose = "What the application sees of its event-triggered system."
    return text.header(image, purpose, "CARILLON_OSEK_GENERATED_H", lines)


def _served(levels: tuple[ServedLevel, ...]) -> list[str]:
    """The functions that serve the cells of a level; the compiler folds them for a constant level."""
    if not levels:
        return []
    lines = ["", "/* Whether cells of alarms and counters that have a level have expired and wait; and serve them, locked. */"]
    lines += ["void carillon_osek_call_cells(carillon_vector cells);"]
    lines += [f"void {c_names.cells(served.level)}(void);" for served in levels]
    inline = "static inline __attribute__((always_inline, unused))"
    lines += [f"{inline} bool carillon_known_cells_wait(uint8_t level)", "{", "    switch (level) {"]
    for served in levels:
        pending = " || ".join(f"carillon_port_is_pending({source}u)" for source in served.sources)
        lines += [f"    case {served.level}u:", f"        return {pending};"]
    lines += ["    default:", "        return false;", "    }", "}"]
    lines += [f"{inline} void carillon_serve_known_cells(uint8_t level)", "{", "    switch (level) {"]
    for served in levels:
        lines += [f"    case {served.level}u:", f"        if (carillon_known_cells_wait({served.level}u)) {{"]
        lines += [f"            carillon_osek_call_cells({c_names.cells(served.level)});", "        }", "        break;"]
    return [*lines, "    default:", "        break;", "    }", "}"]


_UNUSED = "__attribute__((unused))"


def _numbers(kind: str, name: str, numbers: Iterable[int]) -> str:
    return f"static const {kind} carillon_{name}[] {_UNUSED} = {{{', '.join(str(n) for n in numbers)}}};"


def _extended(name: str, tasks: Iterable[OsekTask | None]) -> list[str]:
    rows = [f"&{c_names.extended(task.name)}," if task is not None else "NULL," for task in tasks]
    return text.table(f"static struct carillon_osek_extended *const carillon_{name}[] {_UNUSED}", rows)[:-1]


def _folded(osek: OsekImage) -> list[str]:
    """Constants that the compiler folds where a service is called with a constant task."""
    if not osek.folded:
        return []
    lines = [
        "",
        "/* What services need of a task that they are called with: whether one activation at most waits; its level; of",
        " * a direct task its source, 0 if it is managed; and by level, the source that a direct task's end takes a",
        " * request back from. */",
        f"#define CARILLON_DIRECT_NO_CELL {NO_CELL}u",
    ]
    kinds = {"known_tasks": "uint8_t", "known_levels": "uint8_t", "direct_sources": "uint16_t", "direct_ends": "uint16_t"}
    lines += [_numbers(kind, name, osek.folded[name]) for name, kind in kinds.items()]
    requests = [f"CARILLON_STORE_PEND({source})," for source in osek.folded["known_requests"]]
    lines += text.table(f"static const struct carillon_store carillon_known_requests[] {_UNUSED}", requests)[:-1]
    if osek.model.mutexes:
        lines += ["/* By level, its task's number, plus 1, if that locks mutexes alone there; and mutexes' ceilings. */"]
        lines += [_numbers("uint8_t", "mutex_callers", osek.folded["mutex_callers"])]
        lines += [_numbers("uint8_t", "known_ceilings", osek.allocation.mutex_ceilings)]
    extended = [task for task in osek.model.tasks if task.extended]
    if not extended:
        return lines
    lines += [f"extern struct carillon_osek_extended {c_names.extended(task.name)};" for task in extended]
    known = [task if there else None for task, there in zip(osek.model.tasks, osek.folded["in_place"], strict=True)]
    lines += ["/* By level: whether all of its tasks may wait. */"]
    waiting = [all(task.extended for task in level.tasks) for level in osek.allocation.levels]
    lines += [_numbers("uint8_t", "waiting_callers", map(int, [False, *waiting]))]
    lines += [*_extended("known_extended", known), "/* By level: its task, if that is extended and alone there. */"]
    alone = [level.tasks[0] if not level.capacity and level.tasks[0] in known else None for level in osek.allocation.levels]
    return lines + _extended("extended_callers", [None, *alone])


def _ceilings(allocation: OsekAllocation) -> list[str]:
    ceilings = [allocation.ceilings[resource] for resource in allocation.named_resources]
    title = ["", "/* The ceiling of each resource. */"]
    return [*title, _numbers("uint8_t", "resource_ceilings", ceilings)] if ceilings else []
