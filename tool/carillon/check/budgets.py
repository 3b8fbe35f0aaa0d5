# SPDX-License-Identifier: Apache-2.0
"""The execution budgets of the rounds' tasks go together, and let each job run for its WCET (C282; the latter is a warning)."""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.model import System


def check(system: System, diagnostics: Diagnostics) -> None:
    """Apply the rule: what bounds a task stands in the place of its function, so tasks of one function have one budget."""
    for task in system.bounded:
        other = next((t for t in system.tasks if t.entry == task.entry and t.budget != task.budget), None)
        if other is not None and (not other.budget or task.span.line < other.span.line):
            cause = f"tasks '{task.name}' and '{other.name}' run the function '{task.entry}' with different budgets"
            diagnostics.error("C282", task.span, cause, "give both the same budget, or each a function of its own")
        if task.wcet is not None and task.wcet > task.budget:
            cause = f"the budget of task '{task.name}', {task.budget} ticks, is less than its WCET, {task.wcet} ticks"
            diagnostics.warning("C282", task.span, cause, "write a budget of the WCET or more, unless jobs are to be cut short")
