# SPDX-License-Identifier: Apache-2.0
"""The cell of execution budgets: ``carillon_budget.h``, and its handler (``kernel/osek/budget.h``)."""

from __future__ import annotations

from carillon.emit import text
from carillon.image import Image, OsekImage
from carillon.image.osek import INTERRUPT_LOCKS

RETRY, STEP, PATIENCE = 64, 4, 512
"""In how many instructions the handler looks again for a job that is late (``kernel/osek/budget.h``, 6)."""


def device(image: Image) -> dict[str, str]:
    """The generated header; none if there are no budgets."""
    osek = image.osek
    if osek is None or osek.allocation.budgets is None:
        return {}
    cell = osek.cell(osek.allocation.budgets)
    per_tick = image.system.board.clock(image.system.clock_hz).instructions_per_tick
    values = {"COUNTER": f"({text.macro(cell, 'COUNTER', cell.number)})", "SOURCE": f"{cell.carrier.source}u"}
    values["RANGE"] = f"UINT32_C({cell.period})"
    for name, instructions in (("RETRY", RETRY), ("STEP", STEP), ("PATIENCE", PATIENCE)):
        values[name] = f"{cell.use.units(-(-instructions // max(1, per_tick)))}u"
    return text.device(image, "BUDGET", cell.family.name, f"The cell of execution budgets is {cell.use.cell.name}.", values)


def table(osek: OsekImage) -> list[str]:
    """The lock budgets of all tasks; nothing if there are none."""
    model = osek.allocation.osek
    if not model.lock_budgets or osek.allocation.budgets is None:
        return []
    use = osek.cell(osek.allocation.budgets).use
    names = osek.allocation.named_resources
    rows = []
    for task in model.tasks:
        held = dict(task.resource_locks)
        ticks = [held.get(name, 0) for name in names]
        ticks += [task.all_interrupts_lock, task.all_interrupts_lock, task.os_interrupts_lock]
        row = ", ".join(f"{use.units(t) if t else 0}u" for t in ticks)
        rows.append(f"{row}, /* {task.name}, {text.place(task.span)} */")
    title = f"/* Of each task: {', '.join([*names, *INTERRUPT_LOCKS])}. */"
    return [title, *text.table("const uint32_t carillon_osek_lock_budgets[]", rows)]


def handler(osek: OsekImage) -> list[str]:
    """What the vector of the cell calls."""
    if osek.allocation.budgets is None:
        return []
    cell = osek.cell(osek.allocation.budgets)
    source = osek.allocation.budgets.source
    strikes = [*text.acknowledging(cell), "    carillon_budget_strikes(frame);"]
    return [
        *text.function("carillon_budget_vector", strikes, f"{cell.use.cell.name}: execution budgets.", "const void *frame"),
        "void carillon_budget_forget(void)",
        "{",
        *text.acknowledging(cell),
        f"    carillon_port_forget({source}u, CARILLON_SOURCE_BIT({source}u));",
        "}",
        "",
    ]
