# SPDX-License-Identifier: Apache-2.0
"""Which cases of a test with many parameters run by default: some that have every value, and many pairs of values."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

Case = Mapping[str, Hashable]
"""A parameter's name and its value, for each parameter of a case."""


def sample(cases: Sequence[Case], count: int) -> list[int]:
    """At least ``count`` of the cases' indices, in rising order.

    Each next case is the one with most values that no case before it has, of these the one with most pairs of values, and
    of these the first.  Where ``count`` cases leave out a value, more are taken until every value is in one; a value that
    one case alone has is no reason to take it.
    """
    every = [frozenset(case.items()) for case in cases]
    often = Counter(value for values in every for value in values)
    values = [frozenset(value for value in of_a_case if often[value] > 1) for of_a_case in every]
    pairs = [frozenset(frozenset(pair) for pair in combinations(of_a_case, 2)) for of_a_case in values]
    missing_values, missing_pairs = set().union(*values), set().union(*pairs)
    left = dict.fromkeys(range(len(cases)))
    chosen = []
    while left and (len(chosen) < count or missing_values):
        best = max(left, key=lambda i: (len(values[i] & missing_values), len(pairs[i] & missing_pairs)))
        del left[best]
        chosen.append(best)
        missing_values -= values[best]
        missing_pairs -= pairs[best]
    return sorted(chosen)


def few(number: int) -> int:
    """How many random cases a test tries: all in a search (tests/search.py), else a quarter, since every run tries the same."""
    return number if os.environ.get("CARILLON_SEARCH") else -(-number // 4)
