# SPDX-License-Identifier: Apache-2.0
"""What a synchronised round does, in whole numbers without bounds: an independent model of its sync points.

Times are ticks since the first round's beginning.  The model knows nothing of cells: a round has a length, a sync point and
limits; a node's own position in its round goes on with its clock, and jumps at sync points.
"""

from __future__ import annotations

from collections.abc import Sequence


def nearest(difference: int, length: int) -> int:
    """The same, the shorter way round: more than minus half a round, and half a round at most."""
    difference %= length
    return difference - length if 2 * difference > length else difference


def starts(schedule_times: Sequence[int], told: int, length: int, lengthen: int, shorten: int, unit: int = 1) -> list[int]:
    """When rounds begin, the first at 0, and one more than there are ``schedule_times``.

    In each round ttSyncTimes is told, at position ``told`` of the own round, that the global round is at a schedule time.  A
    correction is made in whole units.
    """
    begins = [0]
    for schedule_time in schedule_times:
        by = max(-shorten, min(lengthen, nearest(told - schedule_time, length)))
        whole = abs(by) // unit * unit
        begins.append(begins[-1] + length + (whole if by > 0 else -whole))
    return begins
