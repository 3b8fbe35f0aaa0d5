# SPDX-License-Identifier: Apache-2.0
"""How many instructions of the kernel stand before and after a task."""

from __future__ import annotations

import pytest
from laboratory import AST, MPS, ROOT, Laboratory, Outcome, declared, points, works

from carillon.allocate.result import Style
from carillon.model.board import Role
from carillon.trace.summary import Spread
from runnable import NODE

BENCH = ROOT / "bench"


def exactly(figure: int, samples: int) -> Spread:
    return Spread(figure, figure, figure, samples)


def cost(outcome: Outcome, task: str) -> tuple[int, int]:
    """Instructions before the task's first and after its last one, the same in every activation."""
    figures = outcome.task(task)
    assert figures.dispatch is not None
    assert figures.terminate is not None
    assert figures.dispatch.minimum == figures.dispatch.maximum
    assert figures.terminate.minimum == figures.terminate.maximum
    return figures.dispatch.maximum, figures.terminate.maximum


def with_deadlines(lab: Laboratory, count: int, board: str = AST) -> Outcome:
    deadlines = range(400, 400 + 50 * count, 50)
    return lab.run(declared(Task1=0) + points(1000, (100, "Task1", *deadlines)), works(Task1=20), board, rounds=100)


def test_nothing_of_the_kernel_runs_before_a_task_and_one_return_after_it(lab: Laboratory) -> None:
    outcome = lab.run_file(BENCH / "dispatch" / "schedule.toml", AST, rounds=1000)
    assert outcome.task("Plain").dispatch == exactly(0, 1000)
    assert outcome.task("Plain").terminate == exactly(1, 1000)


@pytest.mark.parametrize("board", [MPS, pytest.param("raspberry-pi-pico", marks=NODE)])
def test_the_vector_of_a_task_without_deadlines_is_the_task_on_systick(lab: Laboratory, board: str) -> None:
    outcome = lab.run(declared(Task1=0) + points(1000, (100, "Task1")), works(Task1=20), board, rounds=100)
    assert outcome.cells(Role.ACTIVATION, "Task1") == ["SysTick"]
    assert cost(outcome, "Task1") == (0, 1)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_deadlines_cost_at_most_8_instructions_before_and_8_after_the_task(lab: Laboratory, count: int) -> None:
    before, after = cost(with_deadlines(lab, count), "Task1")
    assert before <= 8
    assert after <= 8


def test_four_deadlines_cost_what_one_costs(lab: Laboratory) -> None:
    assert {cost(with_deadlines(lab, count), "Task1") for count in (2, 3, 4)} == {cost(with_deadlines(lab, 1), "Task1")}


def test_a_shared_deadline_cell_costs_the_same_with_any_number_of_deadlines(lab: Laboratory) -> None:
    costs = set()
    for count in (1, 2, 4):
        ats = (100, 5600, 11300, 18000, 24500, 33330, 40200)
        entries = [(at, "Many", *(at + 2000 + 7 * k + 300 * n for n in range(count))) for k, at in enumerate(ats)]
        schedule = declared(Many=60) + points(50_000, *entries, window="wcet")
        outcome = lab.run(schedule, works(Many=20), AST, rounds=10)
        (carrier,) = outcome.carriers(Role.DEADLINE, "Many")
        assert carrier.style is Style.MULTIPLEXED
        assert outcome.summary.totals.interrupts == 7 * 10
        costs.add(cost(outcome, "Many"))
    assert costs == {(2, 12)}


def test_a_multiplexed_cell_adds_at_most_12_instructions(lab: Laboratory) -> None:
    outcome = lab.run_file(BENCH / "dispatch" / "schedule.toml", AST, rounds=1000)
    (carrier,) = outcome.carriers(Role.ACTIVATION, "Many")
    assert carrier.style is Style.MULTIPLEXED
    before, after = cost(outcome, "Many")
    assert before <= 12
    assert after == 1


def test_a_multiplexed_cell_adds_nothing_to_the_other_tasks(lab: Laboratory) -> None:
    outcome = lab.run_file(BENCH / "dispatch" / "schedule.toml", AST, rounds=1000)
    one = with_deadlines(lab, 1)
    assert cost(outcome, "Plain") == (0, 1)
    assert cost(outcome, "One") == cost(outcome, "Two") == cost(one, "Task1")


def test_a_round_without_deadline_misses_has_no_interrupts_but_its_activations(lab: Laboratory) -> None:
    totals = lab.run_file(BENCH / "dispatch" / "schedule.toml", AST, rounds=1000).summary.totals
    assert totals.interrupts == 8 * 1000


def test_a_lowered_task_costs_instructions_and_the_other_does_not(lab: Laboratory) -> None:
    outcome = lab.run_file(BENCH / "lowered" / "schedule.toml", AST, rounds=10)
    lowered = [name for name in ("Fast", "Slow") if any(c.lowered for c in outcome.carriers(Role.ACTIVATION, name))]
    assert len(lowered) == 1
    (other,) = {"Fast", "Slow"} - set(lowered)
    assert cost(outcome, other) == (0, 1)
    assert 0 < cost(outcome, lowered[0])[0] <= 20
