# SPDX-License-Identifier: Apache-2.0
"""Which cases run by default."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sample import spread

TESTS = st.lists(
    st.lists(
        st.fixed_dictionaries({"board": st.integers(0, 4), "dispatch": st.booleans(), "case": st.integers(0, 9)}), max_size=20
    ),
    max_size=6,
)


@given(TESTS, st.integers(1, 12))
def test_every_value_that_two_cases_have_is_in_one_that_runs(tests: list[list[dict[str, int]]], share: int) -> None:
    chosen = spread(tests, share)
    every = [value for cases in tests for case in cases for value in case.items()]
    run = {value for cases, kept in zip(tests, chosen, strict=True) for k in kept for value in cases[k].items()}
    assert {value for value in every if every.count(value) > 1} <= run
    for cases, kept in zip(tests, chosen, strict=True):
        assert kept <= set(range(len(cases)))
        assert len(cases) <= share * len(kept)


def test_tests_that_run_once_run_on_different_boards() -> None:
    boards = [{"board": name} for name in "abcd"]
    assert spread([boards] * 6, 10) == [{0}, {1}, {2}, {3}, {0}, {1}]


def test_more_run_than_asked_for_where_a_value_is_missing() -> None:
    assert spread([[{"board": n // 2} for n in range(10)]], 5) == [{0, 2, 4, 6, 8}]


def test_a_value_of_one_case_alone_is_no_reason_to_take_it() -> None:
    assert spread([[{"seed": n} for n in range(10)]], 4) == [{0, 1, 2}]
