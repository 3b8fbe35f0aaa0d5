# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.allocate.progressions import EXACT_LIMIT, candidates, partition, partitions, prime_factors, split
from carillon.allocate.result import Progression
from sample import few


def fewest_by_brute_force(times: frozenset[int], round_length: int) -> int:
    cosets = set()
    for period in range(1, round_length + 1):
        if round_length % period == 0:
            for offset in range(period):
                points = frozenset(range(offset, round_length, period))
                if points <= times:
                    cosets.add(points)
    for size in range(1, len(times) + 1):
        for chosen in combinations(sorted(cosets, key=sorted), size):
            if sum(map(len, chosen)) == len(times) and frozenset().union(*chosen) == times:
                return size
    raise AssertionError(times)


rounds_and_times = st.sampled_from([1, 5, 6, 8, 12]).flatmap(
    lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1), min_size=1, max_size=min(n, 9)).map(sorted))
)


@given(rounds_and_times)
@settings(max_examples=few(80), deadline=None)
def test_a_partition_covers_every_point_once_and_is_minimal(case: tuple[int, list[int]]) -> None:
    round_length, times = case
    result = partition(times, round_length)
    assert result is not None
    assert result.exact
    assert sorted(t for p in result.progressions for t in p.times(round_length)) == times
    assert all(round_length % p.period == 0 for p in result.progressions)
    assert len(result.progressions) == fewest_by_brute_force(frozenset(times), round_length)


@given(rounds_and_times)
@settings(max_examples=few(40), deadline=None)
def test_all_partitions_are_found_and_differ(case: tuple[int, list[int]]) -> None:
    round_length, times = case
    found, complete = partitions(times, round_length, limit=400)
    assert len(set(found)) == len(found)
    for cover in found:
        assert sorted(t for p in cover for t in p.times(round_length)) == times
    if complete:
        assert min(map(len, found)) == fewest_by_brute_force(frozenset(times), round_length)


def test_largest_first_is_not_good_enough() -> None:
    # The four points of 1, 4, 7, 10 leave four that are not spaced equally; 1, 5, 9 and 2, 6, 10 leave two.
    result = partition([1, 2, 4, 5, 6, 7, 9, 10], 12)
    assert result is not None
    assert len(result.progressions) == 4


def test_refused_progressions_are_avoided() -> None:
    result = partition([0, 5, 10, 15], 20, allowed=lambda p: p.period >= 10)
    assert result is not None
    assert result.progressions == (Progression(0, 10), Progression(5, 10))
    assert partition([0, 5], 20, allowed=lambda p: p.period < 10) is None


def test_beyond_the_limit_a_partition_is_valid_and_says_that_it_is_not_proved() -> None:
    times = [*range(0, 6000, 20), *range(1, 6000, 30)]
    assert len(times) > EXACT_LIMIT
    result = partition(times, 6000)
    assert result is not None
    assert not result.exact
    assert sorted(t for p in result.progressions for t in p.times(6000)) == sorted(times)
    assert len(result.progressions) == 2


def test_one_series_is_proved_however_long() -> None:
    result = partition(range(3, 100_000, 10), 100_000)
    assert result is not None
    assert result.exact
    assert result.progressions == (Progression(3, 10),)


def test_candidates_are_whole_cosets_largest_first() -> None:
    assert candidates([0, 4, 8, 9], 12) == [
        Progression(0, 4),
        *(Progression(t, 12) for t in (0, 4, 8, 9)),
    ]


def test_a_progression_splits_into_the_same_points() -> None:
    parts = split(Progression(2, 5), 3)
    assert parts == (Progression(2, 15), Progression(7, 15), Progression(12, 15))
    assert prime_factors(60) == [2, 3, 5]
    assert prime_factors(1) == []
