# SPDX-License-Identifier: Apache-2.0
"""The search for an allocation: its bounds, its small changes, its limit of time, and rounds of thousands of points."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from allocations import (
    COSTS,
    REPOSITORY,
    act,
    array,
    bench,
    board,
    check,
    demand,
    load,
    mode,
    only,
    small_cases,
    solve,
    synthetic,
    system_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.allocate import solve as solving
from carillon.allocate.cpsat import Answer
from carillon.allocate.improve import _Line, improve
from carillon.allocate.levels import Windows, longest_paths
from carillon.allocate.model import ChoiceModel
from carillon.allocate.problem import Budget, Choice, Failure, Judge, Solution
from carillon.allocate.result import Style
from carillon.allocate.solve import ModeSolver
from carillon.lower import LoweredMode
from carillon.model import System
from carillon.model.board import Role
from sample import few


def test_sources_are_given_out_where_they_do_not_suffice_for_all() -> None:
    # A task of three points on cells of its own costs 3 sources, on a re-armed one 36 instructions; the first class has 2 cells
    # that deadlines need, so that activations have to leave it.
    cells = (array(2, roles=(Role.ACTIVATION, Role.DEADLINE)), array(5, first_source=2, roles=(Role.ACTIVATION,)))
    tasks = [act(f"t{k}", *((100 * i + 10 * k, 100 * i + 10 * k + 5) for i in (0, 3, 4))) for k in range(3)]
    deadlines = [demand(Role.DEADLINE, f"t{k}", 10 * k + 5, 310 + 10 * k, 410 + 10 * k) for k in range(2)]
    result = only(board(*cells), mode(700, *tasks, *deadlines))
    assert result.optimal
    assert sorted(c.style is Style.MULTIPLEXED for c in result.carriers) == [False] * 3 + [True] * 4
    assert {c.source for c in result.carriers if c.demand.role is Role.DEADLINE} == {0, 1}


def test_of_the_solver_no_python_is_loaded_that_needs_pandas(tmp_path: Path) -> None:
    bench = load(REPOSITORY / "bench" / "plan.py")
    file = tmp_path / "schedule.toml"
    file.write_text(bench.schedule(200), encoding="utf-8")
    assert bench.seconds(file, tmp_path / "caches")[1] == "numpy ortools"


def test_of_tasks_of_mixed_periods_the_best_allocation_is_known() -> None:
    """Every task may run until the round's end, so that most alternate: 366 points on 256 cells.

    Who keeps its level has a source for each activation, or else is alone.  Each such source spares a tenth of a
    hundred activations or of ten: the tasks of a hundred take 99 sources more than one, those of ten 9.
    """
    length, often = 100_000, 3
    periods = [1_000] * often + [10_000] * 2 * often + [100_000] * 2 * often
    starts = [1 + 17 * k for k in range(len(periods))]
    tasks = [act(f"t{k}", *((t, length) for t in range(starts[k], length, p))) for k, p in enumerate(periods)]
    result = only(board(array(256), levels=255), mode(length, *tasks))
    extra = 256 - len(tasks)
    raised = max(100 * a + 10 * b for a in range(often + 1) for b in range(2 * often + 1) if 99 * a + 9 * b <= extra)
    assert result.overhead == result.bound == COSTS.lowered * (100 * often + 10 * 2 * often - raised)


@pytest.mark.parametrize("seed", range(12))
def test_ranks_of_points_allow_what_levels_of_carriers_allow(seed: int) -> None:
    """A first round that is said not to end makes the model of ranks take over, which finds as good a choice, and no circle."""
    chance = Random(seed)
    case = bench.Case(
        "turns", "", 1_000_000, 10_000, tasks=chance.randint(3, 6), points=0, grid=10, irregular=chance.randint(2, 4)
    )
    lowered = bench.irregular(seed, case, open_windows=chance.randint(2, 6))
    sources = 2 * case.tasks + chance.randint(0, case.tasks)
    cells = array(4 * sources, per_source=4, adjacent={Role.ACTIVATION: 2})
    system = system_of(board(cells, levels=chance.choice([4, 8, 64])), 1_000_000, (lowered,))
    search, ranked = ChoiceModel.solve, []

    def merit(first: str) -> tuple[int, int, int] | None:
        def solve_once(self: ChoiceModel, gap: float, limit: float) -> Answer:
            answer = search(self, gap, limit)
            ranked.append(self.ordered)
            if self.ordered and answer.found:
                assert longest_paths(self.judge.carriers(self.read(answer))[2]) is not None
            return replace(answer, status=first) if first and gap and answer.optimal else answer

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ChoiceModel, "solve", solve_once)
            patch.setattr(ChoiceModel, "state_order", lambda self: self.ordered)
            patch.setattr(solving, "EARLY_GAP", 1e-9)
            allocation, _ = solve(system, lowered)
        if allocation is None:
            return None
        (found,) = allocation.modes
        check(system, lowered, found)
        assert found.optimal
        missing = sum(len(demand.points) for demand in found.unmonitored)
        return missing, found.overhead, sum(use.cell.count for carrier in found.carriers for use in carrier.cells)

    expected = merit("")
    assert not any(ranked)
    ranked.clear()
    assert merit("UNKNOWN") == expected
    assert any(ranked)


def test_a_time_limit_too_short_for_the_optimum_leaves_every_task_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ChoiceModel, "solve", lambda _self, _gap, _limit: Answer("UNKNOWN", None))
    lowered = mode(100, act("a", (0, 60), (50, 90)), act("b", (10, 70), (60, 95)))
    result = only(board(array(4)), lowered)
    assert not result.optimal
    assert all(c.lowered for c in result.carriers)


def as_it_is(judge: Judge) -> list[Choice | None] | None:
    """A choice to begin with: everything on the fewest sources, and lowered; None if that keeps not all rules."""
    choices: list[Choice | None] = []
    for options in judge.problem.options:
        splits = [split for split in options.splits if split.style is not Style.TABLE]
        if not splits:
            return None
        split = min(splits, key=lambda split: (len(split.bundles), judge.price(options, split)[:2]))
        choices.append(Choice(split, judge.price(options, split)[2], lowered=options.demand.action.runs))
    return choices if judge.keeps(choices) else None


@settings(max_examples=few(40), deadline=None)
@given(small_cases(tasks=3, points=4))
def test_small_changes_keep_the_rules_and_make_nothing_worse(case: tuple[System, LoweredMode]) -> None:
    system, lowered = case
    judges: list[Judge] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModeSolver, "solve", lambda self: judges.append(self.judge) or Failure(proved=True))
        solve(system, lowered)
    for judge in judges[:1]:
        before = as_it_is(judge)
        if before is not None:
            after = improve(judge, before, 300)
            assert not any(choice is not None and choice.split.style is Style.TABLE for choice in after)
            assert judge.keeps(after)
            assert judge.value(after) <= judge.value(before)
            assert improve(judge, before, 300) == after


@pytest.mark.parametrize("seed", range(6))
def test_what_a_small_change_keeps_count_of_is_what_there_is_counted_anew(seed: int) -> None:
    case = bench.Case("turns", "", 1_000_000, 100_000, tasks=8, points=0, grid=100, irregular=3)
    judges: list[Judge] = []
    target = board(array(4 * 20, per_source=4, adjacent={Role.ACTIVATION: 2}), levels=64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModeSolver, "solve", lambda self: judges.append(self.judge) or Failure(proved=True))
        solve(target, bench.irregular(seed, case))
    before = as_it_is(judges[0])
    assert before is not None
    line, chance = _Line(judges[0], before), Random(seed)
    value = judges[0].value(before)
    for _ in range(300):
        state = line.state()
        d = chance.choice([d for d, ways in enumerate(line.ways) if ways])
        delta = line.change(d, chance.randrange(len(line.ways[d])), chance)
        if delta is None:
            line.restore(state)
            continue
        value += delta
        choices = line.choices()
        used = Counter(dict.fromkeys(range(len(line.room)), 0))
        for options, choice in zip(judges[0].problem.options, choices, strict=True):
            for c, taken in judges[0].taken(options.demand, choice) if choice is not None else ():
                used[c] += taken
        plain = {n for d, number in enumerate(line.now) if number >= 0 for n in line.ways[d][number].carriers}
        assert value == judges[0].value(choices)
        assert line.sources == [0 if choice is None else len(choice.split.bundles) for choice in choices]
        assert line.room == [group.room - used[c] for c, group in enumerate(judges[0].problem.classes)]
        assert sorted(line.line) == sorted(plain)
        assert line.standing == sum(1 << n for n in plain)
        assert not any(line.above[u] >> v & 1 for k, u in enumerate(line.line) for v in line.line[:k])


def test_small_changes_find_the_best_of_tasks_that_preempt_each_other_in_turns() -> None:
    """From every task lowered: some keep their levels, and some have more sources, as in the choice that is proved."""
    case = bench.Case("turns", "", 1_000_000, 100_000, tasks=8, points=0, grid=100, irregular=3)
    judges: list[Judge] = []
    lowered, target = bench.irregular(2, case), board(array(4 * 20, per_source=4, adjacent={Role.ACTIVATION: 2}), levels=64)
    search = ModeSolver.solve
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModeSolver, "solve", lambda self: judges.append(self.judge) or search(self))
        best = only(target, lowered)
    before = as_it_is(judges[0])
    assert before is not None
    after = improve(judges[0], before, 20_000)
    assert judges[0].keeps(after)
    assert best.optimal
    assert best.overhead == judges[0].count(after) < judges[0].count(before)


def test_a_round_of_which_not_all_pairs_are_looked_at_is_made_better_by_small_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ChoiceModel, "solve", lambda _self, _gap, _limit: Answer("UNKNOWN", None))
    monkeypatch.setattr(ChoiceModel, "bound", lambda _self, _limit: 0.0)
    monkeypatch.setattr(Judge, "most_carriers", lambda _self: 10**9)
    lowered = mode(100, act("a", (0, 60), (50, 90)), act("b", (10, 70), (60, 95)))
    result = only(board(array(4)), lowered)
    assert not any(c.lowered for c in result.carriers)


def found(system: System, lowered: LoweredMode) -> list[tuple[Judge, Solution | Failure]]:
    """The problems that a mode is solved as, each with what the search ends with."""
    pairs: list[tuple[Judge, Solution | Failure]] = []
    search = ModeSolver.solve

    def solved(self: ModeSolver) -> Solution | Failure:
        result = search(self)
        pairs.append((self.judge, result))
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModeSolver, "solve", solved)
        solve(system, lowered)
    return pairs


def bound_of(judge: Judge, limit: float) -> float:
    """What the model proves within ``limit`` of deterministic time to be the least value."""
    model = ChoiceModel(judge, Budget(limit))
    model.minimise()
    return model.bound(limit)


@settings(max_examples=few(40), deadline=None)
@given(small_cases(tasks=3, points=4), st.sampled_from([0.001, 0.01, 0.1]))
def test_the_bound_of_a_round_is_never_above_its_optimum(case: tuple[System, LoweredMode], limit: float) -> None:
    for judge, best in found(*case):
        if isinstance(best, Solution) and best.optimal:
            assert bound_of(judge, limit) <= judge.value(best.choices)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_bound_of_tasks_that_preempt_each_other_in_turns_rises_to_no_more_than_the_optimum(seed: int) -> None:
    case = bench.Case("turns", "", 1_000_000, 100_000, tasks=8, points=0, grid=100, irregular=3)
    target = board(array(4 * 20, per_source=4, adjacent={Role.ACTIVATION: 2}), levels=64)
    lowered = bench.irregular(seed, case)
    ((judge, best),) = found(system_of(target, 1_000_000, (lowered,)), lowered)
    assert isinstance(best, Solution)
    assert best.optimal
    bounds = [bound_of(judge, limit) for limit in (0.001, 0.01, 0.1)]
    assert bounds == sorted(bounds)
    assert 0 < bounds[-1] <= judge.value(best.choices)
    assert bound_of(judge, 0.1) == bounds[-1]


# Larger ones


@pytest.mark.parametrize(("seed", "per_source"), [(1, 1), (2, 1), (3, 4)])
def test_synthetic_rounds_keep_the_rules_and_are_the_same_each_time(seed: int, per_source: int) -> None:
    lowered = synthetic(seed, round_length=120_000, tasks=12, points=70, grid=100)
    cells = array(28 * per_source, per_source=per_source, adjacent={Role.ACTIVATION: 2} if per_source > 1 else {})
    target = board(cells, levels=64)
    first = only(target, lowered)
    assert any(c.style is Style.MULTIPLEXED for c in first.carriers) or per_source > 1
    assert first.optimal
    assert only(target, lowered) == first


@pytest.mark.parametrize(("tasks", "sources", "limit"), [(10, 26, 4.0), (18, 46, 6.0)])
def test_the_best_is_proved_of_tasks_that_preempt_each_other_in_turns(tasks: int, sources: int, limit: float) -> None:
    """Cuts of cycles alone, however many, do not come to an end here, nor do the larger one's levels of carriers."""
    case = bench.Case("turns", "", 1_000_000, 100_000, tasks=tasks, points=0, grid=100, irregular=4)
    cells = array(4 * sources, per_source=4, adjacent={Role.ACTIVATION: 2})
    allocation, _ = solve(board(cells, levels=64), bench.irregular(2, case), time_limit=limit)
    assert allocation is not None
    assert allocation.modes[0].optimal


