# SPDX-License-Identifier: Apache-2.0
"""``round_budgets.c``: what stands in the place of the rounds' tasks that have execution budgets.

The linker leads each reference to such a task's function to ``__wrap_`` of it (``--wrap``), and ``__real_`` of it is the task's.
If its starts and ends are recorded, too, ``trace.c`` has the former, which calls what stands here.
"""

from __future__ import annotations

from carillon import c_names
from carillon.emit import text
from carillon.image import Image
from carillon.image.forms import budget_kind
from carillon.model.family import Capability


def table(image: Image) -> list[str]:
    """The table of budgets, which stands in another file, so that it is read and not compiled into what reads it."""
    system, osek = image.system, image.osek
    if osek is None or not system.bounded:
        return []
    shared, own = osek.allocation.round_budgets, osek.allocation.task_budgets
    rows = []
    for task in system.bounded_functions:
        carrier = own.get(task.name, shared)
        assert carrier is not None
        cell, number = osek.cell(carrier), f"{system.tasks.index(task)}u"
        its = [f"{cell.says('WORD')}", f"{cell.says('COUNTER')}", f"{carrier.source}u"] if own else []
        comment = f"{task.name}, {task.budget} ticks ({text.place(task.span)})"
        units = cell.use.units(task.budget) + (Capability.BUDGET in cell.family.can)  # one has begun (the family's budget.h)
        rows.append(f"{{{', '.join([f'{units}u', *its, number])}}}, /* {comment} */")
    name = f"carillon_{budget_kind(image)}_budget"
    return text.table(f"const struct {name} {name}s[]", rows)


def emit(image: Image) -> dict[str, str]:
    """The file; none if no task has a budget."""
    system = image.system
    if not system.bounded:
        return {}
    lines = [text.head(image, "The tasks of the rounds that have execution budgets.")]
    lines += [f'#include "kernel/core/{budget_kind(image)}_budget.h"', ""]
    stem = f"carillon_{budget_kind(image)}_budget"
    for number, function in enumerate(task.entry for task in system.bounded_functions):
        real, within = f"__real_{function}", f"{function}_within_its_budget"
        whose = f"{number}u" if budget_kind(image) == "task" else ""
        job = [f"    {stem}_begins({number}u);", f"    {real}();", f"    {stem}_ends({whose});"]
        name = c_names.bounded(function) if function in system.traced else f"__wrap_{function}"
        lines += [f"void {real}(void);", f"static void {within}(void)", "{", *job, "}"]
        body = [
            f"    if ({stem}_watched != 0u) {{",
            f"        {real}(); /* another task's work */",
            "    } else {",
            f"        CARILLON_CALL_AS({real}, {within});",
            "    }",
        ]
        lines += [*text.function(name, body), ""]
    return {"round_budgets.c": "\n".join(lines)}
