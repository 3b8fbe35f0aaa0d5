# SPDX-License-Identifier: Apache-2.0
"""After interrupts were locked for up to three rounds, again and again, a round that follows a global time is in step again.

Points are lost meanwhile, as the specification says.  Then each comes once a round, at its place beside the others, and so does
the sync point, which moves rounds by what it may.
"""

from __future__ import annotations

import itertools
import random
import re

import pytest
from laboratory import AST, Laboratory
from test_synchronisation import LENGTH, PICO, POINTS, STM32, schedule, system_of

import asked
from carillon.trace import Kind
from runnable import NODE, RIGLESS

CODE = """
static uint32_t state = %du, locks;
static uint32_t drawn(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 16;
}
void Often(void) { }
void Uneven(void) { }
void Tell(void) { (void)ttSyncTimes(0u, drawn() %% 10000u); }
void ttIdleTask(void)
{
    (void)ttSyncTimes(0u, 5u); /* with a hard start, no task would run */
    for (;;) {
        carillon_work(1u + drawn() %% 5000u);
        if (locks < 12u) {
            locks++;
            const uint32_t saved = carillon_port_lock();
            carillon_work(9000u + drawn() %% 24000u);
            carillon_port_unlock(saved);
        }
    }
}
"""
ROUNDS, LOOKED_AT = 110, 30
SLACK = 40  # ticks that starts differ by, in handlers that are a few instructions longer or shorter


@pytest.mark.parametrize("seed", range(asked.tries(4)))
@pytest.mark.parametrize("board", [AST, pytest.param(STM32, marks=RIGLESS), pytest.param(PICO, marks=NODE)])
def test_rounds_are_in_step_again_after_long_locks(board: str, seed: int, lab: Laboratory) -> None:
    chance = random.Random(seed)
    lengthen, shorten = [(8701, 1400), (300, 500), (0, 1400), (5000, 0)][seed % 4]
    text = schedule(lengthen, shorten, board=board, more=chance.choice(["", 'start = "hard"']))
    text = re.sub(r', deadline_at = "\d+ ticks"', "", text).replace("deadline =", 'monitor = "never"\ndeadline =')
    path = lab.write(text, CODE % chance.randrange(1 << 30), system=system_of(board))
    outcome = lab.run_file(path, board, ticks=ROUNDS * LENGTH, locks=True)
    begun = [(e.t, str(e.object)) for e in outcome.events(Kind.START) if e.object in POINTS]
    begun = [one for one in begun if one[0] > begun[-1][0] - LOOKED_AT * LENGTH]
    begun = begun[next(k for k, (_, name) in enumerate(begun) if name == "Tell") :]
    points = sorted(((at - POINTS["Tell"][0]) % LENGTH, name) for name, own in POINTS.items() for at in own)
    assert [name for _, name in begun] == ([name for _, name in points] * 2 * LOOKED_AT)[: len(begun)]
    tells = [t for t, name in begun if name == "Tell"]
    lengths = [b - a for a, b in itertools.pairwise(tells)]
    assert all(LENGTH - shorten - 3 <= length <= LENGTH + lengthen + 3 for length in lengths), lengths
    assert len(set(lengths)) > 1, "no round was moved"
    before_sync_point = [at for at, _ in points if at < LENGTH - POINTS["Tell"][0]]
    for k, t in enumerate(tells[:-1]):
        own = [b - t for b, _ in begun[k * len(points) : (k + 1) * len(points)]][: len(before_sync_point)]
        assert all(abs(a - b) <= SLACK for a, b in zip(own, before_sync_point, strict=True)), (own, before_sync_point)
    served = [e.t for e in outcome.events(Kind.ENTER, of="only") if tells[0] < e.t < tells[-1]]
    assert len(served) == len(tells) - 1, "a sync point in each round"
    places = {min(t - tell for tell in tells if tell < t) for t in served}
    assert max(places) - min(places) <= SLACK, places
