# SPDX-License-Identifier: Apache-2.0
"""The four causes of drift of the RELTEQ paper (section III): absent, or as much as drift.py says."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import drift
import pytest
from test_clock import COMPARE, ONE_SHOT, STANDING, STEPS, TICK, Clock, Fault, running

KINDS = [Clock(TICK, 16), Clock(ONE_SHOT, 16), Clock(COMPARE, 16)]
EACH = pytest.mark.parametrize("clock", KINDS, ids=str)


@EACH
def test_cause_1_an_oscillator_that_is_off_shifts_everything_by_just_that(clock: Clock) -> None:
    """A tick should be 16 steps less 1/100: the clock is slow by as much."""
    period, count = 50, 400
    nominal = Fraction(STEPS * 100, 101)
    with running(clock) as run:
        run.insert(1, period, period)
        run.run(period * count + 1)
        last = run.served()[count - 1]
        wanted = period * count * nominal
        assert last.at - wanted == drift.of_hardware(Fraction(10_000), wanted)


@EACH
def test_cause_2_a_period_of_a_part_of_a_tick_is_carried(clock: Clock) -> None:
    """A millisecond at 7200 Hz is 7.2 ticks."""
    period = Fraction(72, 10)
    count = 5000
    with running(clock) as run:
        run.driver.clock_insert_fraction(1, 7, 1, 5)
        run.run(int(period * count) + 1)
        served = run.served()
        assert len(served) == count
        for number, each in enumerate(served, start=1):
            assert 0 <= number * period - Fraction(each.at, STEPS) < 1
    assert drift.of_granularity(Fraction(1, 1000), Fraction(1, 7200)) * count * 7200 == -1000  # ticks, if it were rounded


@EACH
def test_cause_2_also_in_periods_of_many_ranges(clock: Clock) -> None:
    """10.00001 s at 115200 Hz: the paper's one-shot timer overflowed at 10 s."""
    period = Fraction(1_000_001, 100_000) * 115_200
    if clock.kind == TICK:
        period /= 10
    with running(clock) as run:
        run.driver.clock_insert_fraction(1, int(period), period.numerator % period.denominator, period.denominator)
        run.run(int(20 * period) + 1)
        served = run.served()
        assert len(served) == 20
        for number, each in enumerate(served, start=1):
            assert 0 <= number * period - Fraction(each.at, STEPS) < 1


