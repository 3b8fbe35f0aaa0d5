# SPDX-License-Identifier: Apache-2.0
"""The table: one cell, re-armed among the points of several demands, for what has no cell of its own.

Its handler looks up in ROM what is due.  It is what the conventional kernel does for everything.  A task that it starts
begins late, by what the handler takes, and preempts whatever runs like any other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from carillon.allocate.fit import Fitter, SourceClass, intervals_of
from carillon.allocate.problem import Problem, Table
from carillon.lower import Demand, LoweredMode
from carillon.model.board import Role
from carillon.model.family import Rearm


def find_table(classes: Sequence[SourceClass], demands: Sequence[Demand], fitter: Fitter) -> Table | None:
    """What can carry a table in a round of these demands; None if nothing can.

    A class can if one of its cells could keep each demand's points alone.  Points of two demands that are nearer than it can be
    re-armed exclude each other, those of one tick do not.  Of a timer that runs freely, each demand's own points must be less
    than a turn apart, and its first one within a turn of the start.
    """
    able, shortest, longest = [], 0, 0
    length = fitter.round_length or 0
    for c, group in enumerate(classes):
        array = group.array
        if not group.slots(Role.SYSTEM) or array.rearm is Rearm.NONE or not group.can_share:
            continue
        least, turn = fitter.shortest(array), fitter.free_turn(array)
        if turn or isinstance(fitter.multiplexed(array, (0, max(1, least)), length), int):
            able.append(c)
            shortest = max(shortest, least)
            longest = min(longest or turn, turn or longest)
    if not able:
        return None
    times = [sorted({t % length for t in d.times}) if d.action.shares and d.within else [] for d in demands]
    apart = tuple(
        (d, e)
        for d in range(len(demands))
        for e in range(d + 1, len(demands))
        if 0 < _nearest(times[d], times[e], length) < shortest
    )
    near = {d for d, points in enumerate(times) if 0 < _nearest(points, points, length) < shortest}
    lead = fitter.board.lead_at(fitter.clock_hz)
    reach = {d: max(*intervals_of(points, length), lead + points[0] - 1) for d, points in enumerate(times) if points}
    far = {d for d, ticks in reach.items() if longest and ticks >= longest}
    fits = frozenset(d for d, points in enumerate(times) if points) - near - far
    return Table(tuple(able), fits, apart) if fits else None


def table_remedy(problem: Problem, fitter: Fitter, mode: LoweredMode) -> str:
    """The remedy that would let a table carry demands where cells do not suffice; empty if no cell can carry a table."""
    if problem.table is not None and problem.table.apart:
        d, e = problem.table.apart[0]
        first, second = (problem.options[k].demand for k in (d, e))
        least = max(fitter.shortest(problem.classes[c].array) for c in problem.table.classes)
        meet = "" if first.action.runs and second.action.runs else "onto one tick or "  # two activations may not
        which = f"such as those of '{first.object}' and '{second.object}'"
        return f"move points {meet}at least {least} ticks apart, so that they can be in one table, {which}; or "
    willing = [replace(d, within=1) for d in mode.demands]
    if problem.table is None and find_table(problem.classes, willing, fitter) is not None:
        return "write start_within in [system], so that tasks that need no exact start share a cell; or "
    return ""


def _nearest(some: Sequence[int], others: Sequence[int], length: int) -> int:
    """The least distance but 0 between two points of different demands; 0 if there is none."""
    distances: list[int] = []
    for t in some if others else ():
        k = bisect_left(others, t)
        distances += [(others[at % len(others)] - t) % length for at in (k - 1, k, k + 1)]
    return min((min(apart, length - apart) for apart in distances if apart), default=0)
