# SPDX-License-Identifier: Apache-2.0
"""What preempts the tasks of rounds for a time that nothing declares (C310, a warning).

An interrupt above tasks takes its time from whatever runs.  Nothing says how long and how often, so the check of deadlines
leaves it out (:mod:`carillon.check.simulation`).
"""

from __future__ import annotations

from carillon.check.common import listed
from carillon.diagnostics import Diagnostics
from carillon.model import Mode, Overrun, System, Window

CODES = ("C310",)


def relied_on(system: System) -> list[str]:
    """The tasks whose end in time is checked and relied on, in the order of their activations.

    A task without a WCET is checked for nothing.  One without a deadline may end late, unless nothing guards against that.
    """
    tasks = {task.name: task for task in system.tasks}

    def relies(name: str, deadlines: bool, mode: Mode) -> bool:
        task = tasks.get(name)
        if task is None or task.wcet is None:
            return False
        return deadlines or task.overrun is Overrun.NEVER or mode.window is Window.WCET

    found = [a.task for mode in system.modes for a in mode.activations if relies(a.task, bool(a.deadlines), mode)]
    return list(dict.fromkeys(found))


def check(system: System, diagnostics: Diagnostics) -> None:
    """Warn of each interrupt above tasks, if the end of a task is checked that it may put off; silent after errors."""
    if diagnostics.errors:
        return
    tasks = relied_on(system)
    for interrupt in system.interrupts if tasks else ():
        if not interrupt.above_tasks:
            continue
        unsaid = "says neither how long it takes nor how often it comes"
        if interrupt.reenabled:  # the points bound how often
            unsaid = "does not say how long it takes"
        cause = (
            f"the interrupt '{interrupt.name}' preempts all tasks, and the schedule {unsaid}: "
            f"that {listed(tasks)} end in time is checked without it"
        )
        remedy = 'write priority = "below-tasks", or leave room for it: count its time in the wcet of the tasks that it preempts'
        diagnostics.warning("C310", interrupt.span, cause, remedy)
