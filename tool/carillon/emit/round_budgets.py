# SPDX-License-Identifier: Apache-2.0
"""``round_budgets.c``: what stands in the place of the rounds' tasks that have execution budgets.

The linker leads each reference to such a task's function to ``__wrap_`` of it (``--wrap``), and ``__real_`` of it is the task's.
If its starts and ends are recorded, too, ``trace.c`` has the former, which calls what stands here.
"""

from __future__ import annotations

from carillon import c_names
from carillon.emit import text
from carillon.image import Image


def table(image: Image) -> list[str]:
    """The table of budgets, which stands in another file, so that it is read and not compiled into what reads it."""
    system, osek = image.system, image.osek
    carrier = osek.allocation.round_budgets if osek is not None else None
    if osek is None or carrier is None:
        return []
    units = osek.cell(carrier).use.units
    rows = []
    for task in system.bounded_functions:
        comment = f"{task.name}, {task.budget} ticks ({text.place(task.span)})"
        rows.append(f"{{{units(task.budget)}u, {system.tasks.index(task)}u}}, /* {comment} */")
    return text.table("const struct carillon_round_budget carillon_round_budgets[]", rows)


def emit(image: Image) -> dict[str, str]:
    """The file; none if no task has a budget."""
    system = image.system
    if not system.bounded:
        return {}
    lines = [text.head(image, "The tasks of the rounds that have execution budgets.")]
    lines += ['#include "kernel/core/round_budget.h"', ""]
    for number, function in enumerate(task.entry for task in system.bounded_functions):
        real, within = f"__real_{function}", f"{function}_within_its_budget"
        job = [f"    carillon_round_budget_begins({number}u);", f"    {real}();", "    carillon_round_budget_ends();"]
        name = c_names.bounded(function) if function in system.traced else f"__wrap_{function}"
        lines += [f"void {real}(void);", f"static void {within}(void)", "{", *job, "}"]
        body = [
            "    if (carillon_round_budget_watched != 0u) {",
            f"        {real}(); /* another task's work */",
            "    } else {",
            f"        CARILLON_CALL_AS({real}, {within});",
            "    }",
        ]
        lines += [*text.function(name, body), ""]
    return {"round_budgets.c": "\n".join(lines)}
