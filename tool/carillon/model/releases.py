# SPDX-License-Identifier: Apache-2.0
"""When the tasks of a Giotto program may be released, in whatever order modes are switched.

All instants repeat with the least common multiple H of the modes' periods.  A mode may be entered some time after its begin.  So
each entry says when a period of the mode would have begun, modulo H.  There are finitely many modes and such times.  All of
them that switches reach are followed.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

from carillon.model.giotto import Giotto, Mode
from carillon.model.instants import active_units, begins, entry_of

_MOST_BEGINS = 10_000


@dataclass(frozen=True, slots=True)
class Releases:
    """The times in milliseconds at which a task may be released, modulo ``period``."""

    times: tuple[int, ...]
    period: int

    def before(self, time: int) -> int:
        """The latest of them that is not behind a time, which is negative before the first one."""
        turn, rest = divmod(time, self.period)
        place = bisect_right(self.times, rest) - 1
        return turn * self.period + self.times[place] if place >= 0 else (turn - 1) * self.period + self.times[-1]


def releases_of(program: Giotto) -> dict[str, Releases]:
    """Those of each task that any mode invokes; of none if there are too many begins of modes."""
    modes = {mode.name.text: mode for mode in program.modes}
    length = math.lcm(*(mode.period for mode in program.modes))
    waiting = [(program.start.text, 0)]
    seen = set(waiting)
    while waiting:
        name, begin = waiting.pop()
        for target, time in _entered(modes[name], modes):
            there = target, (begin + time) % length
            if there not in seen:
                seen.add(there)
                waiting.append(there)
        if len(seen) > _MOST_BEGINS:
            return {}
    times: dict[str, set[int]] = {}
    for name, begin in seen:
        mode = modes[name]
        for a in mode.invocations:
            period = mode.period // a.frequency
            first = begin % period
            times.setdefault(a.target.text, set()).update(range(first, length, period))
    return {name: Releases(tuple(sorted(found)), length) for name, found in times.items()}


def _entered(mode: Mode, modes: dict[str, Mode]) -> list[tuple[str, int]]:
    """The targets of a mode's switches, and when a period of each would have begun, after one of the mode has."""
    found = []
    for switch in mode.switches:
        target = modes[switch.target.text]
        for unit in active_units(mode):
            if begins(mode, switch, unit):
                entry = entry_of(mode, unit, target)
                within = (entry.unit or (target.units if entry.wait else 0)) * int(target.unit) - entry.wait
                found.append((target.name.text, unit * int(mode.unit) - within))
    return found
