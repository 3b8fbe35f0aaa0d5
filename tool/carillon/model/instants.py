# SPDX-License-Identifier: Apache-2.0
"""The units of a mode, and the unit in which a switch enters another mode."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from carillon.model.giotto import Activity, Mode


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a switch goes on in its target.

    ``wait`` 0: in the unit ``unit``, at once, with what that unit does after switches.  Otherwise: after so many
    milliseconds, at the beginning of the unit.
    """

    unit: int
    wait: int


def entry_of(mode: Mode, at: int, target: Mode) -> Entry:
    """Where a switch in the ``at``-th unit of ``mode`` goes on in ``target``.

    1. With no task interrupted, the target begins at 0.
    2. The interrupted tasks have begun together at 0, so that they end together at every multiple of H, the least common multiple
       of their periods.  The next is in D = H - t mod H, where t is the time in the mode. t is no multiple of H, or nothing were
       interrupted.
    3. Each of them has the same period in the target, so H divides the target's period P'.  They end together there at
       every multiple of H, too, the last one at P'.  So the target is entered at P' - D, and each task ends when it should.
    4. If a unit begins at P' - D, its tasks begin now.  If not, nothing can happen in the target before the next unit,
       and that is P' at most.
    """
    interrupted = mode.interrupted(at)
    if not interrupted:
        return Entry(0, 0)
    common = math.lcm(*(mode.period // activity.frequency for activity in interrupted))
    left = common - at * int(mode.unit) % common
    time, unit = target.period - left, int(target.unit)
    begun = -(-time // unit)
    return Entry(begun % target.units, begun * unit - time)


@dataclass(slots=True)
class Unit:
    """What a mode does in one of its units, in the order of the program."""

    updates: list[Activity] = field(default_factory=list)
    switches: list[Activity] = field(default_factory=list)
    invocations: list[Activity] = field(default_factory=list)


def units_of(mode: Mode) -> dict[int, Unit]:
    """The units of a mode in which something happens, and the first one, ascending."""
    found = {0: Unit()}
    for name in ("updates", "switches", "invocations"):
        for activity in getattr(mode, name):
            for unit in range(0, mode.units, mode.units // activity.frequency):
                getattr(found.setdefault(unit, Unit()), name).append(activity)
    return dict(sorted(found.items()))


def active_units(mode: Mode) -> list[int]:
    """The units of a mode that have a block."""
    return list(units_of(mode))


def next_block(mode: Mode, active: Sequence[int], time: int) -> int:
    """When the next block of a mode begins behind ``time``: a time in the mode, its period at most."""
    return min((unit * int(mode.unit) for unit in active if unit * int(mode.unit) > time), default=mode.period)


def begins(mode: Mode, activity: Activity, unit: int) -> bool:
    """Whether an activity of a mode is due at the beginning of a unit."""
    return activity.frequency * unit % mode.units == 0
