# SPDX-License-Identifier: Apache-2.0
"""Which cases of tests with parameters run by default: some that together have every value."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

Case = Mapping[str, Hashable]
"""A parameter's name and its value, for each parameter of a case."""


def spread(tests: Sequence[Sequence[Case]], share: int) -> list[set[int]]:
    """Of each test's cases a part, 1 in ``share`` and at least one: their indices.  Together they have every value.

    The next case of a test is the one whose values the cases before it, also of other tests, have least often; of these the
    first.  So tests that each run on one of several boards run on different ones.  A value that one case alone has is no reason
    to take it.
    """
    often = Counter(value for cases in tests for case in cases for value in case.items())
    used: Counter[tuple[str, Hashable]] = Counter()
    chosen: list[set[int]] = []

    def values(case: Case) -> list[tuple[str, Hashable]]:
        return [value for value in case.items() if often[value] > 1]

    def take(test: int, among: Iterable[int]) -> None:
        best = min(among, key=lambda k: (sorted(used[value] for value in values(tests[test][k])), k))
        chosen[test].add(best)
        used.update(values(tests[test][best]))

    for test, cases in enumerate(tests):
        chosen.append(set())
        for _ in range(-(-len(cases) // share)):
            take(test, set(range(len(cases))) - chosen[test])
    for test, cases in enumerate(tests):
        while lacking := [k for k, case in enumerate(cases) if any(not used[value] for value in values(case))]:
            take(test, lacking)
    return chosen


def few(number: int) -> int:
    """How many random cases a test tries: all in a search (tests/search.py), else a quarter, since every run tries the same."""
    return number if os.environ.get("CARILLON_SEARCH") else -(-number // 4)
