# SPDX-License-Identifier: Apache-2.0
"""Whether the tasks of a Giotto program end in time by rate-monotonic priorities."""

from __future__ import annotations

from carillon.check.giotto_load import execution_times
from carillon.diagnostics import Diagnostics
from carillon.giotto.switching import across_switches
from carillon.model.giotto import Giotto
from carillon.units import format_number


def check_rate_monotonic(program: Giotto, instead: str, diagnostics: Diagnostics) -> None:
    """Report C283, a task that is late in some order of switches, and C284, where this is not known.

    ``instead`` says what would not make it late, behind "use ... or".
    """
    times = execution_times(program)
    missing = [task.name.text for task in program.tasks if task.name.text not in times]
    if any(a.target.text in missing for mode in program.modes for a in mode.invocations):
        cause = f"the task {missing[0]} has no wcet, so that nothing proves that tasks end in time"
        diagnostics.warning("C284", program.start.span, cause, "write [wcet ...] behind each task")
        return
    schedulable = across_switches(program, times)
    if schedulable.safe is None:
        cause = "the switches of modes make too many cases to prove that tasks end in time"
        diagnostics.warning("C284", program.start.span, cause, "use fewer modes, or fewer switches")
    elif not schedulable.safe:
        assert schedulable.played is not None
        path = "".join(f", mode {mode} from {format_number(at, 3)} ms on" for mode, at in schedulable.path)
        cause = f"under rate-monotonic priorities, a task is late: mode {program.start}{path}: {schedulable.played.said()}"
        diagnostics.error("C283", program.start.span, cause, f"use shorter execution times, or {instead}")
