# SPDX-License-Identifier: Apache-2.0
"""Which cases run by default."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample import rank, spread, turn

CASES = st.fixed_dictionaries({"board": st.integers(0, 4), "dispatch": st.booleans(), "case": st.integers(0, 9)})
TESTS = st.dictionaries(st.sampled_from("abcdef"), st.lists(CASES, min_size=1, max_size=20))
HASHES = [f"{n:012x}" for n in range(300)]


@given(TESTS, st.integers(1, 12), st.sampled_from(HASHES))
def test_each_test_has_its_part_and_every_value_of_two_cases_is_in_one(
    tests: dict[str, list[dict[str, int]]], share: int, draw: str
) -> None:
    chosen = spread(tests, share, draw)
    every = [value for cases in tests.values() for case in cases for value in case.items()]
    run = {value for name, kept in chosen.items() for k in kept for value in tests[name][k].items()}
    assert {value for value in every if every.count(value) > 1} <= run
    assert chosen.keys() == tests.keys()
    for name, cases in tests.items():
        assert chosen[name] <= set(range(len(cases)))
        assert chosen[name]
        assert len(cases) <= share * len(chosen[name])


@given(TESTS, st.integers(1, 12), st.sampled_from(HASHES))
def test_a_draw_is_the_same_whatever_the_order_of_the_tests(
    tests: dict[str, list[dict[str, int]]], share: int, draw: str
) -> None:
    assert spread(tests, share, draw) == spread(dict(reversed(tests.items())), share, draw)


@pytest.mark.parametrize("share", [5, 100])
def test_commits_together_run_every_case(share: int) -> None:
    tests = {
        "test_a": [{"board": board, "seed": seed} for board in "abc" for seed in range(10)],
        "test_b": [{"board": board} for board in "abcd"],
        "test_c": [{"board": "a"}],
    }
    draws = [spread(tests, share, draw) for draw in HASHES]
    for name, cases in tests.items():
        assert set[int]().union(*(chosen[name] for chosen in draws)) == set(range(len(cases)))


def test_commits_draw_different_cases() -> None:
    tests = {"test_a": [{"seed": n} for n in range(1000)]}
    assert len({frozenset(spread(tests, 20, draw)["test_a"]) for draw in HASHES}) == len(HASHES)


def test_another_test_of_the_file_changes_nothing_of_the_first_part_of_a_draw() -> None:
    cases = [{"seed": n} for n in range(40)]
    assert spread({"b": cases}, 10, "1")["b"] == spread({"a": [{"other": 1}], "b": cases}, 10, "1")["b"]


def test_more_run_than_asked_for_where_a_value_is_missing() -> None:
    (chosen,) = spread({"test": [{"board": n // 2} for n in range(10)]}, 10, "1").values()
    assert sorted(k // 2 for k in chosen) == [0, 1, 2, 3, 4]


def test_a_value_of_one_case_alone_is_no_reason_to_take_it() -> None:
    assert len(spread({"test": [{"seed": n} for n in range(10)]}, 4, "1")["test"]) == 3


def test_a_part_turns_with_the_commit_and_each_comes() -> None:
    assert {turn("parts", 16, draw) for draw in HASHES} == set(range(16))
    assert turn("parts", 1 << 64, "a") != turn("others", 1 << 64, "a")
    assert rank("ab", "c") != rank("a", "bc")
