# SPDX-License-Identifier: Apache-2.0
"""The exact model of schedule tables does what the standard's text says: figures computed by hand, and a second model.

The second model has no list of what is due: each table has a position that moves by one with each tick.  A correction moves the
position itself, back if the table is ahead of the global time, and forth if it is behind.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from table_model import (
    ID,
    LIMIT,
    NEXT,
    NOFUNC,
    OK,
    RUNNING,
    STATE,
    STOPPED,
    SYNCHRONOUS,
    VALUE,
    WAITING,
    Alarm,
    Counter,
    Model,
    Point,
    System,
    Table,
    Task,
)
from table_programs import draw_table

THREE = (Task(1), Task(2), Task(3))


def model(*tables: Table, limit: int = 1000, alarms: tuple[Alarm, ...] = ()) -> Model:
    return Model(System((Counter(limit), Counter(limit)), tables, THREE, alarms))


def times(of: Model, ticks: int) -> list[tuple[int, int]]:
    """When each task runs in so many ticks."""
    found = []
    for _ in range(ticks):
        of.ticks(0, 1)
        found += [(of.now[0], number) for letter, number, _ in of.said if letter == "t"]
        of.said.clear()
    return found


def points(*offsets: int, **limits: int) -> tuple[Point, ...]:
    """Point k activates task k."""
    return tuple(Point(offset, (number,), **limits) for number, offset in enumerate(offsets))


def test_a_single_shot_table_ends_final_delay_ticks_after_its_last_point() -> None:
    one = model(Table(0, 10, points(2, 5)))
    assert one.start_relative(0, 3) == OK
    assert times(one, 11) == [(5, 0), (8, 1)]
    assert one.tables[0].status == RUNNING
    assert times(one, 2) == []  # at 13
    assert one.tables[0].status == STOPPED
    assert one.start_relative(0, 1) == OK
    assert times(one, 20) == [(16, 0), (19, 1)]


def test_a_repeating_table_goes_on_after_final_delay_and_initial_offset() -> None:
    one = model(Table(0, 10, points(2, 5), repeating=True))
    one.start_relative(0, 3)
    assert times(one, 30) == [(5, 0), (8, 1), (15, 0), (18, 1), (25, 0), (28, 1)]


def test_an_absolute_start_skips_a_match_of_the_first_point() -> None:
    one = model(Table(0, 6, points(4)), limit=7)
    one.ticks(0, 5)  # the counter reads 5, begins when it reads 4 next, and has the first point when it reads 0 then
    assert one.start_absolute(0, 4) == OK
    assert times(one, 20) == [(16, 0)]
    same = model(Table(0, 6, points(0)), limit=7)
    same.ticks(0, 5)
    assert same.start_absolute(0, 5) == OK
    assert times(same, 20) == [(13, 0)]


def test_errors_of_starts() -> None:
    one = model(
        Table(0, 20, points(5)),
        Table(0, 21, points(5), sync="implicit", repeating=True),
        Table(0, 20, points(5), sync="explicit"),
        limit=20,
    )
    assert [one.start_relative(0, offset) for offset in (0, 16, 21, 2**32 - 1)] == [VALUE] * 4
    assert one.start_absolute(0, 21) == VALUE
    assert [one.start_relative(1, 1), one.start_synchron(0), one.start_synchron(1), one.start_relative(3, 1)] == [ID] * 4
    assert one.start_relative(0, 15) == OK
    assert [one.start_relative(0, 15), one.start_absolute(0, 1)] == [STATE] * 2
    assert one.start_absolute(1, 0) == OK
    assert one.tables[1].status == SYNCHRONOUS
    assert one.start_synchron(2) == OK
    assert one.tables[2].status == WAITING
    assert [one.start_synchron(2), one.asynchronous(2)] == [STATE] * 2
    assert [one.stop(n) for n in (0, 0, 1, 2, 3)] == [OK, NOFUNC, OK, OK, ID]
    assert sum(e == "e" for e, _, _ in one.said) == 15


def test_the_next_table_begins_at_the_end() -> None:
    one = model(Table(0, 10, points(2, 5), repeating=True), Table(0, 4, (Point(0, (2,)),)))
    one.start_relative(0, 1)
    one.ticks(0, 4)
    assert one.next(0, 1) == OK
    assert one.tables[1].status == NEXT
    one.said.clear()
    assert times(one, 20) == [(6, 1), (11, 2)]
    assert [t.status for t in one.tables] == [STOPPED, STOPPED]  # at 15


def test_errors_of_next() -> None:
    tables = [Table(0, 10, points(2), repeating=True) for _ in range(3)]
    one = model(*tables, Table(1, 10, points(2)), Table(0, 10, points(2), sync="explicit"))
    assert [one.next(0, 1), one.next(0, 3), one.next(0, 4), one.next(0, 5), one.next(5, 0)] == [NOFUNC, ID, ID, ID, ID]
    one.start_relative(0, 1)
    assert [one.next(0, 0), one.next(0, 1), one.next(0, 1), one.next(1, 2)] == [STATE, OK, STATE, NOFUNC]
    assert one.next(0, 2) == OK
    assert [t.status for t in one.tables[:3]] == [RUNNING, STOPPED, NEXT]
    assert one.stop(2) == OK
    assert times(one, 40)[-1][0] > 30  # goes on
    assert one.next(0, 1) == OK
    assert one.stop(0) == OK
    assert [t.status for t in one.tables[:3]] == [STOPPED] * 3


def test_a_synchronous_start_has_its_first_point_at_duration_less_value_and_initial_offset() -> None:
    one = model(Table(0, 10, points(2, 5), repeating=True, sync="explicit"))
    one.start_synchron(0)
    assert times(one, 20) == []
    assert one.synchronise(0, 10) == VALUE
    assert one.synchronise(0, 7) == OK
    assert one.tables[0].status == SYNCHRONOUS
    assert times(one, 12) == [(25, 0), (28, 1)]


@pytest.mark.parametrize(
    ("value", "expected", "status"),
    [
        (20, [(30, 2), (38, 0), (47, 1), (57, 2), (67, 0)], RUNNING),  # 3 behind: 2 shorter, then 1
        (18, [(30, 2), (39, 0), (49, 1), (59, 2), (69, 0)], RUNNING),  # 1 behind
        (17, [(30, 2), (40, 0), (50, 1), (60, 2), (70, 0)], SYNCHRONOUS),
        (13, [(30, 2), (44, 0), (54, 1), (64, 2), (74, 0)], RUNNING),  # 4 ahead
        (10, [(30, 2), (45, 0), (57, 1), (67, 2), (77, 0)], RUNNING),  # 7 ahead: 5 longer, then 2
        (3, [(30, 2), (45, 0), (60, 1), (74, 2), (84, 0)], RUNNING),  # 14 ahead
        (2, [(30, 2), (38, 0), (46, 1), (54, 2), (62, 0)], RUNNING),  # 15 of 30 are behind
        (0, [(30, 2), (38, 0), (46, 1), (54, 2), (62, 0)], RUNNING),  # 13 behind, which is the shorter way
    ],
)
def test_the_delays_to_points_are_made_longer_or_shorter(value: int, expected: list[tuple[int, int]], status: int) -> None:
    """Points at 10, 20 and 30, the end at 35.  At 22 the position is 17, and should be `value`."""
    one = model(Table(0, 30, points(5, 15, 25, lengthen=5, shorten=2), repeating=True, sync="explicit"))
    one.start_relative(0, 5)
    one.ticks(0, 22)
    one.said.clear()
    assert one.synchronise(0, value) == OK
    assert one.tables[0].status == status
    assert times(one, 40 + 22)[:5] == expected


def test_half_a_duration_is_behind() -> None:
    """SWS_Os_00420: ticks ahead <= ticks behind means behind."""
    one = model(Table(0, 10, points(0, lengthen=5, shorten=5), repeating=True, sync="explicit"))
    one.start_relative(0, 10)
    one.ticks(0, 12)
    one.said.clear()
    assert one.synchronise(0, 7) == OK
    assert times(one, 20) == [(20, 0), (25, 0)]


def test_an_activation_too_many_is_told() -> None:
    one = model(Table(0, 1, points(0), repeating=True))
    one.start_relative(0, 1)
    one.held = True
    one.ticks(0, 3)
    assert one.said == [("e", LIMIT, 0)] * 2


def test_what_is_due_together_comes_in_the_order_of_setting() -> None:
    tables = (Table(0, 9, points(0), repeating=True), Table(0, 9, (Point(0, (0,)),), repeating=True))
    one = Model(System((Counter(50),), tables, (Task(1, activations=5), Task(1), Task(1)), (Alarm(0, activate=1),)))
    one.start_relative(1, 9)
    one.set_relative(0, 9, 9)
    one.start_relative(0, 9)
    one.ticks(0, 9)
    assert [number for _, number, _ in one.said] == [0, 1, 0]


class Ticking:
    """A second model, of one explicitly synchronised or unsynchronised table."""

    def __init__(self, table: Table, begins_in: int) -> None:
        self.table = table
        self.position = -begins_in
        self.point = 0
        self.globally: int | None = None
        self.ended = False
        self.synchronous = False
        self.due = 0  # of the correction that is made at once here, what the table still has before it

    def told(self, value: int) -> None:
        """The table is told where it should be."""
        self.globally = value
        self.synchronous = abs(self.off()) <= self.table.precision

    def arrives(self) -> None:
        """It is at a point or at its end, with the corrections that were planned before behind it."""
        if self.globally is not None and abs(self.off() + self.due) <= self.table.precision:
            self.synchronous = True
        self.due = 0

    def tick(self) -> list[int]:
        """The points that come in a tick."""
        if self.ended:
            return []
        table, came = self.table, []
        self.position += 1
        if self.globally is not None:
            self.globally = (self.globally + 1) % table.duration
        while not self.ended:
            if self.point < len(table.points) and self.position == table.points[self.point].offset:
                came.append(self.point)
                self.arrives()
                self.point += 1
                following = table.points[self.point % len(table.points)]
                if self.globally is not None and (self.point < len(table.points) or table.repeating):
                    by = max(-following.shorten, min(following.lengthen, self.off()))
                    self.position -= by
            elif self.point == len(table.points) and self.position >= table.duration:
                self.position -= table.duration
                self.due = -max(0, self.position)  # past the end: the first point comes so much earlier
                self.arrives()
                self.point = 0
                self.ended = not table.repeating
            else:
                break
        return came

    def off(self) -> int:
        """How far the table is ahead of the global time."""
        assert self.globally is not None
        ahead = (self.position - self.globally) % self.table.duration
        behind = (self.globally - self.position) % self.table.duration
        return ahead if ahead < behind else -behind


@pytest.mark.parametrize("seed", range(60))
def test_a_model_that_goes_tick_by_tick_agrees(seed: int) -> None:
    rng = random.Random(f"ticking {seed}")
    for _ in range(20):
        counter = Counter(rng.choice([3, 9, 50, 255]), rng.choice([1, 2]))
        table = draw_table(rng, 0, counter)
        if table is None or table.sync == "implicit":
            continue
        actions = tuple(replace(p, activate=(n,), set_event=()) for n, p in enumerate(table.points))
        table = replace(table, points=actions, autostart=None)
        tasks = tuple(Task(1, activations=9) for _ in actions)
        one = Model(System((counter,), (table,), tasks))
        one.ticks(0, rng.randrange(10))
        start = rng.randint(0, counter.max_allowed)
        begins_in = one.until(0, start)
        assert one.start_absolute(0, start) == OK
        two = Ticking(table, begins_in)
        for _ in range(400):
            one.ticks(0, 1)
            came = [number for _, number, _ in one.said]
            one.said.clear()
            assert came == two.tick()
            assert (one.tables[0].status == STOPPED) == two.ended
            if two.ended:
                break
            state = one.tables[0]
            if two.globally is not None:
                assert state.deviation == two.off()
                assert state.status == (SYNCHRONOUS if two.synchronous else RUNNING)
            assert one.position(0) == two.position % table.duration
            if table.sync == "explicit" and rng.random() < 0.02:
                two.told(rng.randrange(table.duration))
                assert one.synchronise(0, two.globally) == OK
