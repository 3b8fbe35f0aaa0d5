# SPDX-License-Identifier: Apache-2.0
"""Which cases run by default."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample import sample

CASES = st.lists(
    st.fixed_dictionaries({"board": st.integers(0, 4), "dispatch": st.booleans(), "case": st.integers(0, 9)}), max_size=40
)


@given(CASES, st.integers(0, 45))
def test_every_value_that_two_cases_have_is_in_one_that_runs(cases: list[dict[str, int]], count: int) -> None:
    chosen = sample(cases, count)
    assert chosen == sorted(set(chosen))
    assert min(count, len(cases)) <= len(chosen) <= len(cases)
    every = [value for case in cases for value in case.items()]
    assert {v for v in every if every.count(v) > 1} <= {v for i in chosen for v in cases[i].items()}


@pytest.mark.parametrize("boards", [2, 4])
def test_half_of_all_combinations_has_nearly_all_pairs(boards: int) -> None:
    cases = [{"board": b, "dispatch": d, "status": s} for b, d, s in product(range(boards), range(2), range(2))]
    chosen = sample(cases, len(cases) // 2)
    assert len(chosen) == len(cases) // 2
    pairs = {pair for i in chosen for pair in combinations(sorted(cases[i].items()), 2)}
    assert len(pairs) >= (4 * boards + 4) * 5 / 6


def test_more_run_than_asked_for_where_a_value_is_missing() -> None:
    assert sample([{"board": n // 2} for n in range(10)], 2) == [0, 2, 4, 6, 8]


def test_a_value_of_one_case_alone_is_no_reason_to_take_it() -> None:
    assert sample([{"seed": n} for n in range(10)], 3) == [0, 1, 2]
