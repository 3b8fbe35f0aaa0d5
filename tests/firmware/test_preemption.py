# SPDX-License-Identifier: Apache-2.0
"""A later activation preempts what runs; the last activated is the first finished."""

from __future__ import annotations

import itertools

import pytest
from laboratory import AST, MPS, TC, VIRTUAL, VIRTUAL_AST, Laboratory, Outcome, declared, points, task, works

from carillon.allocate.result import Style
from carillon.model.board import Role
from carillon.trace import Kind

KERNELS = ("carillon", "conventional")
FIVE = ("A", "B", "C", "D", "E")
NEST = declared(**dict.fromkeys(FIVE, 0)) + points(3000, *((100 * (k + 1), name) for k, name in enumerate(FIVE)))
NESTING = works(A=900, B=500, C=400, D=300, E=50)


def order(outcome: Outcome) -> list[str]:
    return outcome.story(Kind.START, Kind.END)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("board", [AST, VIRTUAL_AST, TC, VIRTUAL])
def test_five_tasks_nest_and_the_last_activated_is_the_first_finished(lab: Laboratory, board: str, kernel: str) -> None:
    outcome = lab.run(NEST, NESTING, board, kernel=kernel, rounds=5)
    assert order(outcome) == [*(f"start {n}" for n in FIVE), *(f"end {n}" for n in reversed(FIVE))] * 5


def test_each_of_five_nested_tasks_is_preempted_on_the_tick_and_resumed_when_the_next_ends(lab: Laboratory) -> None:
    for board in (AST, VIRTUAL_AST):
        outcome = lab.run(NEST, NESTING, board, rounds=5)
        kinds = (Kind.START, Kind.END, Kind.PREEMPT, Kind.RESUME)
        down = ["start A"]
        for low, high in itertools.pairwise(FIVE):
            down += [f"preempt {low}", f"start {high}"]
        up = ["end E"]
        for low in FIVE[-2::-1]:
            up += [f"resume {low}", f"end {low}"]
        assert outcome.story(*kinds) == (down + up) * 5
        for k, low in enumerate(FIVE[:-1]):
            assert outcome.at(Kind.PREEMPT, low) == [3000 * r + 100 * (k + 2) for r in range(5)]


def test_nesting_takes_a_level_a_task_and_only_where_windows_overlap(lab: Laboratory) -> None:
    nested = lab.run(NEST, NESTING, AST, rounds=5)
    levels = [nested.carriers(Role.ACTIVATION, n)[0].level for n in FIVE]
    assert levels == sorted(set(levels))
    apart = declared(**dict.fromkeys(FIVE, 60)) + points(
        3000, *((500 * (k + 1), name) for k, name in enumerate(FIVE)), window="wcet"
    )
    outcome = lab.run(apart, works(**dict.fromkeys(FIVE, 40)), AST, rounds=2)
    assert len({outcome.carriers(Role.ACTIVATION, n)[0].level for n in FIVE}) == 1
    assert order(outcome) == [f"{what} {n}" for n in FIVE for what in ("start", "end")] * 2


@pytest.mark.parametrize("board", [MPS])
def test_three_tasks_nest_on_three_kinds_of_cells(lab: Laboratory, board: str) -> None:
    names = ("A", "B", "C", "D")
    schedule = declared(**dict.fromkeys(names, 0)) + points(3000, *((200 * (k + 1), name) for k, name in enumerate(names)))
    outcome = lab.run(schedule, works(A=900, B=500, C=400, D=50), board, rounds=5)
    assert order(outcome) == [*(f"start {n}" for n in names), *(f"end {n}" for n in reversed(names))] * 5
    for name, at in zip(names, (200, 400, 600, 800), strict=True):
        assert outcome.at(Kind.ENTER, name) == [5 * (3000 * r + at) for r in range(5)]


def test_two_tasks_can_preempt_each_other_in_turn(lab: Laboratory) -> None:
    # Each preempts the other once in a round: one of them lowers its priority, or has two cells.
    schedule = declared(A=0, B=0) + points(4000, (100, "A"), (200, "B"), (1100, "B"), (1200, "A"), window="deadline")
    for board in (AST, VIRTUAL_AST):
        for kernel in KERNELS:
            outcome = lab.run(schedule, works(A=300, B=300), board, kernel=kernel, rounds=5)
            cycle = ["start A", "start B", "end B", "end A", "start B", "start A", "end A", "end B"]
            assert order(outcome) == cycle * 5, (board, kernel)


# --- the same results whatever carries the points ---

