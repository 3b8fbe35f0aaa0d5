# SPDX-License-Identifier: Apache-2.0
"""Blocking: when something less urgent had the processor while a job waited for it.

A job waits from its release or its activation to its start, and after that while it is preempted.  Its waits for events
are its own.  Urgency is known of these:

- Of what is event-triggered, :attr:`carillon.trace.Trace.event_triggered` is in the order of falling priority.
- A round's task is more urgent than all that is event-triggered, and than each task of the round that was released before it.
- Of interrupts beside a round nothing is known: they block nobody, and nobody blocks them.

The kernel's own time is nobody's, and blocks nobody.  In a Giotto program the machine or the blocks choose who runs,
not priorities.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence

from carillon.trace import Trace
from carillon.trace.summary import Summary
from carillon.trace.timeline import Lane, LaneKind, Run, Segment

Interval = tuple[int, int, int]
"""Begin and end in ``u``, and the index of a run."""


def blocking(trace: Trace, summary: Summary, preempted: Mapping[Lane, Sequence[Interval]]) -> dict[Lane, list[Interval]]:
    """When the jobs of each lane were blocked, ascending; ``preempted``: when they were preempted."""
    found: dict[Lane, list[Interval]] = {lane: [] for lane in summary.lanes}
    if trace.missed is not None:
        return found
    ranks = ranks_of(trace)
    segments = [s for s in summary.segments if s.lane.kind in (LaneKind.TASK, LaneKind.INTERRUPT)]
    ends = [s.end.u for s in segments]
    waits = [(since, run.begin.u, index) for index, run in enumerate(summary.runs) if (since := _since(run, summary)) is not None]
    waits += [wait for lane in preempted for wait in preempted[lane] if wait[2] >= 0]
    for begin, end, index in waits:
        run = summary.runs[index]
        for place in range(bisect.bisect_right(ends, begin), len(segments)):
            segment = segments[place]
            if segment.begin.u >= end:
                break
            if _less_urgent(segment, run, summary.runs, ranks):
                found[run.lane].append((max(begin, segment.begin.u), min(end, segment.end.u), index))
    for intervals in found.values():
        intervals.sort()
    return found


def ranks_of(trace: Trace) -> dict[str, int]:
    """How urgent each event-triggered task and ISR is: 0 is the most urgent, and equals have the same number."""
    ranks = {name: rank for rank, name in enumerate(trace.event_triggered)}
    for names in trace.equals:
        ranks.update(dict.fromkeys(names, min(ranks[name] for name in names)))
    return ranks


def _since(run: Run, summary: Summary) -> int | None:
    """From when a run waits for its start, in ``u``; None if that is not known."""
    return run.release.at * summary.scale if run.release is not None else run.activated


def _less_urgent(segment: Segment, run: Run, runs: Sequence[Run], ranks: Mapping[str, int]) -> bool:
    """Whether what had the processor in a segment is known to be less urgent than a run."""
    own, its = ranks.get(run.lane.name), ranks.get(segment.lane.name)
    if own is not None:
        return its is not None and its > own
    if run.lane.kind is LaneKind.INTERRUPT:
        return False
    if its is not None:
        return True
    other = runs[segment.owner].release if segment.owner >= 0 and segment.lane != run.lane else None
    return other is not None and run.release is not None and other.at < run.release.at
