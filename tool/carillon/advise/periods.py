# SPDX-License-Identifier: Apache-2.0
"""What follows from a set of periods: how often anything is due, and with which tick a periodic clock keeps them.

Exact, in fractions of any unit.  All periods begin together; where they do not, fewer of them coincide.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

WITHIN = Fraction(1, 100)
"""By which part of itself a period may be off its written length where no tick keeps all of them exactly."""

_MOST_COINCIDENCES = 2_000
"""Of more periods' coincidences, those that are rarer are not counted: more than ten periods without a common measure."""

_PARTS = 100
"""A tick that is tried is a period, or one of up to so many parts of one."""

_MOST_RELEASES = 10_000


def greatest_common_divisor(values: Iterable[Fraction]) -> Fraction:
    """The greatest number of which every value is a whole multiple; 0 of no value."""
    fractions = list(values)
    return Fraction(math.gcd(*(f.numerator for f in fractions)), math.lcm(*(f.denominator for f in fractions)))


def rounded_up(period: Fraction, tick: Fraction) -> Fraction:
    """A period as C's macros write it: the next whole number of ticks."""
    return -(-period // tick) * tick


def rate(periods: Iterable[Fraction]) -> Fraction:
    """How often at least one of the periods is over, per unit of time: inclusion and exclusion over their coincidences."""
    exact = set(periods)
    unit = math.lcm(*(p.denominator for p in exact))
    least: list[int] = []
    for period in sorted(int(p * unit) for p in exact):
        if all(period % shorter for shorter in least):  # else it is over where a shorter one is
            least.append(period)
    signs: dict[int, int] = {}  # distance of coincidences -> how often it counts
    for period in least:
        more = {period: 1}
        for distance, sign in signs.items():
            both = math.lcm(distance, period)
            more[both] = more.get(both, 0) - sign
        for distance, sign in more.items():
            signs[distance] = signs.get(distance, 0) + sign
        signs = {distance: signs[distance] for distance in heapq.nsmallest(_MOST_COINCIDENCES, signs)}
    common = math.lcm(*signs)
    return Fraction(sum(sign * (common // distance) for distance, sign in signs.items()) * unit, common)


def laps(periods: Sequence[Fraction], reach: Fraction) -> Fraction:
    """How often a timer that is set at most ``reach`` ahead interrupts only to be set again, per unit of time.

    Over the time in which the pattern of releases repeats, or that of its first 10,000.
    """
    if min(periods) <= reach:
        return Fraction(0)
    times = [Fraction(0)]
    due = sorted((period, period) for period in set(periods))
    end = Fraction(math.lcm(*(p.numerator for p in periods)), math.gcd(*(p.denominator for p in periods)))
    while times[-1] < end and len(times) <= _MOST_RELEASES:
        at, period = due[0]
        heapq.heapreplace(due, (at + period, period))
        if at != times[-1]:
            times.append(at)
    return sum(-(-(later - earlier) // reach) - 1 for earlier, later in pairwise(times)) / times[-1]


@dataclass(frozen=True, slots=True)
class TickChoice:
    """A tick of a periodic clock: whole units, and by which part of itself the worst of the periods becomes longer."""

    tick: int
    error: Fraction


def tick_choices(periods: Sequence[Fraction], usable: Callable[[int], bool]) -> tuple[TickChoice, ...]:
    """The ticks worth having, the best first: the greatest common divisor alone, or the longest part of it that is ``usable``.

    Where none is, or none is whole, it is the longest tick that is within :data:`WITHIN`, or else the nearest.  Then come those
    about it, of which each longer one is less exact, from the longest to the shortest.  Empty if no tick is usable.
    """
    common = greatest_common_divisor(periods)
    for parts in range(1, _PARTS + 1):
        if (common / parts).denominator == 1 and usable(int(common / parts)):
            return (TickChoice(int(common / parts), Fraction(0)),)
    tried = {math.ceil(period / parts) for period in periods for parts in range(1, _PARTS + 1)}
    front: list[TickChoice] = []
    for tick in sorted(tried, reverse=True):
        error = max((-(-p // tick) * tick - p) / p for p in periods)
        if (not front or error < front[-1].error) and usable(tick):
            front.append(TickChoice(tick, error))
    if not front:
        return ()
    best = next((k for k, choice in enumerate(front) if choice.error <= WITHIN), len(front) - 1)
    about = [choice for k, choice in enumerate(front) if best - 3 < k < best + 3 and k != best]
    return (front[best], *about)
