# SPDX-License-Identifier: Apache-2.0
"""What the files of the event-triggered system share."""

from __future__ import annotations

from carillon.allocate.osek import AlarmCell, CounterPart, OsekAllocation, TaskLevel
from carillon.image import CellImage

GUARD_WORDS = 4
"""Words of eight bytes below a stack that is checked (``CARILLON_OSEK_GUARD``): an overflow into them is found."""


def level_cells(allocation: OsekAllocation) -> dict[int, list[AlarmCell]]:
    """By level, the alarms whose cells have it."""
    found: dict[int, list[AlarmCell]] = {}
    for alarm_cell in allocation.alarms:
        if alarm_cell.level:
            found.setdefault(alarm_cell.level, []).append(alarm_cell)
    return dict(sorted(found.items()))


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


def part_name(allocation: OsekAllocation, part: CounterPart) -> str:
    """What the handler of a part of a counter's queue is called."""
    first = part.number < len(allocation.osek.counters)
    return f"carillon_counter_{part.counter.name}" if first else f"carillon_part_{part.counter.name}_{part.level}"


def mode_mask(model_modes: tuple[str, ...], modes: tuple[str, ...]) -> str:
    """The bits of some application modes."""
    return f"{sum(1 << model_modes.index(m) for m in modes):#x}u"


def acknowledging(cell: CellImage) -> list[str]:
    """The statement that takes back what a cell goes on asking for, if it does."""
    return [f"    {cell.family.name}_acknowledge({cell.number});"] if cell.use.cell.array.acknowledge else []


def is_acknowledged(level: TaskLevel) -> bool:
    """Whether the cell that activates a direct task goes on asking."""
    return level.cell is not None and level.cell.cells[0].cell.array.acknowledge


def constants(kind: str, name: str, items: list[str]) -> list[str]:
    """An array of constants; nothing if it would be empty."""
    if not items:
        return []
    return [f"static const {kind} {name}[] = {{", *(f"    {item}" for item in items), "};", ""]
