# SPDX-License-Identifier: Apache-2.0
"""Which period has each timer whose cells are its channels?

A channel matches once in its timer's period, so a timer serves the points of one period alone: the round's, or that of
tasks that recur within it.  A mode has few periods and a board few such timers: all ways to give them out are tried.  The
first is the one in which every timer counts the round, the second the one in which all run freely that can.

A timer that is too narrow for the round may run freely.  Its period is its turn then, and each of its channels is re-armed by
adding the interval to its own next point.  So the periods of tasks on one timer need no common multiple that it could count.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product

from carillon.allocate.fit import Fitter
from carillon.allocate.progressions import partition
from carillon.lower import LoweredMode
from carillon.model.board import Board
from carillon.model.family import Start

MOST = 256
"""Ways that are tried: all of them with four timers and four periods."""


def timer_periods(board: Board, mode: LoweredMode, fitter: Fitter, busy: frozenset[int]) -> Iterator[dict[str, int]]:
    """Each assignment of periods, as in :class:`Fitter`, without timers that count the round.  ``busy``: sources in use."""
    yield {}
    timers = [a for a in board.cells if a.start is Start.TIMER and not busy.issuperset(a.sources)]
    if not timers:
        return
    shortest = max(fitter.board.lead_at(fitter.clock_hz), *(a.min_period(fitter.clock_hz) for a in timers))
    length = mode.round_length
    periods: set[int] = set()
    for demand in mode.demands:
        cover = partition(sorted({t % length for t in demand.times}), length, lambda _: True)
        periods |= {p.period for p in cover.progressions} if cover is not None else set()
    usable = sorted((p for p in periods if shortest <= p < length), reverse=True)
    turns = [fitter.turns(a) for a in timers]
    freely = tuple(own[0] if own else length for own in turns)
    ways = product(*([length, *own, *(p for p in usable if p <= 1 << a.width)] for a, own in zip(timers, turns, strict=True)))
    seen: set[tuple[object, ...]] = set()
    for _, way in zip(range(MOST * 64), chain([freely], ways), strict=False):
        # Timers that are alike but for their names may change places.
        alike = tuple(sorted((a.kind, p) for a, p in zip(timers, way, strict=True)))
        if alike in seen or len(seen) >= MOST or all(p == length for p in way):
            continue
        seen.add(alike)
        yield {a.names[0]: p for a, p in zip(timers, way, strict=True) if p != length}
