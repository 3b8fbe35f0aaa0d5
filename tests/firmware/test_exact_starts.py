# SPDX-License-Identifier: Apache-2.0
"""The hardware starts every task on its tick: no delay, no jitter, no drift."""

from __future__ import annotations

import pytest
from laboratory import AST, MPS, VIRTUAL, VIRTUAL_AST, Laboratory, Outcome, declared, points, works

import asked
from carillon.model.board import Role
from carillon.trace import Kind

ROUNDS = 10_000
FEWER = asked.tries(1_000, of=10_000)
"""Of the boards and clocks beside the main ones."""
TASKS = ("Task1", "Task2", "Task3")
CLOCKS = ("15.625MHz", "3.90625MHz", "7.8125MHz", "125MHz")


def expected(outcome: Outcome, rounds: int, round_length: int, *ats: int) -> list[int]:
    """The instructions (ticks on a virtual board) of so many rounds' points."""
    return [(k * round_length + at) * outcome.per_tick for k in range(rounds) for at in ats]


@pytest.mark.parametrize("board", [AST, VIRTUAL])
def test_ten_thousand_rounds_start_every_task_on_its_tick_without_jitter_and_drift(lab: Laboratory, board: str) -> None:
    ats = {"Task1": 100, "Task2": 300, "Task3": 700}
    schedule = declared(Task1=0, Task2=0, Task3=0) + points(1000, *((at, name) for name, at in ats.items()))
    outcome = lab.run(schedule, works(Task1=20, Task2=30, Task3=40), board, rounds=ROUNDS)
    for name, at in ats.items():
        assert outcome.at(Kind.START, name) == expected(outcome, ROUNDS, 1000, at)
        if board == VIRTUAL:
            continue
        figures = outcome.task(name)
        assert (figures.activations, figures.unstarted, figures.jitter, figures.drift) == (ROUNDS, 0, 0, 0)


@pytest.mark.parametrize(("board", "clock"), [*((AST, c) for c in CLOCKS), (VIRTUAL_AST, CLOCKS[1])])
def test_starts_are_exact_at_every_clock_of_the_reference_board(lab: Laboratory, board: str, clock: str) -> None:
    schedule = declared(Task1=0) + points(4001, (123, "Task1"))
    outcome = lab.run(schedule, works(Task1=20), board, system=f'clock = "{clock}"', rounds=FEWER)
    assert outcome.at(Kind.START, "Task1") == expected(outcome, FEWER, 4001, 123)


@pytest.mark.parametrize(("board", "clock"), [*((AST, c) for c in CLOCKS), (VIRTUAL_AST, CLOCKS[1])])
def test_systick_with_its_unit_of_5_ns_is_exact_for_thousands_of_periods(lab: Laboratory, board: str, clock: str) -> None:
    # Four tasks with deadlines take the eight other cells, and no other task's tick is a whole number of 5 ns.
    names = ("A", "B", "C", "D")
    others = [(5 * (401 + 700 * k) + 1, name, 5 * (401 + 700 * k) + 2003) for k, name in enumerate(names)]
    own = [(k * 4000 + 200, "Task1") for k in range(4)]
    schedule = declared(Task1=0, A=0, B=0, C=0, D=0) + points(16000, *sorted([*own, *others], key=lambda p: int(str(p[0]))))
    outcome = lab.run(schedule, works(Task1=20, A=1, B=1, C=1, D=1), board, system=f'clock = "{clock}"', rounds=FEWER // 2)
    assert outcome.cells(Role.ACTIVATION, "Task1") == ["SysTick"]
    assert outcome.at(Kind.START, "Task1") == expected(outcome, FEWER // 2, 16000, *(at for at, _ in own))


def test_every_kind_of_cell_of_mps2_interrupts_on_the_instruction_of_its_tick_for_ten_thousand_rounds(lab: Laboratory) -> None:
    ats = {"Task1": 101, "Task2": 203, "Task3": 305, "Task4": 407}
    schedule = declared(**dict.fromkeys(ats, 0)) + points(500, *((at, name) for name, at in ats.items()))
    outcome = lab.run(schedule, works(**dict.fromkeys(ats, 5)), MPS, rounds=ROUNDS)
    cells = {name: outcome.cells(Role.ACTIVATION, name) for name in ats}
    assert sorted(c[0].rstrip("12") for c in cells.values()) == ["DUAL", "SysTick", "TIMER", "TIMER0"]
    assert outcome.per_tick == 5
    for name, at in ats.items():
        entered = expected(outcome, ROUNDS, 500, at)
        assert outcome.at(Kind.ENTER, name) == entered, cells[name]
        # The timers' requests are cleared first; SysTick needs no such thing, so that its vector is the task.
        delays = {start - enter for start, enter in zip(outcome.at(Kind.START, name), entered, strict=True)}
        assert len(delays) == 1
        assert (delays == {0}) == (cells[name] == ["SysTick"])


def test_a_task_starts_exactly_in_a_round_in_which_its_cell_fires_every_third_of_the_round(lab: Laboratory) -> None:
    schedule = '[task.Task1]\nperiod = "400 ticks"\noffset = "7 ticks"\n[mode.normal]\nround = "1200 ticks"\n'
    outcome = lab.run(schedule, works(Task1=20), AST, rounds=100)
    assert outcome.cells(Role.ACTIVATION, "Task1") == ["TMR1"]
    assert outcome.at(Kind.START, "Task1") == expected(outcome, 100, 1200, 7, 407, 807)


@pytest.mark.parametrize("board", [AST, MPS, VIRTUAL])
def test_an_activation_at_tick_0_starts_with_the_first_round(lab: Laboratory, board: str) -> None:
    outcome = lab.run(declared(Task1=0) + points(1000, (0, "Task1")), works(Task1=20), board, rounds=3)
    assert outcome.at(Kind.ENTER, "Task1") == expected(outcome, 3, 1000, 0)


@pytest.mark.parametrize("board", [AST, MPS, VIRTUAL])
def test_the_last_tick_of_a_round_can_start_a_task(lab: Laboratory, board: str) -> None:
    outcome = lab.run(declared(Task1=0) + points(1000, (999, "Task1")), works(Task1=20), board, rounds=3)
    assert outcome.at(Kind.ENTER, "Task1") == expected(outcome, 3, 1000, 999)
