# SPDX-License-Identifier: Apache-2.0
"""Slack: events are served between their times and their deadlines, with as few interrupts as that takes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_clock import COMPARE, ONE_SHOT, STEPS, Clock, Run, running

from sample import few
from slack_model import Model

EXACT = [
    Clock(ONE_SHOT, 16, 16, most_slack=2000),
    Clock(ONE_SHOT, 32, 32, most_slack=2000),
    Clock(ONE_SHOT, 24, 32, requests=True, most_slack=2000, farthest=10_000),
    Clock(COMPARE, 16, 16, most_slack=2000, behind=3),
    Clock(COMPARE, 16, 16, most_slack=2000, behind=3, whole=True),
    Clock(COMPARE, 32, 32, tree=True, most_slack=2000),
    Clock(COMPARE, 24, 16, most_slack=2000, farthest=20_000),
    Clock(ONE_SHOT, 16, 16, tree=True, most_slack=2000, farthest=20_000),
]
"""The timer reaches all that is put in, and keeps no time: every interrupt is for an event."""
FOLLOWED = [
    Clock(ONE_SHOT, 8, 16, keeps_time=True, most_slack=31),
    Clock(ONE_SHOT, 8, 8, most_slack=31, behind=2),
    Clock(COMPARE, 8, 16, tree=True, keeps_time=True, most_slack=31, requests=True),
    Clock(COMPARE, 16, 8, most_slack=31, keeps_time=True),
    Clock(ONE_SHOT, 16, 8, most_slack=31),
    Clock(ONE_SHOT, 8, 16, keeps_time=True, farthest=65_000, most_slack=31),
    Clock(ONE_SHOT, 16, 16, restarts=True, cost=0, most_slack=2000),
    Clock(COMPARE, 16, 16, minimum=3, most_slack=2000),
]
"""Others: some interrupts only count."""


ITEM = st.integers(0, 5)
STEP = st.one_of(
    st.tuples(st.just("run"), st.integers(1, 60), st.just(0), st.just(0)),
    st.tuples(st.just("insert"), st.integers(1, 40), st.integers(0, 30), st.sampled_from([0, 0, 5, 7, 20, 33])),
    st.tuples(st.just("remove"), st.just(0), st.just(0), st.just(0)),
)
PROGRAM = st.lists(st.tuples(ITEM, STEP), max_size=30)


def carried_out(run: Run, program: list[tuple[int, tuple[str, int, int, int]]]) -> Model:
    """A program on a clock, and by the model."""
    model = Model(now=run.time // STEPS)
    for item, (what, amount, slack, period) in program:
        if what == "run":
            run.run(amount)
            model.run(amount)
        elif what == "remove":
            if run.driver.clock_is_queued(item):
                run.driver.clock_remove(item)
                model.waiting.pop(item, None)
        elif not run.driver.clock_is_queued(item):
            run.driver.clock_slack(item, slack)
            run.insert(item, amount, period)
            model.insert(item, amount, slack, period)
    return model


@pytest.mark.parametrize("clock", EXACT, ids=str)
@settings(max_examples=few(300), deadline=None)
@given(start=st.integers(0, 70_000), program=PROGRAM)
def test_events_with_slack_are_served_by_the_interrupts_of_the_model(
    clock: Clock, start: int, program: list[tuple[int, tuple[str, int, int, int]]]
) -> None:
    with running(clock, start * STEPS) as run:
        model = carried_out(run, program)
        assert [(s.item, s.due, s.at // STEPS) for s in run.served()] == model.served
        assert run.driver.clock_interrupts() == model.interrupts


@pytest.mark.parametrize("clock", FOLLOWED, ids=str)
@settings(max_examples=few(200), deadline=None)
@given(start=st.integers(0, 70_000), cost=st.integers(0, 1), program=PROGRAM)
def test_no_event_with_slack_is_early_or_later_than_its_deadline_or_adrift(
    clock: Clock, start: int, cost: int, program: list[tuple[int, tuple[str, int, int, int]]]
) -> None:
    with running(clock, start * STEPS, cost) as run:
        slacks: dict[int, int] = {}
        periods: dict[int, tuple[int, int]] = {}  # of an item: the next time, the period
        served = []
        for item, (what, amount, slack, period) in program:
            if what == "run":
                run.run(amount)
            elif run.driver.clock_is_queued(item):
                if what == "remove":
                    run.driver.clock_remove(item)
            elif what == "insert":
                run.driver.clock_slack(item, slack)
                slacks[item] = slack
                periods[item] = run.insert(item, amount, period), period
            for each in run.served():
                due, every = periods[each.item]
                assert each.due == due
                periods[each.item] = due + every, every
                late = each.at - each.due * STEPS
                assert 0 <= late <= slacks[each.item] * STEPS + clock.slack + 60 * run.cost
                served.append(each)
        assert [s.due for s in served] == sorted(s.due for s in served)


@pytest.mark.parametrize("clock", EXACT, ids=str)
def test_alarms_with_slack_share_interrupts(clock: Clock) -> None:
    counts = []
    for slack in (0, 20):
        with running(clock) as run:
            for item, period in enumerate((50, 61, 73)):
                run.driver.clock_slack(item, slack)
                run.insert(item, period, period)
            run.run(50 * 61 * 73 // 5)
            served = run.served()
            assert all(0 <= s.at - s.due * STEPS <= slack * STEPS for s in served)
            counts.append((run.driver.clock_interrupts(), len(served)))
    without, with_slack = counts
    assert abs(without[1] - with_slack[1]) <= 3  # what waits at the end
    assert with_slack[0] < 0.6 * without[0]


@pytest.mark.parametrize("clock", [Clock(COMPARE, 16, 8, most_slack=31), Clock(ONE_SHOT, 8, 16, most_slack=31)], ids=str)
@pytest.mark.parametrize("late", [0, 50])
def test_a_deadline_beyond_what_times_or_the_timer_hold_is_kept(clock: Clock, late: int) -> None:
    """The longest delay, put in while another event is overdue, and slack that goes beyond times or the timer's reach."""
    reach = 190 if clock.width == 8 else clock.longest
    for delay in range(reach - 3, reach + 1):
        with running(clock) as run:
            run.insert(2, 1)
            run.driver.clock_lock_for((1 + late) * STEPS)
            run.driver.clock_slack(1, 31)
            due = run.insert(1, delay)
            run.run(delay + 40)
            first, served = run.served()
            assert (first.item, served.item) == (2, 1)
            assert due <= served.at // STEPS <= due + 31


