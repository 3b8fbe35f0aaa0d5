# SPDX-License-Identifier: Apache-2.0
"""``carillon_osek.h``: what the application and the kernel see, and what the compiler folds where a service is called."""

from __future__ import annotations

from collections.abc import Iterable

from carillon.allocate.osek import OsekAllocation
from carillon.emit import text
from carillon.emit.osek import frames
from carillon.image import Folded, Image, ServedLevel
from carillon.image.osek import NO_CELL


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
        lines += frames.places(osek) if allocation.frames is not None else []
    lines += ["", "/* The type of a task's place: its size tells its level (CARILLON_CALLER_LEVEL). */"]
    for task in model.tasks:
        lines += [f"struct carillon_at_{task.name} {{", f"    char carillon_level[{allocation.level_of(task).number + 1}];", "};"]
    lines += _folded(osek.folded) if osek.folded is not None else []
    lines += _ceilings(allocation)
    lines += _served(osek.served)
    purpose = "What the application sees of its event-triggered system."
    return text.header(image, purpose, "CARILLON_OSEK_GENERATED_H", lines)


def _served(levels: tuple[ServedLevel, ...]) -> list[str]:
    """What serves the cells of a level, which the compiler folds for a level that it knows."""
    if not levels:
        return []
    lines = ["", "/* Whether cells of alarms and counters that have a level have expired and wait; and serve them, locked. */"]
    lines += ["void carillon_osek_call_cells(carillon_vector cells);"]
    lines += [f"void carillon_cells_{it.level}(void);" for it in levels]
    inline = "static inline __attribute__((always_inline, unused))"
    lines += [f"{inline} bool carillon_known_cells_wait(uint8_t level)", "{", "    switch (level) {"]
    for it in levels:
        pending = " || ".join(f"carillon_port_is_pending({source}u)" for source in it.sources)
        lines += [f"    case {it.level}u:", f"        return {pending};"]
    lines += ["    default:", "        return false;", "    }", "}"]
    lines += [f"{inline} void carillon_serve_known_cells(uint8_t level)", "{", "    switch (level) {"]
    for it in levels:
        lines += [f"    case {it.level}u:", f"        if (carillon_known_cells_wait({it.level}u)) {{"]
        lines += [f"            carillon_osek_call_cells(carillon_cells_{it.level});", "        }", "        break;"]
    return [*lines, "    default:", "        break;", "    }", "}"]


def _numbers(kind: str, name: str, numbers: Iterable[int]) -> str:
    return f"static const {kind} {name}[] __attribute__((unused)) = {{{', '.join(str(int(n)) for n in numbers)}}};"


def _extended(name: str, tasks: Iterable[str]) -> list[str]:
    lines = [f"static struct carillon_osek_extended *const {name}[] __attribute__((unused)) = {{"]
    return [*lines, *(f"    {f'&carillon_extended_{task}' if task else 'NULL'}," for task in tasks), "};"]


def _folded(it: Folded) -> list[str]:
    """Constants that the compiler folds where a service is called with a task that it knows."""
    lines = [
        "",
        "/* What services need of a task that they are called with: whether one activation at most waits; its level; of",
        " * a direct task its source, 0 if it is managed; and by level, the source that a direct task's end takes a",
        " * request back from. */",
        f"#define CARILLON_DIRECT_NO_CELL {NO_CELL}u",
        _numbers("uint8_t", "carillon_known_tasks", it.single),
        _numbers("uint8_t", "carillon_known_levels", it.levels),
        _numbers("uint16_t", "carillon_direct_sources", it.sources),
        _numbers("uint16_t", "carillon_direct_ends", it.ends),
        "static const struct carillon_store carillon_known_requests[] __attribute__((unused)) = {",
        *(f"    CARILLON_STORE_PEND({source})," for source in it.requests),
        "};",
    ]
    if not any(it.extended):
        return lines
    lines += [f"extern struct carillon_osek_extended carillon_extended_{task};" for task in it.extended if task]
    lines += _extended("carillon_known_extended", it.extended)
    lines += ["/* By level: its task, if that is extended and alone there. */"]
    return lines + _extended("carillon_extended_callers", it.callers)


def _ceilings(allocation: OsekAllocation) -> list[str]:
    ceilings = [allocation.ceilings[resource] for resource in allocation.named_resources]
    title = ["", "/* The ceiling of each resource. */"]
    return [*title, _numbers("uint8_t", "carillon_resource_ceilings", ceilings)] if ceilings else []