def test_a_fresh_process_with_another_hash_seed_gives_the_same_result() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "import allocations as t;"
        "m = t.synthetic(4, round_length=120_000, tasks=10, points=60, grid=100);"
        "r = t.only(t.board(t.array(22), levels=32), m);"
        "from carillon.allocate.memory import content; print(content(r))"
    )
    path = os.pathsep.join([str(REPOSITORY / "tool"), str(REPOSITORY / "tests"), os.environ.get("PYTHONPATH", "")])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, str(Path(__file__).parent)],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_the_relation_of_thousands_of_points_is_that_of_the_naive_sweep() -> None:
    a = act("a", *((t, t + 7) for t in range(0, 50_000, 10)), bounded=False)
    b = act("b", *((t, t + 3) for t in range(8, 50_000, 10)), bounded=False)
    c = act("c", (49_999, 50_000))
    windows = Windows([a, b, c])
    everything = range(5000)
    assert not windows.inside(0, everything) & windows.bits(1, everything)
    assert not windows.inside(1, everything) & windows.bits(0, everything[:1])
    assert windows.inside(1, everything) & windows.bits(0, everything)
    assert not windows.inside(0, everything) & windows.bits(2, [0])
    assert windows.inside(1, everything) & windows.bits(2, [0])


@settings(max_examples=few(25), deadline=None)
@given(small_cases(tasks=3, points=4))
def test_a_coarse_choice_is_right_and_its_bound_holds(case: tuple[System, LoweredMode]) -> None:
    system, lowered = case
    allocation, _ = solve(system, lowered)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Judge, "most_carriers", lambda _self: 10**9)
        coarse, _ = solve(system, lowered)
    if coarse is None or allocation is None:
        assert allocation is None or coarse is None
        return
    (best,), (found,) = allocation.modes, coarse.modes
    check(system, lowered, found)
    missing = [sum(len(demand.points) for demand in mode.unmonitored) for mode in (best, found)]
    if missing[0] == missing[1]:
        assert found.bound <= best.overhead <= found.overhead
