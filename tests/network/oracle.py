# SPDX-License-Identifier: Apache-2.0
"""What a network must do, worked out slowly: clocks in fractions from their beginning, messages one by one.

It shares nothing with ``emulators/network``: chance is SplitMix64 written down again, a clock is a sum over all of its past.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

SECOND = 10**12  # picoseconds
MASK = 2**64 - 1
WALK, LOSS, TWICE, JITTER, LATE, DELAY = range(6)


def draw(seed: int, purpose: int, a: int, b: int, c: int) -> int:
    x = seed
    for word in (purpose, a, b, c):
        x = ((x ^ word) + 0x9E3779B97F4A7C15) & MASK
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
        x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
        x ^= x >> 31
    return x


def drawn(seed: int, purpose: int, a: int, b: int, c: int, most: int) -> int:
    """A number from 0 to ``most``."""
    return draw(seed, purpose, a, b, c) * (most + 1) // 2**64


@dataclass(frozen=True)
class Oscillator:
    """``errors``: (picosecond, parts of 10^9), ascending, the first at 0.  ``wander``: step, bound, every; or None."""

    hz: int
    start: int
    errors: tuple[tuple[int, int], ...]
    wander: tuple[int, int, int] | None
    seed: int
    number: int

    def changes(self, until: int) -> list[tuple[int, Fraction]]:
        """(picosecond, ticks a picosecond from then on), from power-up."""
        times = {at for at, _ in self.errors if self.start < at <= until} | {self.start}
        walk: dict[int, int] = {}
        if self.wander is not None:
            step, bound, every = self.wander
            value, k = 0, self.start // every + 1
            while k * every <= until:
                value += drawn(self.seed, WALK, self.number, k, 0, 2 * step) - step
                value = 2 * bound - value if value > bound else -2 * bound - value if value < -bound else value
                walk[k * every] = value
                k += 1
        found = []
        value = 0
        for time in sorted(times | set(walk)):
            value = walk.get(time, value)
            error = [e for at, e in self.errors if at <= time][-1]
            found.append((time, self.hz * (1 + Fraction(error + value, 10**9)) / SECOND))
        return found

    def ticks(self, time: int) -> Fraction:
        """What it has made at ``time``, with the part of a tick."""
        changes = self.changes(time)
        ends = [at for at, _ in changes[1:]] + [time]
        return sum(((end - at) * rate for (at, rate), end in zip(changes, ends, strict=True)), Fraction(0))

    def time(self, tick: int, until: int) -> int | None:
        """The first picosecond at which it has made ``tick`` ticks; None if that is after ``until``."""
        made = Fraction(0)
        changes = self.changes(until)
        for k, (at, rate) in enumerate(changes):
            when = ceil(at + (tick - made) / rate)
            end = changes[k + 1][0] if k + 1 < len(changes) else until
            if when <= end:
                return max(at, when)
            made += (end - at) * rate
        return None

    def stamp(self, time: int) -> int:
        return floor(self.ticks(time))