FAST = '[task.Fast]\nperiod = "1000 ticks"\nwcet = "100 ticks"\n'
SLOW = '[task.Slow]\nperiod = "2000 ticks"\noffset = "500 ticks"\nwcet = "900 ticks"\n'


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_a_lowered_task_starts_on_its_tick_and_is_preempted_on_the_tick_of_the_next_activation(
    lab: Laboratory, board: str
) -> None:
    schedule = FAST + SLOW + '[mode.normal]\nround = "32000 ticks"\n'
    outcome = lab.run(schedule, works(Fast=20, Slow=700), board, rounds=3)
    lowered = [n for n in ("Fast", "Slow") if any(c.lowered for c in outcome.carriers(Role.ACTIVATION, n))]
    assert len(lowered) == 1
    assert outcome.at(Kind.ENTER, "Fast") == [1000 * k for k in range(96)]
    assert outcome.at(Kind.ENTER, "Slow") == [2000 * k + 500 for k in range(48)]
    assert outcome.at(Kind.PREEMPT, "Slow") == [2000 * k + 1000 for k in range(48)]
    cycle = "start Fast, end Fast, start Slow, preempt Slow, start Fast, end Fast, resume Slow, end Slow"
    assert outcome.story(Kind.START, Kind.END, Kind.PREEMPT, Kind.RESUME) == cycle.split(", ") * 48


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_lowered_tasks_nest_in_each_other_and_come_back_to_where_they_were(lab: Laboratory, board: str) -> None:
    # Every task but the longest finds itself preempted; what it kept in registers must be there afterwards.
    value = 7
    for k in range(8):
        value = (value * 31 + k) % 2**32
    check = f"""
uint32_t sum = 7u;
for (uint32_t k = 0; k < 8u; k++) {{{{
    sum = sum * 31u + k;
    carillon_work({{0}}u);
}}}}
if (sum != {value}u) {{{{
    ttShutdownOS(99u);
}}}}"""
    periodic = '[task.{0}]\nperiod = "{1} ticks"\noffset = "{2} ticks"\nwcet = "{3} ticks"\n'
    schedule = periodic.format("Fast", 1000, 0, 150) + periodic.format("Middle", 2000, 300, 900)
    schedule += periodic.format("Slow", 8000, 1600, 2200)
    code = task("Fast", check.format(10)) + task("Middle", check.format(70)) + task("Slow", check.format(150))
    hook = 'void ttShutdownHook(ttStatusType error)\n{\n report("shutdown", error);\n}\n'
    sequences = []
    for kernel in KERNELS:
        outcome = lab.run(schedule + '[mode.normal]\nround = "48000 ticks"\n', code + hook, board, kernel=kernel, rounds=2)
        assert outcome.reported == []
        assert max(t.preemptions for t in outcome.summary.tasks) > 0
        if kernel == "carillon":
            carriers = [c for n in ("Fast", "Middle", "Slow") for c in outcome.carriers(Role.ACTIVATION, n)]
            assert any(c.lowered for c in carriers)
        sequences.append(order(outcome))
    assert sequences[0] == sequences[1]


IRREGULAR = (100, 560, 1130, 1800, 2450, 3333, 4020, 4490)
VERDICTS = (Kind.DEADLINE_MET, Kind.DEADLINE_MISSED)


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_direct_multiplexed_and_conventional_carriers_give_the_same_sequence_and_verdicts(lab: Laboratory, board: str) -> None:
    # Few activations of Many are carried by cells of their own, many by one: in each case both kernels agree.
    for count, style in ((2, Style.DIRECT), (8, Style.MULTIPLEXED)):
        ats = IRREGULAR[:count]
        schedule = declared(Many=80, Long=1500, Top=60) + points(
            6000,
            (50, "Long", 5900),
            *((at, "Many") for at in ats if at < 2600),
            (2600, "Top", 2900),
            *((at, "Many") for at in ats if at > 2600),
            window="wcet",
        )
        code = works(Many=50, Long=1300, Top=30)
        runs = [lab.run(schedule, code, board, kernel=kernel, rounds=4) for kernel in KERNELS]
        assert {c.style for c in runs[0].carriers(Role.ACTIVATION, "Many")} == {style}
        assert order(runs[0]) == order(runs[1])
        assert runs[0].story(*VERDICTS) == runs[1].story(*VERDICTS)
        expected = [at + 6000 * r for r in range(4) for at in ats]
        assert runs[0].at(Kind.ENTER, "Many") == expected


def test_a_lowered_task_that_ends_with_interrupts_locked_comes_back_and_unlocks_them(lab: Laboratory) -> None:
    locks = task("Slow", "carillon_work(50u);\n(void)carillon_port_lock();")
    outcome = lab.run(FAST + SLOW + '[mode.normal]\nround = "32000 ticks"\n', works(Fast=20) + locks, AST, rounds=2)
    assert all(c.lowered for c in outcome.carriers(Role.ACTIVATION, "Slow"))
    assert outcome.at(Kind.ENTER, "Slow") == [2000 * k + 500 for k in range(32)]
    assert outcome.at(Kind.ENTER, "Fast") == [1000 * k for k in range(64)]
