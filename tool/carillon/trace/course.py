# SPDX-License-Identifier: Apache-2.0
"""The times of a mode's rounds and of the points in them, also for rounds that are made longer and shorter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Course:
    """Rounds of ``length`` ticks from tick ``begin`` on, before tick ``end``.

    ``points``: when the handler of each sync point began.  The first is where the schedule has it, and each later one is off by
    all corrections before it.  What a round has before its sync point is off by as much as that point, and what it has behind by
    as much as the next one.  ``held``: the first tick at which the rounds were let go; what was due before did not happen.
    """

    begin: int
    end: int
    length: int
    points: Sequence[int] = ()
    held: int = 0
    _off: tuple[int, ...] = field(init=False, default=(0,))
    _at: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if self.points:
            at = (self.points[0] - self.begin) % self.length
            off = tuple(t - (self.begin + at + k * self.length) for k, t in enumerate(self.points))
            object.__setattr__(self, "_at", at)
            object.__setattr__(self, "_off", off)

    @property
    def rounds(self) -> range:
        """The numbers of the rounds that may have anything due."""
        least = min(self._off)
        return range(max(0, -(-(self.end - self.begin - least) // self.length)))

    def tick(self, number: int, at: int) -> int:
        """When tick ``at`` of a round was, with all that belongs to the same activation."""
        k = min(number + (at > self._at), len(self._off) - 1)
        return self.begin + number * self.length + at + self._off[k]

    def happens(self, tick: int) -> bool:
        """Whether what was due at a tick of the run took place."""
        return self.held <= tick < self.end
