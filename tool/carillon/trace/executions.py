# SPDX-License-Identifier: Apache-2.0
"""Whether a run refutes what the schedule says of execution times."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from carillon.diagnostics import Diagnostics
from carillon.model import System, Task
from carillon.trace import Trace
from carillon.trace.summary import Summary
from carillon.trace.timeline import Lane, LaneKind
from carillon.units import format_duration


def exceeded(system: System, trace: Trace, summary: Summary) -> Iterator[tuple[Task, Fraction]]:
    """The time-triggered tasks of which a job executed for longer than its WCET, and for how many ticks at most.

    What preempted a job does not count; a job that had not ended counts for what it has executed.
    """
    per_tick = max(1, trace.instructions_per_tick)
    for task in system.tasks:
        lane = Lane(LaneKind.TASK, task.name)
        most = max((run.executed for run in summary.runs if run.lane == lane), default=0)
        if task.wcet is not None and most > task.wcet * per_tick:
            yield task, Fraction(most, per_tick)


def warn_of_exceeded(system: System, trace: Trace, summary: Summary, diagnostics: Diagnostics) -> int:
    """Report C245 for each task that executed for longer than its WCET; returns of how many."""
    found = list(exceeded(system, trace, summary))
    for task, ticks in found:
        assert task.wcet is not None
        most, wcet = (format_duration(time, system.clock_hz) for time in (ticks, task.wcet))
        diagnostics.warning(
            "C245",
            task.span,
            f"task '{task.name}' executed for {most}, and its WCET is {wcet}: what was checked with that does not hold",
            "measure the task's longest way, and write that as its wcet; or make the task shorter",
        )
    return len(found)
