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

from carillon.allocate.result import Progression

EXACT_LIMIT = 200
"""Up to this many points a partition is proved minimal; beyond, cosets are taken largest first."""

STEPS = 2_000
"""Tries for a part of the points that hangs together, before it is solved with CP-SAT, whose import alone takes longer."""

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
    """A minimal exact cover.  Points that no progression joins to others, however indirectly, are covered for themselves."""
    points = {progression: frozenset(progression.times(round_length)) for progression in usable}
    part = {time: {time} for time in times}  # shared by all points of a part
    for joined in points.values():
        largest = max((part[time] for time in joined), key=len)
        for time in joined:
            if part[time] is not largest:
                for other in part[time]:
                    largest.add(other)
                    part[other] = largest
    by_part: dict[int, list[Progression]] = {}
    for progression in usable:
        by_part.setdefault(id(part[progression.offset]), []).append(progression)
    chosen: list[Progression] = []
    for together in {id(part[time]): part[time] for time in times}.values():
        inside = by_part.get(id(together), [])
        try:
            cover = _searched(frozenset(together), {p: points[p] for p in inside})
        except _TooManyStepsError:
            cover = _solved(frozenset(together), {p: points[p] for p in inside})
        if cover is None:
            return None
        chosen += cover
    return _sorted(chosen)


class _TooManyStepsError(Exception):
    """A search took more than :data:`STEPS`."""


def _searched(times: frozenset[int], points: dict[Progression, frozenset[int]]) -> list[Progression] | None:
    """A minimal exact cover of ``times``, by trying; the progressions are longest first.

    Whoever covers the earliest point left is in every cover, so these are all that are tried for it.  A cover of what is left
    takes at least its points by those of the longest progression.
    """
    by_time: dict[int, list[Progression]] = {time: [] for time in times}
    for progression, covered in points.items():
        for time in covered:
            by_time[time].append(progression)
    longest = max(map(len, points.values()), default=1)
    best: list[Progression] | None = None
    steps = 0

    def search(left: frozenset[int], chosen: list[Progression]) -> None:
        nonlocal best, steps
        if not left:
            best = list(chosen)
            return
        for progression in by_time[min(left)]:
            steps += 1
            if steps > STEPS:
                raise _TooManyStepsError
            if best is not None and len(chosen) + -(-len(left) // longest) >= len(best):
                return
            if points[progression] <= left:
                search(left - points[progression], [*chosen, progression])

    search(times, [])
    return best


def _solved(times: frozenset[int], points: dict[Progression, frozenset[int]]) -> list[Progression] | None:
    """The same, by CP-SAT."""
    from carillon.allocate.cpsat import Model

    model = Model()
    take = {progression: model.new_bool_var() for progression in points}
    for time in sorted(times):
        model.add_exactly_one(variable for progression, variable in take.items() if time in points[progression])
    model.minimize(sum(take.values()))
    answer = model.answer()
    if not answer.optimal:
        return None
    return [progression for progression, variable in take.items() if answer.value(variable)]


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