@pytest.mark.parametrize("clock", [Clock(ONE_SHOT, 16), Clock(ONE_SHOT, 8), Clock(COMPARE, 16)], ids=str)
def test_cause_3_latency_and_the_cost_of_arming_do_not_add_up_where_the_timer_goes_on(clock: Clock) -> None:
    chance = random.Random(3)
    period, count = 23, 3000
    with running(clock, cost=5) as run:
        first = run.insert(1, period, period)
        for _ in range(count // 10):
            run.driver.clock_inject(Fault.LATE, chance.randrange(10 * STEPS))
            run.run(period * 10)
        served = run.served()
        assert [each.due for each in served] == [first + number * period for number in range(len(served))]
        assert all(0 <= each.at - each.due * STEPS < 11 * STEPS for each in served)


def test_cause_3_what_is_compensated_exactly_does_not_add_up_where_the_timer_restarts() -> None:
    """Reading takes one tick of the timer, and the interrupt comes at the beginning of one."""
    clock = Clock(ONE_SHOT, 16, restarts=True, cost=1)
    period = 100
    with running(clock, cost=STEPS) as run:
        run.insert(1, period, period)
        run.run(period * 1000)
        served = run.served()
        assert len(served) > 990
        assert {later.at - earlier.at for earlier, later in pairwise(served)} == {period * STEPS}
    assert drift.of_restarts(Fraction(1), 1)[0] == 0


@pytest.mark.parametrize(("cost", "compensated"), [(5, 0), (7, 0), (20, 1), (40, 2)])
def test_cause_3_where_the_timer_restarts_the_drift_is_within_what_is_predicted(cost: int, compensated: int) -> None:
    clock = Clock(ONE_SHOT, 16, restarts=True, cost=compensated)
    period, count = 100, 1000
    chance = random.Random(cost)
    with running(clock, cost=cost) as run:
        run.insert(1, period, period)
        for _ in range(count // 10):
            run.driver.clock_inject(Fault.LATE, chance.randrange(3 * STEPS))
            run.run(period * 10)
        served = run.served()
        least, most = drift.of_restarts(Fraction(cost, STEPS), compensated)
        number = len(served) - 1
        total = Fraction(served[-1].at - served[0].at, STEPS) - number * period
        assert least * number - 3 <= total <= most * number + 3


@pytest.mark.parametrize(
    "clock", [Clock(TICK, 16, keeps_time=True), Clock(TICK, 8, 8, keeps_time=True), Clock(COMPARE, 16), *STANDING], ids=str
)
def test_cause_4_what_is_inserted_between_ticks_does_not_add_up_if_it_is_relative_to_the_last_event(clock: Clock) -> None:
    """A task that delays until its next period, from wherever in a tick it is."""
    chance = random.Random(4)
    mask = (1 << clock.bits) - 1
    period = 10
    with running(clock) as run:
        at = run.driver.clock_now()
        start = run.time // STEPS
        for number in range(1, 3000):
            assert run.driver.clock_insert_after(1, at, period) == 1
            at = (at + period) & mask
            run.driver.clock_run((start + number * period) * STEPS + chance.randrange(3 * STEPS))
            (served,) = run.served()
            assert served.at == (start + number * period) * STEPS


@pytest.mark.parametrize("clock", [Clock(TICK, 16, keeps_time=True), Clock(COMPARE, 16)], ids=str)
def test_cause_4_adds_up_if_it_is_relative_to_now_as_a_plain_delay_is(clock: Clock) -> None:
    """The test above can fail: the same task with delays from now loses the time in which it ran."""
    with running(clock) as run:
        for _ in range(100):
            run.insert(1, 10)
            run.run(12)
        assert run.served()[-1].at > 100 * 11 * STEPS


@pytest.mark.parametrize(
    "clock",
    [Clock(TICK, 16, keeps_time=True), Clock(COMPARE, 16), Clock(COMPARE, 8, 8), *(c for c in STANDING if c.width > 3)],
    ids=str,
)
def test_a_time_that_has_passed_is_refused(clock: Clock) -> None:
    mask = (1 << clock.bits) - 1
    with running(clock, start=100 * STEPS) as run:
        run.run(1000)
        now = run.driver.clock_now()
        for period in (1, 7, 150):
            for passed in (period, period + 1, period + 100):
                assert run.driver.clock_insert_after(1, (now - passed) & mask, period) == 0
                assert run.driver.clock_is_queued(1) == 0
        assert run.driver.clock_insert_after(1, (now - 99) & mask, 100) == 1
        assert run.driver.clock_insert_after(2, now, 5) == 1
        assert (run.driver.clock_left(1), run.driver.clock_left(2)) == (1, 5)
        run.run(10)
        assert [each.item for each in run.served()] == [1, 2]


@pytest.mark.parametrize(
    "clock",
    [Clock(COMPARE, 16), Clock(ONE_SHOT, 16, keeps_time=True), Clock(COMPARE, 8, 8), *(c for c in STANDING if c.width > 3)],
    ids=str,
)
def test_a_time_that_has_passed_is_refused_while_another_event_waits_to_be_served(clock: Clock) -> None:
    mask = (1 << clock.bits) - 1
    for waits in range(5):
        for passed in range(1, 6):
            with running(clock, cost=1) as run:
                run.insert(1, 3)
                run.driver.clock_lock_for((3 + waits) * STEPS)
                now = run.driver.clock_now()
                assert run.driver.clock_insert_after(2, (now - 10 - passed) & mask, 10) == 0
                run.insert(3, 5)
                run.run(20)
                assert [each.item for each in run.served()] == [1, 3]


@pytest.mark.parametrize(
    "clock", [Clock(TICK, 16, keeps_time=True), Clock(COMPARE, 16), Clock(COMPARE, 24, 16, keeps_time=True)], ids=str
)
def test_a_far_time_is_relative_to_the_last_event_and_is_refused_if_it_has_passed(clock: Clock) -> None:
    mask, far = (1 << clock.bits) - 1, 150_000
    with running(clock, start=100 * STEPS) as run:
        run.run(1000)
        now, start = run.driver.clock_now(), run.time // STEPS
        for passed in (7, 8, 107):
            assert run.driver.clock_insert_far_after(1, (now - passed) & mask, 7) == 0
            assert run.driver.clock_is_queued(1) == 0
        assert run.driver.clock_insert_far_after(1, (now - 99) & mask, 100) == 1
        assert run.driver.clock_insert_far_after(2, (now - 50) & mask, far) == 1
        assert (run.driver.clock_left(1), run.driver.clock_left(2)) == (1, far - 50)
        run.run(far)
        assert [(each.item, each.at // STEPS) for each in run.served()] == [(1, start + 1), (2, start + far - 50)]
