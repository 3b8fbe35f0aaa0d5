# SPDX-License-Identifier: Apache-2.0
"""Interrupts of the application: above or below the tasks, and at most one between two points that enable them."""

from __future__ import annotations

import pytest
from laboratory import AST, MPS, VIRTUAL_AST, Laboratory, declared, points, task, works

from carillon.trace import Kind

ALL = [AST, MPS, VIRTUAL_AST]
KERNELS = ("carillon", "conventional")
PEND = "carillon_port_pend(16u);"  # soft0
IDLE = "void ttIdleTask(void)\n{{\n for (;;) {{\n  carillon_work(50u);\n  {0}\n }}\n}}\n"
ORDER = (Kind.START, Kind.END)


def interrupt(priority: str = "above-tasks", source: str = "soft0", name: str = "Signal") -> str:
    return f'[interrupt.{name}]\nsource = "{source}"\npriority = "{priority}"\n'


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("board", ALL)
def test_an_interrupt_above_the_tasks_preempts_the_task_that_requests_it(lab: Laboratory, board: str, kernel: str) -> None:
    schedule = interrupt() + declared(Task1=0) + points(5000, (100, "Task1"))
    code = task("Task1", f"carillon_work(50u);\n{PEND}\ncarillon_work(50u);") + works(Signal=30)
    outcome = lab.run(schedule, code, board, kernel=kernel, rounds=5)
    assert outcome.story(*ORDER) == ["start Task1", "start Signal", "end Signal", "end Task1"] * 5


@pytest.mark.parametrize("board", ALL)
def test_an_interrupt_below_the_tasks_waits_until_the_task_has_ended(lab: Laboratory, board: str) -> None:
    schedule = interrupt("below-tasks") + declared(Task1=0) + points(5000, (100, "Task1"))
    code = task("Task1", f"carillon_work(50u);\n{PEND}\ncarillon_work(50u);") + works(Signal=30)
    outcome = lab.run(schedule, code, board, rounds=5)
    assert outcome.story(*ORDER) == ["start Task1", "end Task1", "start Signal", "end Signal"] * 5


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_an_interrupt_below_the_tasks_waits_for_a_lowered_task_too(lab: Laboratory, board: str) -> None:
    schedule = interrupt("below-tasks") + (
        '[task.Fast]\nperiod = "1000 ticks"\nwcet = "100 ticks"\n'
        '[task.Slow]\nperiod = "2000 ticks"\noffset = "500 ticks"\nwcet = "100 ticks"\n'
        '[mode.normal]\nround = "32000 ticks"\n'
    )
    code = task("Fast", f"{PEND}\ncarillon_work(20u);") + task("Slow", f"{PEND}\ncarillon_work(20u);") + works(Signal=10)
    outcome = lab.run(schedule, code, board)
    assert not outcome.events(Kind.PREEMPT)


@pytest.mark.parametrize("board", ALL)
def test_a_task_preempts_an_interrupt_below_the_tasks_on_its_tick(lab: Laboratory, board: str) -> None:
    schedule = interrupt("below-tasks") + declared(Task1=0) + points(2000, (1000, "Task1"))
    code = works(Task1=50, Signal=700) + IDLE.format(PEND)
    outcome = lab.run(schedule, code, board, rounds=20)
    assert outcome.at(Kind.ENTER, "Task1") == [(2000 * k + 1000) * outcome.per_tick for k in range(20)]
    assert len(outcome.events(Kind.PREEMPT, of="Signal")) > 3


@pytest.mark.parametrize("board", ALL)
def test_a_task_waits_for_an_interrupt_above_the_tasks(lab: Laboratory, board: str) -> None:
    # Task1's tick comes while Signal runs, which nothing of the round may preempt.
    schedule = interrupt() + declared(Starter=0, Task1=0) + points(2000, (900, "Starter"), (1000, "Task1"))
    outcome = lab.run(schedule, task("Starter", PEND) + works(Task1=50, Signal=300), board, rounds=3)
    begin, end = ["start Starter", "start Signal", "end Signal"], ["start Task1", "end Task1"]
    assert outcome.story(*ORDER) in (([*begin, "end Starter", *end]) * 3, (begin + end + ["end Starter"]) * 3)
    assert not outcome.events(Kind.PREEMPT, of="Signal")
    assert all(n % (2000 * outcome.per_tick) > 1199 * outcome.per_tick for n in outcome.at(Kind.START, "Task1"))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("board", ALL)
def test_an_interrupt_is_taken_at_most_once_between_two_points_that_enable_it(lab: Laboratory, board: str, kernel: str) -> None:
    # Idle requests it every 50 ticks.
    schedule = interrupt() + points(3000, (500, "enable", "Signal"), (2000, "enable", "Signal"))
    outcome = lab.run(schedule, works(Signal=20) + IDLE.format(PEND), board, kernel=kernel, rounds=20)
    ticks = [n // outcome.per_tick for n in outcome.at(Kind.START, "Signal")]
    windows = [(t - 500) // 1500 for t in ticks]
    assert windows == sorted(set(windows))
    assert windows in (list(range(40)), list(range(-1, 40)))


@pytest.mark.parametrize("board", ALL)
def test_a_request_that_came_while_it_was_disabled_is_served_at_the_point_that_enables_it(lab: Laboratory, board: str) -> None:
    schedule = interrupt() + declared(Task1=0) + points(3000, (100, "Task1"), (1000, "enable", "Signal"))
    outcome = lab.run(schedule, task("Task1", f"{PEND}\n{PEND}") + works(Signal=20), board, rounds=5)
    ticks = [n // outcome.per_tick for n in outcome.at(Kind.START, "Signal")]
    # The first request finds it enabled by the start of the mode; the second waits for the point.
    assert len(ticks) == 6
    assert 100 <= ticks[0] < 200
    assert all(1000 <= t - 3000 * k < 1020 for k, t in enumerate(ticks[1:]))


@pytest.mark.parametrize("board", ALL)
def test_an_interrupt_that_no_point_enables_is_always_enabled(lab: Laboratory, board: str) -> None:
    schedule = interrupt() + declared(Task1=0) + points(3000, (100, "Task1"))
    thrice = f"{PEND}\ncarillon_work(20u);\n{PEND}\ncarillon_work(20u);\n{PEND}"
    outcome = lab.run(schedule, task("Task1", thrice) + works(Signal=20), board, rounds=2)
    assert len(outcome.events(Kind.START, of="Signal")) == 6


@pytest.mark.parametrize("board", ALL)
def test_requests_at_any_rate_never_delay_a_task_above_them(lab: Laboratory, board: str) -> None:
    schedule = interrupt("below-tasks") + declared(Task1=0) + points(1013, (400, "Task1"))
    outcome = lab.run(schedule, works(Task1=50, Signal=20) + IDLE.format(PEND), board, rounds=200)
    assert len(outcome.events(Kind.START, of="Signal")) > 200
    assert outcome.at(Kind.ENTER, "Task1") == [(1013 * k + 400) * outcome.per_tick for k in range(200)]


@pytest.mark.parametrize("board", ALL)
def test_two_interrupts_above_the_tasks_do_not_preempt_each_other(lab: Laboratory, board: str) -> None:
    schedule = interrupt() + interrupt(source="soft1", name="Other") + declared(Task1=0) + points(3000, (100, "Task1"))
    code = task("Task1", PEND) + task("Signal", "carillon_port_pend(17u);\ncarillon_work(20u);") + works(Other=20)
    outcome = lab.run(schedule, code, board, rounds=3)
    assert outcome.story(*ORDER)[:5] == ["start Task1", "start Signal", "end Signal", "start Other", "end Other"]
