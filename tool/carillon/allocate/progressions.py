# SPDX-License-Identifier: Apache-2.0
"""Partitions of a round's points into equally spaced ones, each of which one free-running cell serves.

A cell that is started at an offset and runs with a period dividing the round raises its request at
``offset + k * period``: a coset of the integers modulo the round's length.  The points of a demand are
therefore an exact cover by such cosets, and the fewer cosets, the fewer cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from carillon.allocate.result import Progression

EXACT_LIMIT = 200
"""Up to this many points a partition is proved minimal; beyond, cosets are taken largest first."""

Allowed = Callable[[Progression], bool]


@dataclass(frozen=True, slots=True)
class Partition:
    """Disjoint progressions, in ascending order of offset; ``exact``: no partition has fewer."""

    progressions: tuple[Progression, ...]
    exact: bool


def prime_factors(number: int) -> list[int]:
    """The distinct primes that divide ``number`` (>= 1), ascending."""
    primes = []
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            primes.append(divisor)
            while number % divisor == 0:
                number //= divisor
        divisor += 1
    if number > 1:
        primes.append(number)
    return primes


def candidates(times: Sequence[int], round_length: int, allowed: Allowed | None = None) -> list[Progression]:
    """Every progression all of whose points are among ``times``: longest first, then by offset.

    ``times`` are ascending, distinct, within ``0 .. round_length - 1``.  Those that ``allowed`` refuses are left out.
    """
    progressions = []
    for count in range(len(times), 0, -1):
        if round_length % count:
            continue
        period = round_length // count
        residues = Counter([time % period for time in times])
        for residue in sorted(residue for residue, points in residues.items() if points == count):
            progression = Progression(residue, period)
            if allowed is None or allowed(progression):
                progressions.append(progression)
    return progressions


def partition(times: Sequence[int], round_length: int, allowed: Allowed | None = None) -> Partition | None:
    """The fewest disjoint allowed progressions that together are exactly ``times``; None if there are none.

    A minimal exact cover up to :data:`EXACT_LIMIT` points.  Beyond, the largest come first, and ``exact`` is false unless one
    progression suffices.
    """
    usable = candidates(times, round_length, allowed)
    greedy = _largest_first(times, round_length, usable)
    if greedy is not None and len(greedy) == 1:
        return Partition(greedy, exact=True)
    if len(times) > EXACT_LIMIT:
        return None if greedy is None else Partition(greedy, exact=False)
    if all(p.period == round_length for p in usable):
        return None if greedy is None else Partition(greedy, exact=True)
    exact = _exact(times, round_length, usable)
    return None if exact is None else Partition(exact, exact=True)


def _sorted(progressions: Sequence[Progression]) -> tuple[Progression, ...]:
    return tuple(sorted(progressions, key=lambda p: (p.offset, p.period)))


def _largest_first(times: Sequence[int], round_length: int, usable: Sequence[Progression]) -> tuple[Progression, ...] | None:
    left = set(times)
    chosen = []
    for progression in usable:
        if progression.offset in left:
            points = progression.times(round_length)
            if left.issuperset(points):
                left.difference_update(points)
                chosen.append(progression)
    return None if left else _sorted(chosen)


def _exact(times: Sequence[int], round_length: int, usable: Sequence[Progression]) -> tuple[Progression, ...] | None:
    """A minimal exact cover."""
    from carillon.allocate.cpsat import Model

    model = Model()
    covering: dict[int, list[Any]] = {time: [] for time in times}
    take = {progression: model.new_bool_var() for progression in usable}
    for progression, variable in take.items():
        for time in progression.times(round_length):
            covering[time].append(variable)
    for variables in covering.values():
        model.add_exactly_one(variables)
    model.minimize(sum(take.values()))
    answer = model.answer()
    return _sorted([p for p, variable in take.items() if answer.value(variable)]) if answer.optimal else None


def partitions(
    times: Sequence[int], round_length: int, allowed: Allowed | None = None, limit: int = 32
) -> tuple[list[tuple[Progression, ...]], bool]:
    """Up to ``limit`` different partitions of ``times`` into allowed progressions, and whether these are all.

    They come in no particular order of size; the work is bounded by ``limit`` too.
    """
    if len(times) > 4 * limit:
        return [], False
    by_time: dict[int, list[tuple[Progression, frozenset[int]]]] = {time: [] for time in times}
    for progression in candidates(times, round_length, allowed):
        points = frozenset(progression.times(round_length))
        for time in points:
            by_time[time].append((progression, points))
    steps = 64 * limit

    def covers(left: frozenset[int]) -> Iterator[list[Progression]]:
        nonlocal steps
        if not left:
            yield []
            return
        for progression, points in by_time[min(left)]:
            steps -= 1
            if steps < 0:
                return
            if points <= left:
                for rest in covers(left - points):
                    yield [progression, *rest]

    result: list[tuple[Progression, ...]] = []
    for cover in covers(frozenset(times)):
        if len(result) == limit:
            return result, False
        result.append(_sorted(cover))
    return result, steps >= 0


def split(progression: Progression, factor: int) -> tuple[Progression, ...]:
    """The same points as ``factor`` progressions, each with ``factor`` times the period."""
    period = progression.period * factor
    return tuple(Progression(progression.offset + k * progression.period, period) for k in range(factor))
