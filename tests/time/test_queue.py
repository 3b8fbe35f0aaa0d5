# SPDX-License-Identifier: Apache-2.0
"""The event queue does what a list of exact times does, at every width and in both variants."""

from __future__ import annotations

import math
import random
import shutil
import subprocess
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import native
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sample import few

BITS = (8, 16, 32)
VARIANTS = pytest.mark.parametrize(("bits", "tree"), [(bits, tree) for bits in BITS for tree in (False, True)])
ITEMS = 16  # of random programs


def never(bits: int) -> int:
    return (1 << bits) - 1


def lap(bits: int) -> int:
    return never(bits) - 1


def longest(bits: int) -> int:
    return never(bits) - 2


class Model:
    """Events at exact times, which never wrap."""

    def __init__(self) -> None:
        self.reference = 0
        self.waiting: dict[int, tuple[int, int]] = {}  # item: time, number of the insertion
        self._insertions = 0

    def insert(self, item: int, distance: int) -> None:
        self._insertions += 1
        self.waiting[item] = (self.reference + distance, self._insertions)

    def first(self) -> int | None:
        return min(self.waiting, key=self.waiting.__getitem__, default=None)


class Both:
    """The queue in C beside the model: each step does it to both and compares.

    ``moves``: events are repeated as the time services do it, whose walks begin where the last one ended.
    """

    def __init__(self, driver: Any, bits: int, moves: bool = False) -> None:
        self.driver = driver
        self.bits = bits
        self.moves = moves
        self.model = Model()
        self.order: list[tuple[int, int]] = []  # time, item, as they were served
        driver.queue_reset()

    def insert(self, item: int, distance: int) -> None:
        if item not in self.model.waiting:
            self.driver.queue_insert(item, distance)
            self.model.insert(item, distance)

    def insert_far(self, item: int, distance: int) -> None:
        if item not in self.model.waiting:
            self.driver.queue_insert_far(item, distance)
            self.model.insert(item, distance)

    def remove(self, item: int) -> None:
        if item in self.model.waiting:
            self.driver.queue_remove(item)
            del self.model.waiting[item]

    def elapse(self, time: int, period: Callable[[int], int] = lambda _: 0, handler: Callable[[], None] = lambda: None) -> None:
        """Let time pass at once: what is due meanwhile is served late, in order, at the reference of its own time."""
        end = self.model.reference + time
        while True:
            item = self.driver.queue_due()
            if item >= 0:
                assert item == self.model.first()
                assert self.model.waiting.pop(item)[0] == self.model.reference
                self.order.append((self.model.reference, item))
                again = period(item)
                if again:
                    (self.driver.queue_move if self.moves else self.driver.queue_repeat)(again)
                    self.model.insert(item, again)
                else:
                    self.driver.queue_pop()
                handler()
                self.check()
            elif item == -1:
                step = min(end - self.model.reference, self.driver.queue_left())
                if step == 0:
                    break
                self.driver.queue_served()
                self.driver.queue_advance(step)
                self.model.reference += step
        assert self.model.reference == end
        first = self.model.first()
        assert first is None or self.model.waiting[first][0] > end

    def do(self, kind: str, item: int, distance: int) -> None:
        if kind == "remove":
            self.remove(item)
        elif kind == "insert":
            self.insert(item, distance)
        else:
            self.insert_far(item, distance)

    def check(self) -> None:
        assert self.driver.queue_depth() >= 0
        for item in range(ITEMS):
            waits = item in self.model.waiting
            assert bool(self.driver.queue_is_queued(item)) == waits
            if waits:
                assert self.driver.queue_distance(item) == self.model.waiting[item][0] - self.model.reference


