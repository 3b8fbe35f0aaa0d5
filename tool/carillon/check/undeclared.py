# SPDX-License-Identifier: Apache-2.0
"""What preempts the tasks of rounds for a time that nothing declares (C310, a warning).

An interrupt above tasks takes its time from whatever runs.  Where nothing says how long and how often, the check of deadlines
leaves it out (:mod:`carillon.check.simulation`).  What is declared, :mod:`carillon.timing.verdicts` counts.
"""

from __future__ import annotations

from carillon.check.common import listed
from carillon.diagnostics import Diagnostics
from carillon.model import Mode, Overrun, System, Window


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
        often = interrupt.declared.min_interval or (interrupt.reenabled and len(system.modes) == 1)
        if not interrupt.above_tasks or (interrupt.declared.wcet and often):
            continue
        unsaid = "says neither how long it takes nor how often it comes"
        if interrupt.declared.wcet:
            unsaid = "does not say how often it comes"
        elif interrupt.reenabled or interrupt.declared.min_interval:  # the points bound how often
            unsaid = "does not say how long it takes"
        cause = (
            f"the interrupt '{interrupt.name}' preempts all tasks, and the schedule {unsaid}: "
            f"that {listed(tasks)} end in time is checked without it"
        )
        remedy = 'write its wcet and min_interval: then it is counted; or priority = "below-tasks"'
        diagnostics.warning("C310", interrupt.span, cause, remedy)
