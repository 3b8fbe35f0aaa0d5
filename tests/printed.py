# SPDX-License-Identifier: Apache-2.0
"""Each run of a test is held against what is printed before it."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.pipeline import Planned, bounds_of, releases
from carillon.trace import Trace
from carillon.trace.analyse import analyse
from carillon.trace.bounds import Broken, broken, rests
from carillon.trace.executions import exceeded


@dataclass(frozen=True, slots=True)
class Held:
    """What a run exceeds of what is printed before it; ``judged``: whether the bounds of starts and rounds were looked at."""

    exceeds: tuple[Broken, ...] = ()
    judged: bool = False


def held(planned: Planned, trace: Trace) -> Held:
    """A run held against what is printed before it; nothing is judged if a task takes longer than the schedule says."""
    summary = analyse(trace, releases(planned.system, trace))
    if any(exceeded(planned.system, trace, summary)):
        return Held()
    judged = planned.allocation.kernel == "carillon" and not trace.captured and rests(summary)
    return Held(tuple(broken(trace, summary, bounds_of(planned))), judged)


def exceeded_bounds(planned: Planned, trace: Trace) -> list[Broken]:
    """What of all that is printed before a run the run exceeds."""
    return list(held(planned, trace).exceeds)
