# SPDX-License-Identifier: Apache-2.0
"""What the event-triggered system does on the levels of its tasks: which cells services serve, and how tasks end."""

from __future__ import annotations

from dataclasses import replace

from carillon.actions.every import of
from carillon.allocate.osek import AlarmCell, OsekAllocation, TableCell, TaskKind
from carillon.image import DirectTask, LevelCell, OsekImage, ServedLevel
from carillon.model.osek import SetEvent

GUARD_WORDS = 4
"""Words of eight bytes below a stack that is checked (``CARILLON_OSEK_GUARD``): an overflow into them is found."""
INTERRUPT_LOCKS = ("disabled", "all suspended", "OS suspended")
"""The locks behind those of the resources (``kernel/contract/osek.h``)."""
NO_CELL = 0xFFFF
"""Stands for the source of a task's end that takes nothing back."""


def with_levels(osek: OsekImage) -> OsekImage:
    """The image with what stands on the levels of tasks."""
    served = _served_levels(osek)
    direct = _direct_tasks(osek, served)
    return replace(
        osek, served=served, direct=direct, folded=_folded(osek.allocation, direct), contexts=_contexts(osek.allocation)
    )


def level_cell(osek: OsekImage, it: AlarmCell | TableCell) -> LevelCell:
    """The cell of an alarm, or of points of a schedule table, at its task's level."""
    model, cell, runs = osek.allocation.osek, osek.cell(it.carrier), it.level if it.runs_level else 0
    if isinstance(it, AlarmCell):
        return LevelCell(cell, model.alarms.index(it.alarm), None, 0, runs)
    assert it.action is not None
    number = [t.name for t in model.tasks].index(it.action.object)
    event = model.event(it.action.event).mask if isinstance(it.action, SetEvent) else 0
    return LevelCell(cell, number, of(it.action), event, runs)


def _served_levels(osek: OsekImage) -> tuple[ServedLevel, ...]:
    """The levels with cells that services serve, from the lowest up."""
    allocation, found = osek.allocation, []
    counters = {part.level: part for part in allocation.counters if part.level}
    for level in sorted({it.level for it in allocation.at_levels} | counters.keys()):
        cells = tuple(level_cell(osek, it) for it in allocation.at_levels if it.level == level)
        part = counters.get(level)
        own = [cell.cell.carrier for cell in cells] + ([part.carrier] if part is not None else [])
        if part is not None and not part.carrier.cells:  # what requests it may itself be held back
            own.append(allocation.first_part(part).carrier)
        found.append(ServedLevel(level, part, cells, tuple(carrier.source for carrier in own)))
    return tuple(found)


def _direct_tasks(osek: OsekImage, served: tuple[ServedLevel, ...]) -> tuple[DirectTask, ...]:
    """The tasks that are their vectors."""
    levels, found = {it.level for it in served}, []
    for level in (x for x in osek.allocation.levels if x.kind is TaskKind.DIRECT):
        cell = osek.cell(level.cell) if level.cell is not None else None
        asks = cell if cell is not None and cell.use.cell.array.acknowledge else None
        found.append(DirectTask(level, asks, level.number in levels, cell is not None and level.tasks[0].guarded))
    return tuple(found)


def _contexts(allocation: OsekAllocation) -> dict[int, tuple[str, int]]:
    """What each source is, and its level: of an ISR by its category, or of a task that runs in its handler."""
    found = {isr.source: (f"ISR{isr.category}", level) for isr, level in allocation.isrs}
    found |= {carrier.source: ("ISR2", carrier.level) for carrier in allocation.carriers}
    found |= {source: ("ISR2", level + 1) for level, source in allocation.turns.items()}
    found |= {it.carrier.source: ("ISR2", it.level) for it in allocation.handled}
    found |= {it.carrier.source: ("TASK", it.level) for it in allocation.at_levels if it.runs_level}
    return found | {level.source: ("TASK", level.number) for level in allocation.levels if level.source}


def _folded(allocation: OsekAllocation, direct: tuple[DirectTask, ...]) -> dict[str, tuple[int, ...]]:
    """What is known of tasks where services are called; nothing with software dispatch, or without tasks."""
    if allocation.software or not allocation.osek.tasks:
        return {}
    tasks = [(task, allocation.level_of(task)) for task in allocation.osek.tasks]
    ends = {it.level.number: it.level.source if it.takes_back and it.cell is None else NO_CELL for it in direct}
    return {
        # Whether an activation comes too early is not looked at where a service is called.
        "known_tasks": tuple(int(not level.capacity and not task.time_frame) for task, level in tasks),
        "known_levels": tuple(level.number for _, level in tasks),
        "direct_sources": tuple(level.source if level.kind is TaskKind.DIRECT else 0 for _, level in tasks),
        "direct_ends": tuple(ends.get(number, 0) for number in range(len(allocation.levels) + 1)),
        "known_requests": tuple(level.source for _, level in tasks),
    }