def distances(bits: int) -> st.SearchStrategy[int]:
    edges = [0, 1, 2, longest(bits) // 2, longest(bits) // 2 + 1, longest(bits) - 1, longest(bits)]
    return st.one_of(st.sampled_from(edges), st.integers(0, 5), st.integers(0, longest(bits)))


def far_distances(bits: int) -> st.SearchStrategy[int]:
    around = st.builds(lambda laps, by: max(0, laps * lap(bits) + by), st.integers(0, 3), st.integers(-2, 2))
    return st.one_of(around, st.integers(0, 4 * lap(bits)))


def actions(bits: int) -> st.SearchStrategy[tuple[str, int, int]]:
    item = st.integers(0, ITEMS - 1)
    return st.one_of(
        st.tuples(st.just("insert"), item, distances(bits)),
        st.tuples(st.just("remove"), item, st.just(0)),
        *([st.tuples(st.just("insert_far"), item, far_distances(bits))] if bits < 64 else []),  # 64 bits hold every distance
    )


@pytest.mark.parametrize(
    ("bits", "tree", "narrow"),
    [*((bits, tree, False) for bits in (*BITS, 64) for tree in (False, True)), (8, False, True), (16, False, True)],
)
@settings(max_examples=few(100), deadline=None)
@given(data=st.data())
def test_programs_and_handlers_that_change_the_queue_are_served_like_exact_times(
    bits: int, tree: bool, narrow: bool, data: st.DataObject
) -> None:
    jumps = st.one_of(st.integers(0, 3), distances(bits), far_distances(bits))
    action = actions(bits)
    steps = data.draw(st.lists(st.one_of(action, st.tuples(st.just("elapse"), st.just(0), jumps)), max_size=60))
    every = st.one_of(st.just(0), st.sampled_from([1, 2, 3, longest(bits)]), st.integers(1, longest(bits)))
    periods = data.draw(st.lists(every, min_size=ITEMS, max_size=ITEMS))
    moves = data.draw(st.booleans())
    handlers = data.draw(st.lists(st.lists(action, max_size=3), max_size=60))
    with native.loaded(native.queue(bits, tree, narrow)) as driver:
        both = Both(driver, bits, moves)

        def period(item: int) -> int:
            return periods[item] if len(both.order) < 300 else 0  # a program ends

        def handler() -> None:
            if handlers:
                for step in handlers.pop():
                    both.do(*step)

        for kind, item, value in steps:
            if kind == "elapse":
                both.elapse(value, period, handler)
            else:
                both.do(kind, item, value)
            both.check()


@pytest.mark.parametrize("tree", [False, True])
def test_what_is_taken_out_while_events_move_is_no_place_to_begin_at(tree: bool) -> None:
    """In the handler of each of six events that are due together, another is taken out, and perhaps put in again."""
    with native.loaded(native.queue(16, tree)) as driver:
        for periods in ([5] * 6, [5, 5, 9, 5, 5, 9], [9, 5, 5, 5, 9, 5]):
            for served in range(6):
                for victim in range(6):
                    for again in (None, 0, 4, 5, 6):
                        both = Both(driver, 16, moves=True)
                        for item in range(6):
                            both.insert(item, 3)
                        both.insert(6, 7)

                        def handler(
                            both: Both = both, served: int = served, victim: int = victim, again: int | None = again
                        ) -> None:
                            if len(both.order) == served + 1:
                                both.remove(victim)
                                if again is not None:
                                    both.insert(victim, again)

                        both.elapse(25, lambda item, periods=periods: periods[item] if item < 6 else 0, handler)  # type: ignore[misc]


def reached(both: Both, distance: int, phase: int) -> None:
    """Bring the reference to a phase of the range, with an event that the tree's times are relative to."""
    both.insert(0, 1)
    both.elapse(0)
    position = 0
    while position < phase:
        step = min(phase - position, distance)
        both.elapse(step, lambda _: longest(both.bits))
        position += step


@pytest.mark.parametrize("tree", [False, True])
def test_every_phase_of_the_overflow_of_eight_bits(tree: bool) -> None:
    edges = (0, 1, 2, 3, 126, 127, 128, 129, 250, 251, 252, 253)
    with native.loaded(native.queue(8, tree)) as driver:
        for phase in range(256):
            both = Both(driver, 8)
            reached(both, 100, phase)
            for item, distance in enumerate(edges, start=1):
                both.insert(item, edges[(item * 5) % len(edges)] if phase % 2 else distance)
            both.insert_far(14, 254 + phase)
            both.insert_far(15, 3 * 254)
            both.check()
            both.remove(phase % 12 + 1)
            both.check()
            for _ in range(900):
                both.elapse(1)


@VARIANTS
def test_phases_around_the_overflow_of_every_width(bits: int, tree: bool) -> None:
    span = 1 << bits
    with native.loaded(native.queue(bits, tree)) as driver:
        for phase in sorted({(base + by) % (2 * span) for base in (0, span // 2, span, span + span // 2) for by in range(-3, 4)}):
            both = Both(driver, bits)
            reached(both, longest(bits) // 3, phase)
            for item, distance in enumerate((longest(bits), 0, span // 2, span // 2 - 1, 1, longest(bits) - 1, 2, 1), start=1):
                both.insert(item, distance)
            both.check()
            for step in (0, 1, 0, 1, span // 2, span // 2, span):
                both.elapse(step)
                both.check()
            assert len(both.order) >= 8


@VARIANTS
def test_events_of_equal_times_leave_in_order_of_insertion_however_they_came_there(bits: int, tree: bool) -> None:
    with native.loaded(native.queue(bits, tree)) as driver:
        for start in (0, 1, 7, longest(bits)):
            both = Both(driver, bits)
            both.elapse(start)
            far = 3 * lap(bits)
            both.insert_far(0, far)
            both.insert_far(1, far)
            both.elapse(lap(bits) - 1)
            both.insert_far(2, 2 * lap(bits) + 1)
            both.elapse(1)
            both.insert_far(3, 2 * lap(bits))
            both.insert(9, longest(bits))
            both.elapse(lap(bits))
            both.insert_far(4, lap(bits))
            both.elapse(1)
            both.insert(5, longest(bits))
            both.insert_far(6, longest(bits))
            both.elapse(10)
            both.insert(7, longest(bits) - 10)
            both.elapse(lap(bits))
            assert [item for _, item in both.order] == [9, 0, 1, 2, 3, 4, 5, 6, 7]


@VARIANTS
def test_a_far_event_that_a_handler_inserts_comes_behind_one_that_waits_at_the_same_reference(bits: int, tree: bool) -> None:
    with native.loaded(native.queue(bits, tree)) as driver:
        both = Both(driver, bits)
        both.insert_far(8, lap(bits))
        both.insert_far(0, 2 * lap(bits))
        both.elapse(lap(bits), handler=lambda: both.insert_far(1, lap(bits)))
        both.elapse(lap(bits))
        assert [item for _, item in both.order] == [8, 0, 1]


@VARIANTS
def test_a_far_event_comes_at_its_time_after_any_number_of_wraps(bits: int, tree: bool) -> None:
    with native.loaded(native.queue(bits, tree)) as driver:
        both = Both(driver, bits)
        most = 1 << 26 if bits < 32 else 1 << 40
        for far in [laps * lap(bits) + by for laps in (0, 1, 2, 5) for by in (0, 1, 2, longest(bits))] + [most, most + 1]:
            both.insert_far(1, far)
            before = both.model.reference
            both.elapse(far - 1 if far else 0)
            both.elapse(1)
            assert both.order[-1] == (before + far, 1)


@VARIANTS
def test_a_periodic_event_has_no_drift_over_many_wraps_however_late_it_is_served(bits: int, tree: bool) -> None:
    period = longest(bits) // 3
    chance = random.Random(bits)
    with native.loaded(native.queue(bits, tree)) as driver:
        both = Both(driver, bits)
        both.insert(0, period)
        for _ in range(2000):
            both.elapse(chance.randrange(2 * longest(bits)), lambda _: period)
        assert [time for time, _ in both.order] == [(k + 1) * period for k in range(len(both.order))]
        assert both.model.reference > 500 * (1 << bits)


@pytest.mark.parametrize("bits", BITS)
def test_list_and_tree_serve_thousands_of_events_alike_and_the_tree_stays_flat(bits: int) -> None:
    orders = []
    count = 2000
    for tree in (False, True):
        chance = random.Random(1)
        times = {
            "rising": range(count),
            "falling": range(count, 0, -1),
            "random": [chance.randrange(longest(bits)) for _ in range(count)],
            "equal": [5] * count,
        }
        with native.loaded(native.queue(bits, tree)) as driver:
            order = []
            for pattern in times.values():
                driver.queue_reset()
                for item, time in enumerate(pattern):
                    driver.queue_insert(item, min(time, longest(bits)))
                for item in range(0, count, 3):
                    driver.queue_remove(item)
                for item in range(0, count, 6):
                    driver.queue_insert(item, min(item, longest(bits)))
                inside = count - len(range(0, count, 3)) + len(range(0, count, 6))
                depth = driver.queue_depth()
                assert depth >= 0
                if tree:
                    assert depth <= 1.44 * math.log2(inside + 2)
                for _ in range(inside):
                    driver.queue_advance(driver.queue_left())
                    order.append(driver.queue_due())
                    driver.queue_pop()
                    if tree and len(order) % 50 == 0:
                        assert driver.queue_depth() >= 0
                assert driver.queue_due() == -1
        orders.append(order)
    assert orders[0] == orders[1]


@VARIANTS
def test_an_empty_queue_counts_for_ever(bits: int, tree: bool) -> None:
    with native.loaded(native.queue(bits, tree)) as driver:
        both = Both(driver, bits)
        for _ in range(10):
            both.elapse(never(bits) - 3)
            if bits == 8:
                both.insert(1, 5)
                both.elapse(7)
        assert len(both.order) == (10 if bits == 8 else 0)


@VARIANTS
@pytest.mark.parametrize("laps", [1, 2, 3])
def test_a_far_event_in_an_empty_queue_that_has_counted_down_is_whole_laps_away(bits: int, tree: bool, laps: int) -> None:
    with native.loaded(native.queue(bits, tree)) as driver:
        driver.queue_reset()
        driver.queue_advance(driver.queue_left())
        driver.queue_insert_far(1, laps * lap(bits))
        assert driver.queue_distance(1) == laps * lap(bits)
        dues = []
        for _ in range(laps):
            assert driver.queue_left() == lap(bits)
            driver.queue_advance(lap(bits))
            dues.append(driver.queue_due())
        assert dues == [-2] * (laps - 1) + [1]
        driver.queue_reset()
        driver.queue_insert(2, 0)
        driver.queue_insert_far(1, laps * lap(bits))
        assert driver.queue_due() == 2
        driver.queue_pop()
        assert driver.queue_due() == -2  # behind what was due there
        assert driver.queue_distance(1) == laps * lap(bits)


@pytest.mark.parametrize("tree", [False, True])
def test_ticks_say_when_something_is_due(tree: bool) -> None:
    with native.loaded(native.queue(8, tree)) as driver:
        driver.queue_reset()
        driver.queue_insert(1, 3)
        driver.queue_insert(2, 3)
        assert [driver.queue_tick() for _ in range(3)] == [0, 0, 1]
        assert driver.queue_due() == 1
        driver.queue_repeat(2)
        assert driver.queue_due() == 2
        driver.queue_pop()
        assert driver.queue_due() == -1
        assert [driver.queue_tick() for _ in range(2)] == [0, 1]


@given(st.fractions(min_value=Fraction(1), max_value=Fraction(1 << 20), max_denominator=1 << 20), st.integers(1, 200))
def test_fractions_of_ticks_are_carried_so_that_nothing_accumulates(period: Fraction, count: int) -> None:
    with native.loaded(native.queue(16, False)) as driver:
        driver.queue_period(int(period), period.numerator % period.denominator, period.denominator)
        total = 0
        for number in range(1, count + 1):
            interval = driver.queue_period_next()
            total += interval
            assert abs(interval - period) < 1
            assert total == int(number * period)


@pytest.mark.parametrize(
    ("compiler", "flags", "sizes"),
    [
        ("avr-gcc", ("-mmcu=atmega128",), {(16, 0): 6, (8, 0): 5, (16, 1): 9, (8, 1): 8}),
        ("arm-none-eabi-gcc", ("-mcpu=cortex-m4", "-mthumb"), {(32, 0): 12, (16, 0): 12, (32, 1): 20, (16, 1): 16}),
    ],
)
def test_a_node_is_as_small_as_documented(compiler: str, flags: tuple[str, ...], sizes: dict[tuple[int, int], int]) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    for (bits, tree), size in sizes.items():
        source = f'#include "kernel/clock/queue.h"\n_Static_assert(sizeof(struct carillon_event) == {size}, "size");\n'
        command = [compiler, *flags, "-std=c11", f"-I{native.ROOT}", f"-I{native.HERE / 'config'}"]
        command += [f"-DCARILLON_TIME_BITS={bits}", f"-DCARILLON_QUEUE_TREE={tree}", "-fsyntax-only", "-xc", "-"]
        subprocess.run(command, input=source, text=True, check=True)
