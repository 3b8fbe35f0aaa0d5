# SPDX-License-Identifier: Apache-2.0
"""Rounds that are made longer and shorter: every activation once a round, and on the very tick that the model says.

A task tells ttSyncTimes of a schedule time that is off by random amounts.  So it does not depend on when the task runs what the
correction is: it is what is told less where the task was activated.  ``CARILLON_SYNC_ROUNDS=N`` is how many rounds each board
plays.
"""

from __future__ import annotations

import itertools
import os

import pytest
from laboratory import AST, Laboratory
from sync_model import starts

from carillon.trace import Kind

BOARDS = ["virtual-256", "virtual-ast1030-evb", "tc1796", AST]
ROUNDS = int(os.environ.get("CARILLON_SYNC_ROUNDS", "0"))
LENGTHEN, SHORTEN = 300, 500
SCHEDULE = """
[sync]
lengthen = "300 ticks"
shorten = "500 ticks"
precision = "3 ticks"
{more}
[task.Often]
period = "2000 ticks"
offset = "700 ticks"
deadline = "900 ticks"
[task.Tell]
period = "10000 ticks"
offset = "1500 ticks"
deadline = "1800 ticks"
[mode.only]
points = [
    {{ at = "2600 ticks", activate = "Uneven", deadline_at = "3000 ticks" }},
    {{ at = "3800 ticks", activate = "Uneven", deadline_at = "4300 ticks" }},
    {{ at = "7000 ticks", activate = "Uneven", deadline_at = "7900 ticks" }},
]
[task.Uneven]
"""
LENGTH = 10_000
POINTS = {"Often": [700, 2700, 4700, 6700, 8700], "Tell": [1500], "Uneven": [2600, 3800, 7000]}
CODE = """
static volatile uint32_t often, uneven, tells;
static uint32_t state = %du;
static uint32_t drawn(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 16;
}
void Often(void) { often++; }
void Uneven(void) { uneven++; }
void Tell(void)
{
    tells++;
    (void)ttSyncTimes(0u, (1500u + %d + drawn() %% 1001u) %% 10000u);
}
"""


def draws(seed: int, count: int) -> list[int]:
    state, found = seed, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        found.append((state >> 16) % 1001)
    return found


@pytest.mark.parametrize("board", BOARDS)
def test_every_activation_comes_once_a_round_and_on_its_tick(board: str, lab: Laboratory) -> None:
    rounds, seed = ROUNDS or 60, 4711
    path = lab.write(SCHEDULE.format(more=""), CODE % (seed, 9500), system=f'board = "{board}"')
    outcome = lab.run_file(path, board, ticks=rounds * LENGTH)
    found = {name: [e.t for e in outcome.events(Kind.START, of=name)] for name in POINTS}
    schedule = [(1500 + 9500 + drawn) % LENGTH for drawn in draws(seed, rounds + rounds // 10)]
    # From its activation to the look at the clock, the task that tells takes a few ticks, the same in each round.
    matching = []
    for late in range(100):
        begins = starts(schedule, 1500 + late, LENGTH, LENGTHEN, SHORTEN)
        expected = {
            name: [b + at + found[name][0] - offsets[0] for b in begins for at in offsets] for name, offsets in POINTS.items()
        }
        if all(expected[name][: len(own)] == own for name, own in found.items()):
            matching.append(late)
            assert len({b - a - LENGTH for a, b in itertools.pairwise(begins)}) > rounds // 4
    assert len(matching) == 1, {name: own[:12] for name, own in found.items()}
    assert (matching == [0]) is (board != AST)
    assert all(len(own) > 0.9 * rounds * len(POINTS[name]) for name, own in found.items())


HARD = """
static volatile uint32_t runs;
void Often(void) { runs++; }
void Uneven(void) { runs++; }
void Tell(void) { }
void ttIdleTask(void)
{
    const uint32_t early = runs;
    carillon_work(34567u);
    report("early", early + runs);
    (void)ttSyncTimes(1000000u, 1200u);
    for (;;) {
        carillon_work(1000u);
    }
}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_with_a_hard_start_tasks_wait_for_the_global_time_and_the_first_round_is_in_its_phase(
    board: str, lab: Laboratory
) -> None:
    path = lab.write(SCHEDULE.format(more='start = "hard"'), HARD, system=f'board = "{board}"')
    outcome = lab.run_file(path, board, ticks=9 * LENGTH)
    assert outcome.said("early") == [0]
    found = {name: [e.t for e in outcome.events(Kind.START, of=name)] for name in POINTS}
    # What is told at some 34567, where the round is at 4567, is that it is at 1200: all is 3367 later from then on.
    first = found["Often"][0]
    assert 40_000 + 3367 + 700 <= first < 40_000 + 3367 + 700 + (1 if board != AST else 2000)
    for name, offsets in POINTS.items():
        expected = [first - 700 + k * LENGTH + at for k in range(9) for at in offsets]
        latency = found[name][0] - expected[0]
        assert 0 <= latency < 40
        assert found[name] == [t + latency for t in expected][: len(found[name])], name


LATE = """
static volatile uint32_t rounds;
void Often(void) { }
void Uneven(void) { }
void Tell(void)
{
    rounds++;
    if (rounds == 2u) {
        (void)ttSyncTimes(0u, 1400u);
    }
}
void ttIdleTask(void)
{
    for (;;) {
        if (rounds == 2u) { /* in the first tick after Tell, until the second activation of the round after this */
            const uint32_t saved = carillon_port_lock();
            carillon_work(9800u);
            carillon_port_unlock(saved);
            rounds = 100u;
        }
        carillon_work(10u);
    }
}
"""


@pytest.mark.parametrize("board", ["virtual-256", AST])
def test_a_sync_point_that_comes_too_late_leaves_the_correction_to_the_next_one(board: str, lab: Laboratory) -> None:
    schedule = SCHEDULE.format(more="") + 'monitor = "never"\n'
    schedule = schedule.replace("deadline = ", 'monitor = "never"\ndeadline = ')
    path = lab.write(schedule, LATE, system=f'board = "{board}"')
    outcome = lab.run_file(path, board, ticks=6 * LENGTH)
    often = [e.t - outcome.events(Kind.START, of="Often")[0].t for e in outcome.events(Kind.START, of="Often")]

    # Locked from 11500 to 21300: the sync point of the round from 10000 on, at 18701, is served 2600 late, in the next round.
    assert [t for t in often if 22_000 < t <= 28_000] == [24_000, 26_000, 28_000]
    # That round's own sync point makes up for it: what was told 1500 after its beginning, and some code later, was 1400.
    moved = {(t - 30_000) % 2000 for t in often if t > 29_000}
    assert len(moved) == 1
    assert 100 <= moved.pop() < (101 if board != AST else 200)
