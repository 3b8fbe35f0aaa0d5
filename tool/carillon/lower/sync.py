# SPDX-License-Identifier: Apache-2.0
"""Where a round is synchronised: its sync point, and how long nothing of the round is due after it.

The point comes after everything of the round (OSEKtime OS 1.0; Sloth on Time, section IV-E).  From there on to the next expiry
of any cell of the round there is slack.  A round can be made shorter by no more than that.
"""

from __future__ import annotations

from collections.abc import Sequence

from carillon.actions.switch_mode import SwitchMode
from carillon.lower import Demand


def sync_point(demands: Sequence[Demand], length: int) -> tuple[int, int]:
    """The tick of the round at which it is synchronised, and the slack from there on, in ticks; 0: there is none.

    A tick after the last point; or after the switch of modes, where that leaves more.  A deadline at the round's end is at tick 0
    of the next one, so that the point may come early in that.
    """
    points = [p.at for d in demands if not isinstance(d.action, SwitchMode) for p in d.points]
    switch = [p.at for d in demands if isinstance(d.action, SwitchMode) for p in d.points]
    last = max(points, default=0)
    expiries = sorted({at % length for at in (*points, *switch)})
    found = [((at + 1) % length, _ahead((at + 1) % length, expiries, length)) for at in (last, *(s for s in switch if s > last))]
    return max(found, key=lambda place: place[1])


def _ahead(at: int, expiries: Sequence[int], length: int) -> int:
    """How far the next of them is."""
    return min(((e - at) % length for e in expiries), default=length)
