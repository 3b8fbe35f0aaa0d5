# SPDX-License-Identifier: Apache-2.0
"""Whether the tasks of a Giotto program end in time under rate-monotonic priorities, in whatever order modes are switched.

All that can happen is followed, from the start: at each instant at which a mode may switch, it does and it does not.

1. Every task takes its whole execution time, and no guard skips one.  This is the worst case: if work is left out, nothing
   that runs by fixed priorities ends later.
2. A switch interrupts tasks, which go on in the target with the same periods.  So a task's priority is the same in all modes in
   which one of its invocations takes place.  What the past means for the future is how much work of each is left.
3. Compare a visit with another one of the same unit of a mode.  If no task has less work left there, nothing can go wrong after
   that visit that does not go wrong here.  So of the visits of a unit, those are followed that no other one covers in this way.
4. Of tasks with one period all deadlines are the same, so that their order among themselves does not matter.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from carillon.frontends.giotto.simulation import Played
from carillon.model.giotto import Activity, Giotto, Mode
from carillon.model.instants import active_units, begins, entry_of

_MOST_VISITS = 20_000


@dataclass(frozen=True, slots=True)
class Across:
    """Whether all tasks end in time, in every order of switches; ``None``: there are too many cases to say.

    ``path``: if they do not, the modes and the instants in milliseconds at which they begin, the first one's left out;
    ``played``: what runs up to what is late.
    """

    safe: bool | None
    path: tuple[tuple[str, Fraction], ...] = ()
    played: Played | None = None


@dataclass(frozen=True, slots=True)
class _Visit:
    """Arrival at an active unit of a mode; ``left``: the work that is left of each task; ``before``: the visit before."""

    mode: str
    unit: int
    left: tuple[int, ...]
    before: _Visit | None = None
    target: str = ""
    """The mode to which the visit before has switched; empty if to none."""


def across_switches(
    program: Giotto, times: Mapping[str, Fraction], taken: Fraction = Fraction(0), share: Fraction = Fraction(0)
) -> Across:
    """The answer; ``times`` are the execution times of all tasks that any mode invokes, in milliseconds.

    Of each stretch between two visits, ``taken`` milliseconds and the ``share`` of it are no task's.
    """
    return _Search(program, times, taken, share).run()


class _Search:
    def __init__(self, program: Giotto, times: Mapping[str, Fraction], taken: Fraction, share: Fraction) -> None:
        self.taken, self.share = taken, share
        self.modes = {mode.name.text: mode for mode in program.modes}
        self.active = {name: active_units(mode) for name, mode in self.modes.items()}
        self.names = [task.name.text for task in program.tasks]
        self.number = {name: k for k, name in enumerate(self.names)}
        self.scale = math.lcm(*(time.denominator for time in times.values()))
        self.time = [int(times.get(name, Fraction(0)) * self.scale) for name in self.names]
        self.order = {
            name: [self.number[a.target.text] for a in sorted(mode.invocations, key=lambda a: -a.frequency)]
            for name, mode in self.modes.items()
        }
        self.start = program.start.text

    def run(self) -> Across:
        first = _Visit(self.start, 0, (0,) * len(self.names))
        kept: dict[tuple[str, int], list[tuple[int, ...]]] = {(first.mode, first.unit): [first.left]}
        waiting = deque([first])
        visits = 0
        while waiting:
            visit = waiting.popleft()
            if visit.left not in kept[visit.mode, visit.unit]:
                continue  # covered by a later one
            visits += 1
            if visits > _MOST_VISITS:
                return Across(None)
            if self.late(visit) is not None:
                return self.shown(visit)
            for following in self.following(visit):
                others = kept.setdefault((following.mode, following.unit), [])
                if any(_covers(other, following.left) for other in others):
                    continue
                others[:] = [other for other in others if not _covers(following.left, other)]
                others.append(following.left)
                waiting.append(following)
        return Across(True)

    def late(self, visit: _Visit) -> int | None:
        """A task that has work left though its invocation ends here."""
        ending = (self.number[a.target.text] for a in _begun(self.modes[visit.mode], visit.unit))
        return next((task for task in ending if visit.left[task]), None)

    def following(self, visit: _Visit) -> list[_Visit]:
        """What may come next: another unit of the mode, or one of a target."""
        found = []
        for target, released, order, time, unit in self.choices(visit):
            left = [self.time[task] if task in released else rest for task, rest in enumerate(visit.left)]
            for task, used in self.ran(left, order, time):
                left[task] -= used
            found.append(_Visit(target or visit.mode, unit, tuple(left), visit, target))
        return found

    def choices(self, visit: _Visit) -> list[tuple[str, list[int], list[int], Fraction, int]]:
        """The target of a switch or nothing, what is released, who has priority, and the time to the unit that comes then."""
        mode = self.modes[visit.mode]
        found = [("", *self.from_(mode, visit.unit))]
        for switch in mode.switches:
            if begins(mode, switch, visit.unit):
                target = self.modes[switch.target.text]
                entry = entry_of(mode, visit.unit, target)
                found.append((target.name.text, *self.from_(target, entry.unit, entry.wait)))
        return found

    def from_(self, mode: Mode, unit: int, wait: int = 0) -> tuple[list[int], list[int], Fraction, int]:
        """What is released in a unit, active or not, and when the next active one comes; nothing so long before the unit."""
        order = self.order[mode.name.text]
        if wait and unit in self.active[mode.name.text]:
            return [], order, Fraction(wait), unit
        time, following = self.next(mode, unit)
        return [] if wait else [self.number[a.target.text] for a in _begun(mode, unit)], order, wait + time, following

    def next(self, mode: Mode, unit: int) -> tuple[Fraction, int]:
        """How long it is from a unit to the next active one."""
        active = self.active[mode.name.text]
        following = next((u for u in active if u > unit), None)
        if following is None:
            return (mode.units - unit + active[0]) * mode.unit, active[0]
        return (following - unit) * mode.unit, following

    def ran(self, left: list[int], order: list[int], time: Fraction) -> list[tuple[int, int]]:
        """Which tasks run for how long, one after the other: nothing is released meanwhile."""
        room = max(0, math.floor((time * (1 - self.share) - self.taken) * self.scale))
        found = []
        for task in order:
            used = min(left[task], room)
            if used:
                found.append((task, used))
                room -= used
        return found

    def shown(self, last: _Visit) -> Across:
        """How it comes to the visit at which a task is late."""
        visits = [last]
        while visits[-1].before is not None:
            visits.append(visits[-1].before)
        visits.reverse()
        played = Played(self.scale)
        path = []
        now = 0
        for visit, following in itertools.pairwise(visits):
            choice = next(c for c in self.choices(visit) if c[0] == following.target)
            target, released, order, time, _ = choice
            mode = self.modes[target or visit.mode]
            if target:
                path.append((target, Fraction(now, self.scale)))
            left = list(visit.left)
            for task in released:
                left[task] = self.time[task]
                activity = next(a for a in mode.invocations if a.target.text == self.names[task])
                played.releases.append((self.names[task], now, now + mode.period * self.scale // activity.frequency))
            at = now
            for task, used in self.ran(left, order, time):
                played.slices.append((self.names[task], at, at + used))
                at += used
            now += int(time * self.scale)
        late = self.late(last)
        assert late is not None
        played.late = now, self.names[late]
        played.until = now
        return Across(False, tuple(path), played)


def _covers(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether no task has less work left in ``one``."""
    return all(a >= b for a, b in zip(one, other, strict=True))


def _begun(mode: Mode, unit: int) -> list[Activity]:
    """The invocations that begin in a unit, and whose last ones end there."""
    return [a for a in mode.invocations if begins(mode, a, unit)]
