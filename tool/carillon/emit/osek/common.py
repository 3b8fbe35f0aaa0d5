# SPDX-License-Identifier: Apache-2.0
"""What the files of the event-triggered system share."""

from __future__ import annotations

from carillon.actions.every import of
from carillon.allocate.osek import AlarmCell, CounterPart, OsekAllocation, TableCell, TaskLevel
from carillon.emit import text
from carillon.image import CellImage
from carillon.model.osek import SetEvent

GUARD_WORDS = 4
"""Words of eight bytes below a stack that is checked (``CARILLON_OSEK_GUARD``): an overflow into them is found."""


def level_cells(allocation: OsekAllocation) -> dict[int, list[AlarmCell | TableCell]]:
    """By level, the cells of alarms and of schedule tables that have it."""
    found: dict[int, list[AlarmCell | TableCell]] = {}
    for it in allocation.at_levels:
        found.setdefault(it.level, []).append(it)
    return dict(sorted(found.items()))


def level_does(allocation: OsekAllocation, it: AlarmCell | TableCell) -> tuple[str, str]:
    """Of a cell at its task's level: what begins the names of the kernel's functions for it, and what they are called with."""
    model = allocation.osek
    if isinstance(it, AlarmCell):
        return "carillon_osek_level_alarm", f"{model.alarms.index(it.alarm)}u"
    assert it.action is not None
    task = [t.name for t in model.tasks].index(it.action.object)
    event = next((e.mask for e in model.events if isinstance(it.action, SetEvent) and e.name == it.action.event), 0)
    return "carillon_osek_level_point", f"{text.action(of(it.action))}, {task}u, {event:#x}u"


def level_counters(allocation: OsekAllocation) -> dict[int, CounterPart]:
    """By level, the part of a counter's queue that is served there."""
    return {c.level: c for c in sorted(allocation.counters, key=lambda c: c.level) if c.level}


def served_levels(allocation: OsekAllocation) -> dict[int, list[int]]:
    """By level, the sources of the cells that services serve: of alarms and of counters."""
    found = {level: [a.carrier.source for a in cells] for level, cells in level_cells(allocation).items()}
    for level, part in level_counters(allocation).items():
        own = found.setdefault(level, [])
        own.append(part.carrier.source)
        if not part.carrier.cells:  # what requests it may itself be held back
            own.append(allocation.first_part(part).carrier.source)
    return dict(sorted(found.items()))


def mode_mask(model_modes: tuple[str, ...], modes: tuple[str, ...]) -> str:
    """The bits of some application modes."""
    return f"{sum(1 << model_modes.index(m) for m in modes):#x}u"


def acknowledging(cell: CellImage) -> list[str]:
    """The statement that takes back what a cell goes on asking for, if it does."""
    return [f"    {cell.family.name}_acknowledge({cell.number});"] if cell.use.cell.array.acknowledge else []


def takes_back(level: TaskLevel) -> bool:
    """Whether the end of a direct task takes back what its cell has asked for while it ran."""
    return level.cell is not None and level.tasks[0].guarded


def is_acknowledged(level: TaskLevel) -> bool:
    """Whether the cell that activates a direct task goes on asking."""
    return level.cell is not None and level.cell.cells[0].cell.array.acknowledge
