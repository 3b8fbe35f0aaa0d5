# SPDX-License-Identifier: Apache-2.0
"""Each run of a test is held against what is printed before it."""

from __future__ import annotations

from carillon.pipeline import Planned, bounds_of, releases
from carillon.trace import Trace
from carillon.trace.analyse import analyse
from carillon.trace.bounds import Broken, broken
from carillon.trace.executions import exceeded


def exceeded_bounds(planned: Planned, trace: Trace) -> list[Broken]:
    """What of all that is printed before a run the run exceeds; nothing if a task takes longer than the schedule says."""
    summary = analyse(trace, releases(planned.system, trace))
    if any(exceeded(planned.system, trace, summary)):
        return []
    return list(broken(trace, summary, bounds_of(planned)))
