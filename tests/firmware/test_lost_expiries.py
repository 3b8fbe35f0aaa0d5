# SPDX-License-Identifier: Apache-2.0
"""Chips that people own lose no expiry and invent none: ``python -m bench.papers boards`` on few rounds, or on many.

``CARILLON_TRIES=N`` is how many expiries each board has to serve, ``CARILLON_SEED`` draws other rounds.
"""

from __future__ import annotations

import random

import pytest

import asked
from bench.papers.boards import BOARDS, RECURS, RESOLUTION, Tally, drawn, measured, rows
from bench.papers.rows import BOARD
from runnable import NODE, RIGLESS
from sample import turn

ROUNDS = asked.tries(0) // 30 or 3 * RECURS
SEED = int(asked.seed(turn("expiries", 10**6)))


MARKS = {"stm32f4-discovery": RIGLESS, "raspberry-pi-pico": NODE}


@pytest.mark.parametrize("board", [pytest.param(board, marks=MARKS.get(board, ())) for board in BOARDS])
def test_no_expiry_is_lost_or_doubled_and_none_drifts(board: str) -> None:
    tally = measured(board, ROUNDS, lambda _: None, SEED)
    found = {row.metric: row.maximum for row in rows(board, tally)}
    assert found["expiries"] >= 20 * ROUNDS
    assert {name: value for name, value in found.items() if name not in ("expiries", "start_delay")} == {
        "lost": 0,
        "doubled": 0,
        "start_bound_exceeded": 0,
        "start_drift": found["start_drift"],
    }
    assert found["start_drift"] <= RESOLUTION.get(board, 0)
    assert tally.unit == ("cycles" if board.startswith("arduino") else "instructions")
    if board != BOARD:
        assert tally.shared, "tasks have more points than the board has channels"


@pytest.mark.parametrize("even", ["", "Second"])
def test_no_two_activations_of_a_drawn_round_are_in_one_tick(even: str) -> None:
    chance = random.Random(SEED)
    for _ in range(2000):
        points = [at for own in drawn(chance, even).points.values() for at in own]
        assert len(points) == len(set(points))


def test_starts_that_are_missing_too_many_late_or_adrift_are_counted() -> None:
    """Two expiries a round; one is lost, one doubled, one late, and the last ones come a cycle later than before."""
    due = [k * 1000 + at for k in range(2 * RECURS + 1) for at in (100, 400)]
    starts = [at + 5 for at in due]
    tally = Tally()
    tally.add(due, starts, 2, 5)
    assert (tally.expiries, tally.lost, tally.doubled, tally.late, tally.drift) == (len(due), 0, 0, 0, 0)
    del starts[3]
    starts.insert(7, starts[6] + 50)
    starts[-3] += 1
    tally = Tally()
    tally.add(due, [50, *starts], 2, 5)
    assert (tally.lost, tally.doubled, tally.late, tally.drift) == (1, 2, 1, 1)
