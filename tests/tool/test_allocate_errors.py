# SPDX-License-Identifier: Apache-2.0
"""What the allocation says where it finds none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import pytest
from allocations import COSTS, REPOSITORY, act, array, board, demand, mode, only, solve
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.allocate.cpsat import Answer
from carillon.allocate.model import ChoiceModel
from carillon.allocate.problem import LevelRules, Problem
from carillon.model import OnDeadlineMiss
from carillon.model.board import Role
from carillon.model.family import Rearm
from sample import few


def test_a_conflict_names_the_fewest_demands_and_what_would_help() -> None:
    lowered = mode(
        100,
        act("a", 0),
        act("b", 10, 20, 50, bounded=False),
        act("c", 70),
        demand(Role.DEADLINE, "a", 5),
    )
    allocation, diagnostics = solve(board(array(3)), lowered)
    assert allocation is None
    (error,) = diagnostics.errors
    assert error.code == "C060"
    assert error.cause == (
        "mode 'default': the cells do not suffice: task 'a' (activation): at least 1 cell; "
        "task 'b' (activation): at least 3 cells; board 'test' has 3 cells for them"
    )
    assert 'write window = "wcet" and every WCET' in error.remedy
    assert "at least 4 such cells" in error.remedy


@given(st.lists(st.integers(1, 3), min_size=2, max_size=6), st.integers(1, 4), st.integers(0, 2), st.data())
@settings(max_examples=few(40), deadline=None)
def test_a_conflict_is_as_small_as_can_be(counts: list[int], wide: int, narrow: int, data: st.DataObject) -> None:
    """Two classes of cells: the second only takes a demand on even ticks (half the clock)."""
    from carillon.allocate.conflict import conflict, feasible
    from carillon.allocate.fit import Fitter, source_classes
    from carillon.allocate.options import OptionBuilder

    length = 26
    arrays = [array(wide, rearm=Rearm.NONE)]
    if narrow:
        arrays.append(array(narrow, first_source=50, rearm=Rearm.NONE, hz=500_000))
    target = board(*arrays)
    demands = []
    for number, count in enumerate(counts):
        step = data.draw(st.sampled_from([1, 2]))
        demands.append(act(f"t{number}", *[(2 * k + 1) * step for k in range(count)], bounded=False))
    classes = source_classes(target)
    builder = OptionBuilder(Fitter(target, 1_000_000), classes, length, OnDeadlineMiss.SHUTDOWN, 64)
    options = tuple(builder.build(d, level_matters=False) for d in demands)
    problem = Problem(target, options, tuple(classes), LevelRules(64, 0, False, 1), COSTS)

    def fits(chosen: Sequence[int]) -> bool:
        """By brute force: how many progressions of each demand go to the narrow class."""
        choices = [range(len(demands[d].points) + 1 if demands[d].times[0] % 2 == 0 else 1) for d in chosen]
        return any(
            sum(split) <= narrow and sum(len(demands[d].points) for d in chosen) - sum(split) <= wide
            for split in product(*choices)
        )

    everything = range(len(demands))
    assert feasible(problem) == fits(everything)
    if not fits(everything):
        found = conflict(problem)
        smallest = next(k for k in range(1, len(demands) + 1) if any(not fits(c) for c in combinations(everything, k)))
        assert not fits(found)
        assert len(found) == smallest


def test_a_conflict_is_found_without_questions_that_earlier_answers_decide() -> None:
    from carillon.allocate.conflict import smallest

    asked: list[frozenset[int]] = []

    def together(numbers: Sequence[int]) -> bool:
        these = frozenset(numbers)
        decided = [before for before in asked if (fits(before) and these <= before) or (not fits(before) and before <= these)]
        assert not decided, (these, decided)
        asked.append(these)
        return fits(these)

    def fits(these: frozenset[int]) -> bool:
        return not {1, 4, 7} <= these and len(these & {0, 2, 3, 5, 6, 8}) < 5

    assert smallest(range(9), together) == [1, 4, 7]


def test_a_conflict_has_the_fewest_demands_even_where_leaving_out_the_needy_first_would_not_find_them() -> None:
    """Two demands on odd ticks compete for one cell, five of two points for all six."""
    target = board(array(1, rearm=Rearm.NONE), array(5, first_source=50, rearm=Rearm.NONE, hz=500_000))
    needy = [act(f"n{k}", 2 + 4 * k, 24 + 10 * k) for k in range(5)]
    _, diagnostics = solve(target, mode(70, *needy, act("odd1", 1), act("odd2", 3)))
    (error,) = diagnostics.errors
    assert error.code == "C060"
    assert "task 'odd1' (activation): at least 1 cell; task 'odd2' (activation): at least 1 cell; board" in error.cause


def test_the_start_lead_counts_into_the_width() -> None:
    lowered = mode(65_535, act("a", 65_000))
    assert only(board(array(1, width=16), lead=535), lowered)
    _, diagnostics = solve(board(array(1, width=16), lead=536), lowered)
    assert [d.code for d in diagnostics.errors] == ["C061"]


def test_an_interval_that_no_cell_can_express_is_an_error_that_says_why() -> None:
    allocation, diagnostics = solve(board(array(2, width=16)), mode(100_000, act("a", 7)))
    assert allocation is None
    (error,) = diagnostics.errors
    assert error.code == "C061"
    assert error.cause == (
        "no cell of board 'test' can keep the activations of 'a' in a round of 100000 ticks (100ms): "
        "virtual cells C0_0..C0_1: 100000 ticks need more than 16 bits"
    )


def test_a_role_that_no_cell_serves_is_an_error() -> None:
    _, diagnostics = solve(board(array(2, roles=(Role.ACTIVATION,))), mode(100, act("a", 7), demand(Role.DEADLINE, "a", 9)))
    assert [d.code for d in diagnostics.errors] == ["C061"]
    assert "no cell of the board serves the role 'deadline'" in diagnostics.errors[0].cause


def test_too_few_levels_are_an_error() -> None:
    lowered = mode(100, act("a", (0, 100)), act("b", (10, 100)), demand(Role.DEADLINE, "a", 100))
    assert only(board(array(4), levels=3), lowered).levels == 3
    assert only(board(array(4), levels=2), lowered).levels == 2
    _, diagnostics = solve(board(array(4), levels=2, lowered_levels=1), lowered)
    assert [d.code for d in diagnostics.errors] == ["C062"]
    _, diagnostics = solve(board(array(4), levels=1), lowered)
    assert [d.code for d in diagnostics.errors] == ["C062"]


def test_finding_nothing_within_the_time_limit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ChoiceModel, "all_lowered", lambda _self, _limit: None)
    monkeypatch.setattr(ChoiceModel, "solve", lambda _self, _gap, _limit: Answer("UNKNOWN", None))
    _, diagnostics = solve(board(array(4)), mode(100, act("a", (0, 60), (50, 90)), act("b", (10, 70), (60, 95))))
    assert [d.code for d in diagnostics.errors] == ["C063"]


def test_every_code_is_documented() -> None:
    for code in ("C060", "C061", "C062", "C063", "C064"):
        text = (REPOSITORY / "docs" / "codes" / f"{code}.md").read_text(encoding="utf-8")
        assert f"# {code}: " in text
        assert "Wrong" in text
        assert "Right" in text
