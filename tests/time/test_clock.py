# SPDX-License-Identifier: Apache-2.0
"""The clock, of every kind and width, on a timer that does what timers do wrong: nothing is early, lost or adrift."""

from __future__ import annotations

import ctypes
import enum
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import native
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sample import few

STEPS = 16  # of the mock's time in a tick
ITEMS = 8  # of random programs
ROOM = 65536
BATCHES = 8  # CARILLON_CLOCK_BATCHES
_items = (ctypes.c_int32 * ROOM)()
_due = (ctypes.c_uint64 * ROOM)()
_at = (ctypes.c_uint64 * ROOM)()

TICK, ONE_SHOT, COMPARE = "TICK", "ONE_SHOT", "COMPARE"


class Fault(enum.IntEnum):
    """enum mock_fault."""

    NONE = 0
    LATE = 1
    SPURIOUS = 2
    JUMP_AFTER_READ = 3
    JUMP_BEFORE_ARM = 4
    JUMP_AFTER_ARM = 5
    ARM_IN_LAST_TICK = 6
    ARM_AS_IT_EXPIRES = 7


@dataclass(frozen=True)
class Clock:
    """A configuration."""

    kind: str
    width: int  # of the counter
    bits: int = 16  # of the queue's times
    tree: bool = False
    counters: bool = False
    requests: bool = False
    keeps_time: bool = False
    minimum: int = 1
    nests: bool = True
    restarts: bool = False
    cost: int = 0
    farthest: int | None = None
    behind: int = 0
    uptime: bool = False
    most_slack: int = 0
    whole: bool = False  # native.clock
    within: int | None = None  # a counter tells the time within a tick: what it reads at its end, -1: a match that moves

    def __str__(self) -> str:
        words = [self.kind, str(self.width), str(self.bits)]
        words += [] if self.nests else ["flat"]
        switches = ("tree", "counters", "requests", "keeps_time", "restarts", "uptime", "whole")
        words += [word for word in switches if getattr(self, word)]
        words += [f"minimum{self.minimum}"] if self.minimum > 1 else []
        words += [f"behind{self.behind}"] if self.behind else []
        words += [f"slack{self.most_slack}"] if self.most_slack else []
        words += [f"within{self.within}"] if self.within is not None else []
        words += [f"farthest{self.farthest}"] if self.farthest is not None else []
        return "-".join(words)

    @property
    def latest(self) -> int:
        return min((1 << self.width) // 2 if self.width < 8 else (1 << self.width) // 4, (1 << self.bits) // 4)

    @property
    def slack(self) -> int:
        """Steps by which an event may be late without a fault: accesses take time where the timer has a minimum."""
        return 8 if self.minimum > 1 else 0

    @property
    def longest(self) -> int:
        """The longest delay of a plain event."""
        longest = (1 << self.bits) - 3 - self.latest
        return longest if self.farthest is None else min(longest, self.farthest)

    @property
    def library(self) -> Any:
        defines: dict[str, int | str] = {
            "CLOCK": f"CARILLON_CLOCK_{self.kind}",
            "CLOCK_BITS": self.width,
            "CLOCK_LATEST": f"{self.latest}u",
            "CLOCK_MINIMUM": f"{self.minimum}u",
            "CLOCK_REQUESTS": int(self.requests),
            "CLOCK_KEEPS_TIME": int(self.keeps_time),
            "CLOCK_NESTS": int(self.nests),
            "CLOCK_RESTARTS": int(self.restarts),
            "CLOCK_COST": f"{self.cost}u",
            "CLOCK_SLACK": f"{self.most_slack}u",
            "CLOCK_BEHIND": f"{self.behind}u",
            "TIME_BITS": self.bits,
            "TIME_UPTIME": int(self.uptime),
            "TIME_FAR": int(self.farthest is None),
            "QUEUE_TREE": int(self.tree),
            "QUEUE_COUNTERS": int(self.counters),
        }
        if self.farthest is not None:
            defines["CLOCK_FARTHEST"] = f"{self.farthest}u"
        if self.within is not None:
            defines |= {"TIME_UNITS": f"{STEPS}u", "TIME_UNIT_HZ": "1u", "TICK_MATCH": "0xFFFFFFFFu" if self.within < 0 else "0u"}
            return native.clock(**defines, MOCK_READS=f"{max(self.within, 0)}u")
        return native.clock(whole=self.whole, **defines)


@dataclass
class Served:
    item: int
    due: int  # tick
    at: int  # step


@dataclass
class Run:
    """A clock that runs."""

    driver: Any
    clock: Clock
    cost: int = 0
    keep: list[Any] = field(default_factory=list)

    def insert(self, item: int, delay: int, period: int = 0) -> int:
        before = self.time // STEPS
        due = int(self.driver.clock_insert(item, delay, period))
        assert before + delay <= due <= self.time // STEPS + delay
        return due

    def insert_far(self, item: int, delay: int, period: int = 0) -> int:
        before = self.time // STEPS
        due = int(self.driver.clock_insert_far(item, delay, period))
        assert before + delay <= due <= self.time // STEPS + delay
        return due

    def run(self, ticks: int) -> None:
        self.driver.clock_run(self.time + ticks * STEPS)

    @property
    def time(self) -> int:
        return int(self.driver.clock_time())

    def served(self) -> list[Served]:
        count = self.driver.clock_served(_items, _due, _at, ROOM)
        return [Served(_items[i], _due[i], _at[i]) for i in range(count)]

    def handler(self, function: Any = None, steps: int = 0, nests: bool = False) -> None:
        self.keep.append(native.HANDLER(function) if function else native.HANDLER())
        self.driver.clock_handler(self.keep[-1], steps, int(nests))


@contextmanager
def running(clock: Clock, start: int = 0, cost: int = 0) -> Iterator[Run]:
    """A clock at a true time of `start` steps, whose timer takes `cost` steps for every access.

    It takes some if the clock has to wait for the time to pass.
    """
    with native.loaded(clock.library) as driver:
        driver.clock_reset(start, max(cost, int(clock.minimum > 1)))
        if clock.keeps_time:
            driver.clock_start()
        yield Run(driver, clock, cost)


WIDTHS = (3, 8, 16, 32)
PLAIN = [Clock(TICK, bits, bits) for bits in (8, 16, 32)] + [
    Clock(kind, width, bits) for kind in (ONE_SHOT, COMPARE) for width in WIDTHS for bits in (8, 16, 32)
]
MORE = [
    Clock(TICK, 8, 8, tree=True, keeps_time=True),
    Clock(TICK, 16, 16, keeps_time=True),
    Clock(TICK, 16, 16, keeps_time=True, nests=False),
    Clock(TICK, 8, 8, nests=False),
    *(Clock(TICK, bits, bits, nests=False, counters=True) for bits in (8, 16, 32)),
    Clock(COMPARE, 3, 16, tree=True, keeps_time=True),
    Clock(COMPARE, 8, 8, keeps_time=True, requests=True),
    Clock(COMPARE, 16, 16, minimum=3),
    Clock(COMPARE, 16, 32, requests=True, minimum=2),
    Clock(COMPARE, 24, 32, tree=True),
    Clock(ONE_SHOT, 8, 16, requests=True, keeps_time=True),
    Clock(ONE_SHOT, 16, 16, tree=True, minimum=3),
    Clock(ONE_SHOT, 24, 32, keeps_time=True),
]
STANDING = [
    Clock(ONE_SHOT, 3, 8, keeps_time=True, farthest=200, requests=True),
    Clock(ONE_SHOT, 8, 16, keeps_time=True, farthest=65_000),
    Clock(ONE_SHOT, 24, 32, keeps_time=True, farthest=1 << 31),
    Clock(COMPARE, 8, 16, keeps_time=True, farthest=65_000, tree=True),
    Clock(COMPARE, 16, 32, keeps_time=True, farthest=1 << 31),
]
"""The reference stays where it is while events are put in."""
MORE += STANDING
MERGING = [
    *(Clock(kind, width, bits) for kind in (ONE_SHOT, COMPARE) for width, bits in ((16, 8), (32, 8), (32, 16))),
    Clock(COMPARE, 24, 16, keeps_time=True),
    Clock(COMPARE, 16, 8, tree=True, keeps_time=True, requests=True),
    Clock(COMPARE, 32, 16, minimum=3),
    Clock(ONE_SHOT, 24, 16, keeps_time=True, behind=2),
    Clock(ONE_SHOT, 32, 8, tree=True, requests=True),
    Clock(ONE_SHOT, 16, 8, keeps_time=True),
]
"""The counter reaches some laps of the times."""
MORE += [clock for clock in MERGING if clock not in PLAIN]
LETTING_IN = [
    Clock(ONE_SHOT, 8, 16, keeps_time=True, behind=1),
    Clock(ONE_SHOT, 16, 16, behind=3),
    Clock(ONE_SHOT, 24, 32, requests=True, behind=5),
    Clock(COMPARE, 8, 8, keeps_time=True, requests=True, behind=2),
    Clock(COMPARE, 16, 16, minimum=3, behind=4),
    Clock(COMPARE, 24, 32, tree=True, behind=7),
    Clock(COMPARE, 32, 32, behind=2),
    Clock(COMPARE, 16, 16, behind=3, whole=True),
]
"""The handler leaves while more is overdue, and comes again."""
MORE += LETTING_IN
EVERY = pytest.mark.parametrize("clock", PLAIN + MORE, ids=str)
TIMED = pytest.mark.parametrize("clock", [clock for clock in PLAIN + MORE if clock.kind != TICK], ids=str)


def starts(clock: Clock) -> list[int]:
    """True times around the counter's wraps, in ticks."""
    span = 1 << clock.width
    return list(range(span)) if clock.width == 3 else [0, 1, span // 2 - 1, span - 3, span - 2, span - 1, span, 5 * span + 7]


@EVERY
def test_every_event_comes_at_its_tick_with_no_interrupt_too_many(clock: Clock) -> None:
    for start in starts(clock):
        with running(clock, start * STEPS + 3) as run:
            arms = run.driver.clock_arms()
            delays = sorted({2 * clock.minimum - 1, 3 * clock.minimum, 7 * clock.minimum, clock.longest // 3, clock.longest // 2})
            if clock.kind == TICK or clock.width < 16:
                delays = [delay for delay in delays if delay < 100_000]
            dues = [run.insert(item, delay) for item, delay in reversed(list(enumerate(delays)))]
            if clock.minimum == 1:
                assert dues == [start + delay for delay in reversed(delays)]
            run.run(max(delays) + 1)
            served = run.served()
            assert [each.item for each in served] == list(range(len(delays)))
            for each in served:
                assert 0 <= each.at - each.due * STEPS <= clock.slack
            reach = run.driver.clock_reach()
            if clock.kind == TICK:
                assert run.driver.clock_interrupts() == max(delays) + 1
            elif not clock.keeps_time:
                times = [start, *reversed(dues)]
                wanted = sum(-(-(late - early) // reach) for early, late in pairwise(times))
                assert run.driver.clock_interrupts() == wanted
                # One arm for each insertion, since each came in front; one for each interrupt but the last.
                assert run.driver.clock_arms() - arms == len(delays) + wanted - 1


@EVERY
def test_a_period_has_no_drift_over_many_wraps(clock: Clock) -> None:
    period = min(clock.longest // 2, 5000)
    count = 3000 if clock.kind != TICK else 200
    for start in starts(clock)[:3]:
        with running(clock, start * STEPS, cost=1) as run:
            first = run.insert(1, period, period)
            run.run(period * count)
            served = run.served()
            assert [each.due for each in served] == [first + number * period for number in range(len(served))]
            assert len(served) >= count - 1
            assert max(each.at - each.due * STEPS for each in served) < 2 * STEPS
            assert min(each.at - each.due * STEPS for each in served) >= 0


@EVERY
def test_a_far_event_comes_at_its_tick(clock: Clock) -> None:
    lap = (1 << clock.bits) - 2
    for laps in (1, 2, 3):
        if laps * lap > 200_000 and (clock.kind == TICK or clock.width < 16):
            continue
        for by in (-1, 0, 1):
            with running(clock, start=77) as run:
                far = run.insert_far(1, laps * lap + by)
                run.insert(2, 2 * clock.minimum)
                run.run(laps * lap + by + 1)
                served = run.served()
                assert [each.item for each in served] == [2, 1]
                assert all(0 <= each.at - each.due * STEPS <= clock.slack for each in served)
                assert far == 77 // STEPS + laps * lap + by


@TIMED
def test_what_the_timer_can_reach_needs_no_interrupt_in_between_and_what_it_cannot_only_those(clock: Clock) -> None:
    if clock.keeps_time:
        pytest.skip("counts while nothing waits")
    with running(clock) as run:
        reach = run.driver.clock_reach()
        for delay in (reach - 1, reach, reach + 1, 2 * reach, 2 * reach + 1):
            if delay < clock.longest:
                before = run.driver.clock_interrupts()
                run.insert(1, delay)
                run.run(delay + 1)
                wanted = -(-delay // reach)
                if 0 < delay % reach < clock.minimum:
                    wanted -= 1  # what is left then is waited for
                assert run.driver.clock_interrupts() - before == wanted
                assert len(run.served()) == 1


FAULTS = [fault for fault in Fault if fault not in (Fault.NONE, Fault.SPURIOUS)]


@EVERY
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_makes_events_late_by_no_more_than_it_lasts(clock: Clock, fault: Fault) -> None:
    if clock.kind == TICK and fault != Fault.LATE:
        pytest.skip("a tick has nothing to read or to arm")
    most = (STEPS - 1) if clock.kind == TICK else min(clock.latest, 40) * STEPS // 2
    period = max(clock.minimum + 1, min(5, clock.longest), 2 * clock.behind)
    for amount in sorted({1, STEPS // 2, most // 2, most}):
        for number in range(12):
            with running(clock, start=3) as run:
                first = run.insert(1, period, period)
                run.run(period * number + 1)
                run.driver.clock_inject(fault, amount)
                run.run(period * 12)
                late = run.driver.clock_injected()
                run.run(period * 12 + 100)
                served = run.served()
                assert [each.due for each in served] == [first + turn * period for turn in range(len(served))]
                assert len(served) >= 24 + number - 1
                for each in served:
                    assert (
                        0 <= each.at - each.due * STEPS <= late + (clock.slack + clock.minimum * STEPS if late else clock.slack)
                    )
                if not clock.behind:  # else it catches up more slowly, with others in between
                    assert sum(each.at > each.due * STEPS + clock.slack for each in served) <= 1 + late // (period * STEPS) + 1


@TIMED
def test_a_spurious_interrupt_changes_nothing(clock: Clock) -> None:
    with running(clock) as run:
        run.insert(1, 5, 5)
        for number in range(40):
            run.driver.clock_inject(Fault.SPURIOUS, number)
            run.run(4)
        run.run(10)
        served = run.served()
        assert len(served) == 34
        for each in served:
            assert 0 <= each.at - each.due * STEPS <= clock.slack


@TIMED
def test_an_event_that_comes_in_front_of_one_that_waits_to_be_served_is_served_at_once(clock: Clock) -> None:
    """The interrupt is locked out while the first event's time passes, and others are inserted."""
    for locked in (1, 2, clock.latest // 2):
        for delay in (0, 1, 2):
            with running(clock, start=5, cost=1) as run:
                run.insert(1, 3)
                run.insert(2, 4 + locked)
                run.driver.clock_lock_for((3 + locked) * STEPS)
                due = run.insert(3, delay)
                run.run(locked + delay + 100)
                served = run.served()
                assert sorted(each.item for each in served) == [1, 2, 3]
                assert [each.due for each in served] == sorted(each.due for each in served)
                third = next(each for each in served if each.item == 3)
                assert third.due == due
                for each in served:
                    assert 0 <= each.at - each.due * STEPS <= (locked + 3 + 2 * clock.minimum) * STEPS


@TIMED
def test_an_event_that_is_due_when_it_is_inserted_gets_its_interrupt(clock: Clock) -> None:
    for cost in (0, 1, 5, STEPS, 2 * STEPS):
        if cost * 10 // STEPS >= clock.latest:
            continue
        with running(clock, start=9, cost=cost) as run:
            for item in range(8):
                run.insert(item, item % 2)
                run.run(3)
            run.run(50)
            served = run.served()
            assert len(served) == 8
            for each in served:
                assert 0 <= each.at - each.due * STEPS <= (1 + 2 * clock.minimum) * STEPS + 20 * cost


@pytest.mark.parametrize("clock", [Clock(TICK, 16), Clock(TICK, 8, 8, keeps_time=True, tree=True)], ids=str)
def test_a_delay_of_no_tick_is_served_at_the_next_tick(clock: Clock) -> None:
    with running(clock) as run:
        for item, delay in enumerate((0, 0, 1, 2)):
            run.insert(item, delay)
        run.run(1)
        run.run(1)
        run.run(1)
        assert [(each.item, each.at // STEPS) for each in run.served()] == [(0, 1), (1, 1), (2, 1), (3, 2)]


@EVERY
def test_removing_the_first_event_arms_for_the_next(clock: Clock) -> None:
    with running(clock) as run:
        run.insert(1, 3)
        run.insert(2, 5)
        run.insert(3, 9)
        run.driver.clock_remove(1)
        run.run(4)
        if clock.kind != TICK and not clock.keeps_time and run.driver.clock_reach() >= 9:
            assert run.driver.clock_interrupts() == 0
        run.driver.clock_remove(3)
        run.run(20)
        assert [each.item for each in run.served()] == [2]
        before = run.driver.clock_interrupts()
        run.insert(1, 4)
        run.driver.clock_remove(1)
        run.run(20)
        assert run.served() == []
        if clock.kind != TICK and not clock.keeps_time:
            assert run.driver.clock_interrupts() == before


@EVERY
@pytest.mark.parametrize("nests", [False, True])
def test_a_handler_that_takes_long_or_is_interrupted_by_the_clock_loses_nothing(clock: Clock, nests: bool) -> None:
    if nests and not clock.nests:
        pytest.skip("it is not interrupted")
    steps = STEPS // 2 if clock.kind == TICK and not nests else min(clock.latest // 2, 10) * STEPS
    with running(clock, cost=1) as run:
        run.handler(steps=steps, nests=nests)
        period = 2 * steps // STEPS + 4
        first = run.insert(1, period, period)
        second = run.insert(2, period, 2 * period)
        run.run(period * 100)
        served = run.served()
        for item, start, every in ((1, first, period), (2, second, 2 * period)):
            mine = [each.due for each in served if each.item == item]
            assert mine == [start + number * every for number in range(len(mine))]
            assert len(mine) >= 100 * period // every - 2
        assert all(0 <= each.at - each.due * STEPS <= steps + 4 * STEPS for each in served)
        assert run.driver.clock_lost() == 0


@TIMED
def test_an_interrupt_within_a_handler_leaves_the_reference_where_it_is(clock: Clock) -> None:
    """The handler inserts its event anew after that, counted from the reference."""
    with running(clock) as run:
        run.handler(steps=2 * STEPS, nests=True)
        first = run.insert(1, 20, 20)
        for number in range(20):
            run.driver.clock_inject(Fault.SPURIOUS, (first + number * 20 + 1) * STEPS - run.time)
            run.run(20)
        run.run(20)
        served = run.served()
        assert [each.due for each in served] == [first + number * 20 for number in range(len(served))]
        assert all(0 <= each.at - each.due * STEPS <= clock.slack for each in served)
        assert len(served) >= 20


@EVERY
def test_what_is_left_is_counted_from_now(clock: Clock) -> None:
    with running(clock) as run:
        run.insert(1, 100)
        run.insert_far(2, 300)
        for passed in (0, 1, 2, 50, 99):
            run.run(passed - run.time // STEPS)
            assert run.driver.clock_left(1) == 100 - run.time // STEPS
            assert run.driver.clock_left(2) == 300 - run.time // STEPS
        run.run(201)
        assert [each.item for each in run.served()] == [1, 2]


@EVERY
def test_the_longest_delay_is_what_is_left_wherever_the_reference_is(clock: Clock) -> None:
    with running(clock) as run:
        reach = run.driver.clock_reach() if clock.kind != TICK and clock.width < 32 else 100
        for waits in (0, 1, reach // 2, reach - 1, reach, reach + 1):
            run.run(waits)
            due = run.insert(1, clock.longest)
            left = run.driver.clock_left(1)
            assert 0 <= left - (due - run.time // STEPS) <= int(clock.slack > 0)
            run.driver.clock_remove(1)


@EVERY
def test_handlers_insert_and_cancel_themselves_and_others(clock: Clock) -> None:
    with running(clock) as run:

        def handler(item: int) -> None:
            if item == 1:
                run.driver.clock_remove(2)
                run.driver.clock_insert(3, 2, 0)
                run.driver.clock_insert(7, 2, 0)
            elif item == 3:
                run.driver.clock_remove(4)
                run.driver.clock_insert(5, 0, 0)

        run.handler(handler)
        run.insert(1, 4)
        run.insert(2, 4)
        run.insert(4, 20, 3)
        run.insert(0, 19)
        run.run(60)
        # What is put in when it is due comes after what is due already, and before what waits.
        assert [(each.item, each.at // STEPS) for each in run.served()] == [(1, 4), (3, 6), (7, 6), (5, 6), (0, 19)]

        def stop(item: int) -> None:
            run.driver.clock_remove(item)

        run.handler(stop)
        run.insert(6, 3, 3)
        run.run(20)
        assert len(run.served()) == 1


NEAR = [Clock(kind, 8, 16, keeps_time=True, farthest=100) for kind in (ONE_SHOT, COMPARE)]
"""The timer reaches every event, but not as far as the times count."""


@pytest.mark.parametrize("clock", [clock for clock in MORE + NEAR if clock.keeps_time], ids=str)
def test_the_time_is_kept_whether_anything_waits_or_not(clock: Clock) -> None:
    mask = (1 << clock.bits) - 1
    with running(clock) as run:
        origin = run.driver.clock_now()
        times = []
        run.handler(lambda _: times.append((run.driver.clock_now() - origin - run.time // STEPS) & mask))
        for turn in range(400):
            run.run(7 * turn % 50 if turn % 40 else 1000)
            assert (run.driver.clock_now() - origin) & mask == run.time // STEPS & mask
            if turn % 5 == 0 and not run.driver.clock_is_queued(1):
                run.insert(1, 3 + turn % 7)
                assert (run.driver.clock_now() - origin) & mask == run.time // STEPS & mask
            if turn % 11 == 0 and not run.driver.clock_is_queued(2):
                run.insert(2, 90)
            elif turn % 13 == 0 and run.driver.clock_is_queued(2):
                run.driver.clock_remove(2)
                assert (run.driver.clock_now() - origin) & mask == run.time // STEPS & mask
        assert times
        assert set(times) == {0}


UPTIME = [
    Clock(kind, width, bits, keeps_time=True, uptime=True)
    for kind in (ONE_SHOT, COMPARE)
    for width, bits in ((3, 8), (8, 8), (8, 16), (16, 16), (24, 32), (31, 32), (32, 32), (16, 8), (24, 16), (32, 16))
]
UPTIME += [
    Clock(ONE_SHOT, 8, 8, keeps_time=True, uptime=True, farthest=100),
    Clock(COMPARE, 16, 16, keeps_time=True, uptime=True, farthest=5000, requests=True),
    Clock(COMPARE, 24, 16, keeps_time=True, uptime=True, farthest=5000, tree=True),
    Clock(ONE_SHOT, 24, 32, keeps_time=True, uptime=True, behind=5),
]


@pytest.mark.parametrize("clock", UPTIME, ids=str)
@settings(max_examples=few(60), deadline=None)
@given(data=st.data())
def test_the_time_in_64_bits_is_the_true_time_however_often_counter_and_times_wrap(clock: Clock, data: st.DataObject) -> None:
    turn = 1 << max(clock.width, clock.bits)
    span = st.one_of(st.integers(0, 20), st.integers(0, 3 * turn), st.integers(turn - 3, turn + 3))
    item, delay = st.integers(0, ITEMS - 1), st.one_of(st.integers(1, 20), st.integers(1, clock.longest))
    late = st.integers(0, clock.latest * STEPS // 4)
    step = st.one_of(
        st.tuples(st.just("run"), span, st.just(0)),
        st.tuples(st.just("lock"), late, st.just(0)),
        st.tuples(st.just("insert"), item, delay),
        st.tuples(st.just("far"), item, delay) if clock.farthest is None else st.tuples(st.just("insert"), item, delay),
        st.tuples(st.just("remove"), item, st.just(0)),
    )
    program = data.draw(st.lists(step, max_size=20))
    start = data.draw(st.integers(0, turn * STEPS))
    with running(clock, start) as run:
        origin = run.driver.clock_uptime() - run.time // STEPS
        seen: list[int] = []
        run.handler(lambda _: seen.append(run.driver.clock_uptime() - origin - run.time // STEPS))
        for kind, value, more in program:
            if kind == "run":
                run.run(value)
            elif kind == "lock":
                run.driver.clock_lock_for(value)
                seen.append(run.driver.clock_uptime() - origin - run.time // STEPS)
                run.run(1)
            elif kind == "remove":
                if run.driver.clock_is_queued(value):
                    run.driver.clock_remove(value)
            elif not run.driver.clock_is_queued(value):
                (run.insert if kind == "insert" else run.insert_far)(value, more)
            seen.append(run.driver.clock_uptime() - origin - run.time // STEPS)
            assert run.driver.clock_now() == (run.driver.clock_uptime() & ((1 << clock.bits) - 1))
        assert set(seen) <= {0}


WITHIN = [Clock(TICK, bits, bits, nests=False, within=reads) for bits in (8, 16, 32) for reads in (0, STEPS, -1)]


@pytest.mark.parametrize("clock", WITHIN, ids=str)
@settings(max_examples=few(150), deadline=None)
@given(data=st.data())
def test_the_time_within_a_tick_is_exact_whether_its_interrupt_waits_or_not(clock: Clock, data: st.DataObject) -> None:
    cost = data.draw(st.integers(0, 5))
    mask = (STEPS << clock.bits) - 1
    with running(clock, 0, cost) as run:
        for steps, locked in data.draw(st.lists(st.tuples(st.integers(0, 600 * STEPS), st.integers(0, 2 * STEPS)), max_size=20)):
            run.driver.clock_run(run.time + steps)
            # Locked, until before a second tick is over: three readings take up to 5 steps each, and the time that is told is
            # that of one of them.
            room = 2 * STEPS - run.time % STEPS - 1 - 3 * cost
            if room < 0:
                continue
            run.driver.clock_lock_for(min(locked, room))
            before = run.time
            said = run.driver.clock_moment()
            assert (said - before) & mask <= run.time - before
        assert run.driver.clock_lost() == 0


@EVERY
@settings(max_examples=few(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_random_programs_with_faults_lose_nothing_and_are_never_early(clock: Clock, data: st.DataObject) -> None:
    reach = (1 << clock.width) - 1 - clock.latest
    scale = data.draw(st.sampled_from([10, 300, clock.longest] if clock.longest < 300 * reach else [10, 300]))
    most = min(scale, clock.longest) if clock.kind != TICK else min(scale, clock.longest, 300)
    short = st.integers(0, 6)
    near = st.integers(max(0, min(most, reach) - 2), min(most, reach + 2))
    delay = st.one_of(short, st.integers(0, most), st.just(most), near)
    period = st.integers(max(clock.minimum + 1, most // 10), max(clock.minimum + 2, most))
    item = st.integers(0, ITEMS - 1)
    harm = (STEPS - 4) if clock.kind == TICK else max(1, min(clock.latest, 1000) * STEPS // 8)
    fault = st.sampled_from([Fault.LATE] if clock.kind == TICK else FAULTS)
    step = st.one_of(
        st.tuples(st.just("insert"), item, delay, st.one_of(st.just(0), period)),
        st.tuples(st.just("far"), item, st.integers(0, 2 * most), st.just(0)),
        st.tuples(st.just("remove"), item, st.just(0), st.just(0)),
        st.tuples(st.just("run"), st.just(0), st.one_of(short, st.integers(0, 3 * most)), st.just(0)),
        st.tuples(st.just("lock"), st.just(0), st.integers(0, harm if clock.kind != TICK else 0), st.just(0)),
        st.tuples(st.just("fault"), fault, st.integers(0, harm), st.just(0)),
    )
    program = data.draw(st.lists(step, max_size=25))
    cost = data.draw(st.sampled_from([0, 1])) if clock.width == 3 else data.draw(st.sampled_from([0, 1, 3]))
    start = data.draw(st.integers(0, (1 << clock.width) * STEPS * 2))
    with running(clock, start, cost) as run:
        wanted: dict[int, tuple[int, int]] = {}
        served: list[Served] = []
        locked = 0
        pending = 0

        def collect() -> None:
            for each in run.served():
                due, every = wanted[each.item]
                assert each.due == due
                assert each.at >= each.due * STEPS
                late = each.at - each.due * STEPS
                # What struck while the timer was being armed for something due counts up to three times (settle, 4).
                served.append(each)
                # Between what was served others were let in.
                others = len(served) * (clock.behind + clock.minimum + 1) * STEPS if clock.behind else 0
                assert late <= locked + 3 * run.driver.clock_injected() + (2 * clock.minimum + 2) * STEPS + 100 * cost + others
                if every:
                    wanted[each.item] = (due + every, every)
                else:
                    del wanted[each.item]

        for kind, which, value, every in program:
            waits = kind in ("insert", "far", "remove") and bool(run.driver.clock_is_queued(which))
            if kind in ("insert", "far") and not waits:
                due = run.insert(which, value, every) if kind == "insert" else run.insert_far(which, value)
                wanted[which] = (due, every)
            elif kind == "remove" and waits:
                run.driver.clock_remove(which)
                del wanted[which]
            elif kind == "run":
                run.run(value)
                pending = 0
            elif kind == "lock" and pending < harm:
                pending += value
                locked += value
                run.driver.clock_lock_for(value)
            elif kind == "fault":
                run.driver.clock_inject(which, value)
                run.run(1)
                pending = 0
            collect()
        if wanted:
            run.run(
                max(due for due, _ in wanted.values()) - run.time // STEPS + 2 * clock.minimum + 5 + 100 * cost // STEPS + harm
            )
            collect()
        assert all(every for _, every in wanted.values())  # whatever is not periodic has been served
        now = run.time // STEPS
        assert all(due >= now - harm - 10 - 100 * cost for due, _ in wanted.values())
        assert run.driver.clock_lost() == 0 or clock.kind != TICK


@pytest.mark.parametrize("clock", MERGING, ids=str)
def test_laps_need_no_interrupt_as_far_as_the_counter_reaches(clock: Clock) -> None:
    lap = (1 << clock.bits) - 2
    with running(clock, start=5) as run:
        reach = run.driver.clock_reach()
        most = min(reach, 40 * lap)
        delays = [most // 3, most // 2, most - lap - 1, most - lap, most - lap + 1, most]
        for item, delay in enumerate(delays):
            run.insert_far(item, delay)
        run.run(most + 1)
        assert [each.item for each in run.served()] == list(range(len(delays)))
        # An interrupt for the time that is kept may be due before the first insertion.
        assert run.driver.clock_interrupts() <= len(delays) + int(clock.keeps_time)


@pytest.mark.parametrize("clock", MERGING, ids=str)
def test_laps_are_made_up_no_further_than_to_an_event_that_is_late(clock: Clock) -> None:
    """The lap of the other event ends between the time of this one and the handler."""
    lap = (1 << clock.bits) - 2
    with running(clock, start=5) as run:
        run.insert_far(1, 6 * lap + lap // 20)
        run.insert_far(2, 3 * lap + lap * 9 // 10)
        run.run(3 * lap + lap * 9 // 10 - 1)
        run.driver.clock_lock_for(lap // 5 * STEPS)
        assert run.driver.clock_left(2) == 0
        run.insert(3, lap // 2)
        run.run(3 * lap)
        served = run.served()
        assert [each.item for each in served] == [2, 3, 1]
        assert lap // 10 <= served[0].at // STEPS - served[0].due <= lap // 5
        assert all(0 <= each.at - each.due * STEPS <= clock.slack for each in served[1:])


@pytest.mark.parametrize("clock", [clock for clock in MERGING if clock.keeps_time], ids=str)
def test_the_time_is_kept_without_an_interrupt_for_each_time_that_it_wraps(clock: Clock) -> None:
    with running(clock) as run:
        origin = run.driver.clock_now()
        wraps = min(run.driver.clock_reach(), 1 << 24) >> clock.bits
        for _ in range(wraps - 1):
            run.run(1 << clock.bits)
            assert run.driver.clock_now() == origin
        assert run.driver.clock_interrupts() == 0
        run.run(4 << clock.width)
        assert run.driver.clock_now() == origin
        assert 0 < run.driver.clock_interrupts() <= 5


EXACT = [clock for clock in MERGING if clock.minimum == 1] + [Clock(COMPARE, 16, 16), Clock(ONE_SHOT, 8, 8, keeps_time=True)]
"""Time stands still while the timer is accessed."""


@pytest.mark.parametrize("clock", EXACT, ids=str)
@settings(max_examples=few(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_events_of_equal_times_come_in_the_order_of_their_insertion_however_many_laps_are_between(
    clock: Clock, data: st.DataObject
) -> None:
    """All dues are near a multiple of a lap, or of half a lap, from one origin; an event is put in for one that comes later."""
    lap = (1 << clock.bits) - 2
    near_by = st.sampled_from([0, 0, 0, 1, 2, lap // 2, lap - 1])
    with running(clock, start=40) as run:
        origin = run.time // STEPS
        wanted: dict[int, tuple[int, int]] = {}
        got: list[tuple[int, int, int]] = []

        def collect() -> None:
            for each in run.served():
                assert wanted[each.item][0] == each.due
                got.append((*wanted.pop(each.item), each.item))
                assert each.at == each.due * STEPS

        order = 0
        for _ in range(data.draw(st.integers(1, 40))):
            now = run.time // STEPS
            to = origin + data.draw(st.integers((now - origin) // lap, (now - origin) // lap + 6)) * lap + data.draw(near_by)
            item = data.draw(st.integers(0, 15))
            what = data.draw(st.sampled_from(["insert", "insert", "insert", "remove", "run"]))
            if what == "run":
                run.run(max(0, to - now - data.draw(st.integers(0, 1))))
            elif what == "remove" and item in wanted:
                run.driver.clock_remove(item)
                del wanted[item]
            elif what == "insert" and item not in wanted and to > now:
                far = to - now > clock.longest or data.draw(st.booleans())
                assert (run.insert_far if far else run.insert)(item, to - now) == to
                wanted[item] = (to, order)
                order += 1
            collect()
        for item, (due, _) in wanted.items():
            assert run.driver.clock_left(item) == due - run.time // STEPS
        run.run(8 * lap)
        collect()
        assert not wanted
        assert got == sorted(got)


@pytest.mark.parametrize("clock", LETTING_IN, ids=str)
@pytest.mark.parametrize("items", [1, 3])
@pytest.mark.parametrize("steps", [0, STEPS // 2])
def test_others_are_let_in_between_expiries_that_are_overdue(clock: Clock, items: int, steps: int) -> None:
    """After so many ticks' expiries the handler leaves; the next interrupt is `behind` later."""
    period = 3 * max(clock.behind, items)
    for locked in sorted({1, clock.latest // 3, clock.latest // 2} if clock.width < 16 else {1, 50, 200}):
        with running(clock, start=5, cost=1) as run:
            seen: list[tuple[int, int]] = []

            def note(_: int, run: Run = run, seen: list[tuple[int, int]] = seen) -> None:
                seen.append((run.driver.clock_interrupts(), run.time))

            run.handler(note, steps=steps)
            first = [run.insert(item, 4 + clock.minimum, period) for item in range(items)]
            run.driver.clock_lock_for((4 + locked) * STEPS)
            run.run(4 * locked + 20 * period + 60)
            served = run.served()
            for item, begin in enumerate(first):
                mine = [each.due for each in served if each.item == item]
                assert mine == [begin + number * period for number in range(len(mine))]
                assert len(mine) >= locked // period
            assert [each.due for each in served] == sorted(each.due for each in served)
            assert run.driver.clock_lost() == 0
            batches: dict[int, set[int]] = {}
            for (number, _), each in zip(seen, served, strict=True):
                batches.setdefault(number, set()).add(each.due)
            longest = BATCHES + 1 + clock.behind // period + 1
            assert max(len(dues) for dues in batches.values()) <= longest
            for (before, ended), (after, begun) in pairwise(seen):
                if before != after and served[0].due < begun:
                    late = next(each for (number, _), each in zip(seen, served, strict=True) if number == after)
                    if late.at // STEPS - late.due > clock.behind + clock.minimum + 2:
                        assert begun - ended >= clock.behind * STEPS - STEPS


@pytest.mark.parametrize("clock", LETTING_IN, ids=str)
def test_a_period_that_is_shorter_than_its_handler_keeps_nobody_out(clock: Clock) -> None:
    with running(clock, cost=1) as run:
        numbers: list[int] = []
        run.handler(lambda _: numbers.append(run.driver.clock_interrupts()), steps=3 * STEPS)
        run.insert(1, clock.minimum, 1)
        run.run(min(clock.latest // 2, 400))
        assert numbers
        assert max(numbers.count(number) for number in set(numbers)) <= BATCHES + 1 + clock.behind


@TIMED
def test_nothing_is_left_to_an_event_that_is_overdue(clock: Clock) -> None:
    with running(clock) as run:
        delay = max(3, 2 * clock.minimum)
        run.insert(1, delay)
        run.driver.clock_lock_for((delay + 1) * STEPS)
        assert run.driver.clock_left(1) == 0


@pytest.mark.parametrize("clock", [clock for clock in MERGING if clock.width < 32], ids=str)  # 32 bits reach every distance
def test_an_event_beyond_what_the_counter_reaches_in_laps_comes_at_its_tick(clock: Clock) -> None:
    lap = (1 << clock.bits) - 2
    with running(clock) as run:
        delay = ((1 << clock.width) // lap + 2) * lap + 3
        due = run.insert_far(1, delay)
        run.run(delay + 1)
        (served,) = run.served()
        assert 0 <= served.at - due * STEPS <= clock.slack


@pytest.mark.parametrize("steps", [0, STEPS // 2, STEPS, 2 * STEPS, 3 * STEPS, 5 * STEPS])
def test_a_timer_that_is_loaded_anew_misses_nothing_that_comes_due_while_a_handler_runs(steps: int) -> None:
    for gap in range(1, 8):
        with running(Clock(ONE_SHOT, 16, 16, restarts=True, minimum=2)) as run:
            run.handler(steps=steps)
            dues = [run.insert(item, 10 + gap * item) for item in range(4)]
            run.run(100)
            served = run.served()
            assert [each.item for each in served] == [0, 1, 2, 3]
            assert all(each.at // STEPS >= due for each, due in zip(served, dues, strict=True))


@pytest.mark.parametrize("clock", LETTING_IN, ids=str)
def test_who_lets_others_in_sets_the_timer_however_often_it_is_interrupted(clock: Clock) -> None:
    with running(clock, cost=1) as run:
        period = clock.minimum + 1
        run.handler(steps=3 * period * STEPS)
        first = run.insert(1, 20, period)
        for amount in (2 * clock.behind, 3 * clock.behind + 1):
            for _ in range(20):
                run.driver.clock_inject(Fault.JUMP_BEFORE_ARM, amount * STEPS)
        run.run(1000)
        dues = [each.due for each in run.served()]
        assert dues == [first + number * period for number in range(len(dues))]
        assert len(dues) > 20
