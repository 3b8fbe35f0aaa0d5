# SPDX-License-Identifier: Apache-2.0
"""Budgets and time frames of tasks and ISRs (``kernel/levels/budget.h``, ``frame.h``)."""

from __future__ import annotations

from carillon.emit import text
from carillon.image import OsekImage
from carillon.image.osek import INTERRUPT_LOCKS
from carillon.model.osek import Isr, OsekTask


def budgets(osek: OsekImage) -> list[str]:
    """The budgets of locks, and what takes back a request of the cell of budgets; nothing if there are none."""
    if osek.allocation.budgets is None:
        return _locks(osek) if osek.model.budgets else []
    cell = osek.cell(osek.allocation.budgets)
    source = cell.carrier.source
    forget = [*text.acknowledging(cell), f"    carillon_port_forget({source}u, CARILLON_SOURCE_BIT({source}u));"]
    return [*_locks(osek), *_isrs(osek), "void carillon_budget_forget(void)", "{", *forget, "}", ""]


def units_of_budget(osek: OsekImage, ticks: int) -> int:
    """A budget in units of the cell that keeps it, or in ticks of the clock."""
    cell, clock = osek.allocation.budgets, osek.allocation.clock
    if cell is not None:
        return osek.cell(cell).use.units(ticks)
    assert clock is not None
    return clock.budget(ticks)


def _isrs(osek: OsekImage) -> list[str]:
    """The budgets of all ISRs; nothing if none has any."""
    if not osek.model.bounded_isrs:
        return []
    every = osek.model.isrs
    rows = [f"{units_of_budget(osek, i.budget) if i.budget else 0}u, /* {i.name}, {text.place(i.span)} */" for i in every]
    return text.table("const uint32_t carillon_osek_isr_budgets[]", rows)


def _locks(osek: OsekImage) -> list[str]:
    """The lock budgets of all tasks; nothing if there are none."""
    model = osek.model
    if not model.lock_budgets:
        return []
    names = osek.allocation.named_resources
    rows = []
    for task in model.tasks:
        held = dict(task.resource_locks)
        ticks = [held.get(name, 0) for name in names]
        ticks += [task.all_interrupts_lock, task.all_interrupts_lock, task.os_interrupts_lock]
        row = ", ".join(f"{units_of_budget(osek, t) if t else 0}u" for t in ticks)
        rows.append(f"{row}, /* {task.name}, {text.place(task.span)} */")
    title = f"/* Of each task: {', '.join([*names, *INTERRUPT_LOCKS])}. */"
    return [title, *text.table("const uint32_t carillon_osek_lock_budgets[]", rows)]


def places(osek: OsekImage) -> list[str]:
    """Per ISR, macros for its vector: 1 plus the place of its time frame in a table, or 0 without; of its budget likewise."""
    lines = []
    if osek.allocation.frames is not None:
        frames = enumerate(osek.model.isrs, len(osek.model.tasks) + 1)
        lines += [f"#define CARILLON_ISR_FRAME_{isr.name} {place if isr.time_frame else 0}u" for place, isr in frames]
    if osek.model.bounded_isrs:
        budgets = enumerate(osek.model.isrs, 1)
        lines += [f"#define CARILLON_ISR_BUDGET_{isr.name} {place if isr.budget else 0}u" for place, isr in budgets]
    return lines


def frames(osek: OsekImage) -> list[str]:
    """The table of frames; nothing if there are none."""
    if osek.allocation.frames is None:
        return []
    cell = osek.cell(osek.allocation.frames)
    every: list[OsekTask | Isr] = [*osek.model.tasks, *osek.model.isrs]
    rows = [f"{cell.use.units(it.time_frame) if it.time_frame else 0}u, /* {it.name}, {text.place(it.span)} */" for it in every]
    return text.table("const uint32_t carillon_osek_frames[]", rows)
