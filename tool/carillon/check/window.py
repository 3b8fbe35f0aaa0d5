# SPDX-License-Identifier: Apache-2.0
"""A mode with window = "wcet" needs the WCET of each of its tasks (C046), a task with overrun = "never" its own (C198)."""

from __future__ import annotations

from carillon.check.common import listed
from carillon.diagnostics import Diagnostics
from carillon.model import Overrun, System, Window


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report modes whose windows cannot be computed, with the tasks that lack a WCET.

    A task whose WCET was refused by ``read`` lacks it only for that reason and would be reported twice:
    the rule is silent after errors.
    """
    if diagnostics.errors:
        return
    for task in system.tasks:
        if task.overrun is Overrun.NEVER and task.wcet is None:
            cause = f"task '{task.name}' has overrun = \"never\", but no wcet that says how long it runs"
            remedy = 'give it a wcet, which is checked against its activations, or write overrun = "guarded"'
            diagnostics.error("C198", task.span, cause, remedy)
    for mode in system.modes:
        missing = [a.task for a in mode.activations if system.task(a.task).wcet is None]
        if mode.window is Window.WCET and missing:
            cause = f"mode '{mode.name}' has window = \"wcet\", but no wcet is given for {listed(missing)}"
            diagnostics.error("C046", mode.span, cause, 'give every task of the mode a wcet, or write window = "deadline"')