@pytest.mark.parametrize("clock", [Clock(COMPARE, 16, 8, most_slack=31), Clock(ONE_SHOT, 16, 8, most_slack=31)], ids=str)
def test_an_event_that_has_laps_to_go_takes_one_interrupt_however_little_slack_another_has(clock: Clock) -> None:
    """The timer is armed for what comes after laps: the rest of the first one counts no more than its slack does."""
    delay = 3 * ((1 << clock.bits) - 2) + 10
    with running(clock) as run:
        run.driver.clock_slack(1, 31)
        due = run.insert_far(1, delay)
        run.run(delay + 40)
        (served,) = run.served()
        assert served.at == due * STEPS
        assert run.driver.clock_interrupts() == 1
        run.driver.clock_slack(2, 31)
        run.insert(2, 20)  # behind the rest of the other one's first lap, so that its slack does not count
        due = run.insert_far(1, delay)
        run.run(delay + 40)
        first, second = run.served()
        assert (first.item, first.at // STEPS - first.due) == (2, 0)
        assert (second.item, second.at) == (1, due * STEPS)
        assert run.driver.clock_interrupts() == 3


@pytest.mark.parametrize("tree", [False, True])
def test_a_clock_that_keeps_the_time_has_no_slack_while_nothing_waits(tree: bool) -> None:
    clock = Clock(COMPARE, 24, 16, tree=tree, keeps_time=True, most_slack=2000, farthest=20_000)
    with running(clock) as run:
        for item, delay in ((1, 1000), (2, 5000)):
            run.driver.clock_slack(item, 100)
            run.insert(item, delay)
        run.run(6000)
        assert [(s.item, s.at // STEPS - s.due) for s in run.served()] == [(1, 100), (2, 100)]
        interrupts = run.driver.clock_interrupts()
        for _ in range(3):
            run.run(0xFFFF)
            interrupts += 1
            assert run.driver.clock_interrupts() == interrupts
            assert run.driver.clock_now() == run.time // STEPS % 0x10000


@pytest.mark.parametrize("clock", EXACT, ids=str)
def test_what_is_overdue_when_an_event_has_been_served_needs_no_interrupt_of_its_own(clock: Clock) -> None:
    with running(clock) as run:
        run.handler(steps=5 * STEPS)
        run.insert(1, 10)
        run.insert(2, 12)
        run.run(40)
        assert [(s.item, s.at // STEPS) for s in run.served()] == [(1, 10), (2, 15)]
        assert run.driver.clock_interrupts() == 1
