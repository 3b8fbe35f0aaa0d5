# SPDX-License-Identifier: Apache-2.0
"""The sync point of a round, and the time after it in which nothing of the round is due.

The point comes after everything of the round (OSEKtime OS 1.0; Sloth on Time, section IV-E).
The slack lasts from there to the next expiry of any cell of the round.  A round can be shortened by the slack at most.
"""

from __future__ import annotations

from collections.abc import Sequence

from carillon.actions.switch_mode import SwitchMode
from carillon.lower import Demand
from carillon.model.board import Board
from carillon.model.family import Capability


def sync_unit(board: Board, clock_hz: int, length: int) -> int:
    """Ticks that a sync cell counts as one, where that is another timer than the round's: with them, it can count two rounds.

    All that is counted from the start must be whole units.  1 if no prescaler is fit, which the allocation tells.
    """
    array = next((a for a in board.cells if Capability.SYNC_POINT in a.family.can), None)
    whole = (length, board.lead_at(clock_hz), board.start_spacing)
    if array is None:
        return 1
    for unit in sorted(array.prescalers):
        if 2 * length < unit << array.width and not any(ticks % unit for ticks in whole):
            return unit
    return 1


def sync_point(demands: Sequence[Demand], length: int, unit: int) -> tuple[int, int]:
    """The round's sync point, a whole number of units, and the slack after it, both in ticks; slack 0: there is none.

    The point is a tick after the last point, or after the switch of modes, where more slack follows.  A deadline at the
    round's end is at tick 0 of the next round, so that the sync point may come early in the next round.
    """
    points = [p.at for d in demands if not isinstance(d.action, SwitchMode) for p in d.points]
    switch = [p.at for d in demands if isinstance(d.action, SwitchMode) for p in d.points]
    last = max(points, default=0)
    expiries = sorted({at % length for at in (*points, *switch)})
    places = [(at // unit + 1) * unit % length for at in (last, *(s for s in switch if s > last))]
    return max(((at, _ahead(at, expiries, length)) for at in places), key=lambda place: place[1])


def _ahead(at: int, expiries: Sequence[int], length: int) -> int:
    """How far the next of them is."""
    return min(((e - at) % length for e in expiries), default=length)
