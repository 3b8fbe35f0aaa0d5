# SPDX-License-Identifier: Apache-2.0
"""Rounds that follow the edges of a plant: each start stands behind its edge as the schedule says.

Edges come by stimuli, at distances that a plant with a drift and a jitter of its own has.  The model in this file goes from
edge to edge, and knows neither cells nor counters.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest
from laboratory import Laboratory, Outcome

import asked
from carillon.trace import Kind

ROUND, POINTS = 10_000, (700, 4200)
LIMIT = 60
CODE = """
static volatile uint32_t edges, jobs;
static ttTickType at[8];
void Zero(void)
{
    if (ttSyncEdge() != TT_E_OS_OK) {
        report("refused", 1u);
    }
    (void)ttGetGlobalTime(&at[edges++ % 8u]);
}
void Work(void) { jobs++; }
void ttShutdownHook(ttStatusType error) { (void)error; }
"""
TOML = """
[sync]
lengthen = "{limit} ticks"
shorten = "{limit} ticks"
precision = "8 ticks"
phase = "{phase} ticks"
edges = {edges}
{more}
[interrupt.Zero]
source = "{source}"
priority = "{priority}"
[mode.only]
round = "10000 ticks"
points = [
    {{ at = "700 ticks", activate = "Work" }},
    {{ at = "4200 ticks", activate = "Work" }},
]
[task.Work]
[stimuli]
{stimuli}
"""


def plant(seed: int, distance: float, jitter: int, count: int) -> list[int]:
    """When the edges of a plant come: its distance is not the schedule's, and each edge is off by a jitter of its own."""
    rng = random.Random(seed)
    first = rng.randrange(300, ROUND)
    return [int(first + distance * k) + rng.randint(-jitter, jitter) for k in range(count)]


def ran(
    lab: Laboratory, board: str, edges: Sequence[int], phase: int, of_round: int = 1, more: str = "", rounds: int = 40
) -> Outcome:
    source = {"virtual-256": "ext0", "tc1796": "SRN64"}.get(board, "soft0")
    rows = ",\n".join(f'    {{ at = "{at} ticks", source = "{source}" }}' for at in edges)
    stimuli = f"rows = [\n{rows}\n]"
    given = {"source": source, "priority": "above-tasks", "stimuli": stimuli, "more": more, "limit": LIMIT}
    clock = '\nclock = "2MHz"' if board in AVR else ""
    text = TOML.format(phase=phase, edges=of_round, **given)
    return lab.run(text, CODE, board, system=f'board = "{board}"{clock}', ticks=rounds * ROUND)


AVR = ("arduino-uno", "atmega2560")


def expected(edges: Sequence[int], phase: int, of_round: int, sync: int, end: int) -> list[int]:
    """When the task starts: from one sync point to the next the round is as the schedule has it, but for the correction."""
    between = ROUND // of_round
    first = -phase % between
    point, begin, correction = sync, 0, 0
    found = [begin + at for at in POINTS]
    left = list(edges)
    while point < end:
        while left and left[0] < point:
            off = (left.pop(0) - begin - first) % between
            correction = off - between if 2 * off >= between else off
        by = max(-LIMIT, min(LIMIT, correction))
        correction -= by
        begin += ROUND + by
        point = begin + sync
        found += [begin + at for at in POINTS]
    return found


@pytest.mark.parametrize(("phase", "of_round"), [(0, 1), (1, 1), (9_999, 1), (300, 4), (2_499, 4)])
@pytest.mark.parametrize("board", ["virtual-256", "virtual-ast1030-evb", "tc1796"])
def test_each_start_is_where_the_edges_put_it(board: str, phase: int, of_round: int, lab: Laboratory) -> None:
    for seed in range(asked.tries(3)):
        distance = ROUND / of_round * random.Random(seed).choice((0.997, 1.0, 1.0031))
        edges = plant(seed, distance, 9, 40 * of_round)
        outcome = ran(lab, board, edges, phase, of_round)
        (mode,) = outcome.planned.image.modes
        assert mode.sync is not None
        own = [e.t for e in outcome.events(Kind.START, of="Work")]
        assert own == expected(edges, phase, of_round, mode.sync.at, 41 * ROUND)[: len(own)]
        assert len(own) > 70


@pytest.mark.parametrize("phase", [0, 2_000, 9_000])
@pytest.mark.parametrize("board", AVR)
def test_on_a_chip_each_start_keeps_the_plants_pace(board: str, phase: int, lab: Laboratory) -> None:
    distance, jitter = 1.0023 * ROUND, 5
    edges = plant(7, distance, jitter, 60)
    outcome = ran(lab, board, edges, phase, more='start = "hard"', rounds=60)
    starts = [e.t for e in outcome.events(Kind.ENTER, of="Work")][::2]
    ideal = [at + phase + POINTS[0] for at in edges]
    # By the drift of a round it is behind, by the jitter of an edge aside, and by the entries of both handlers too late.
    off = [min((start - at for at in ideal), key=abs) for start in starts[40:58]]
    assert max(off) - min(off) <= 2 * jitter + 12, off
    assert max(map(abs, off)) <= 0.0023 * ROUND + 2 * jitter + 40, off
    assert len({b - a for a, b in itertools.pairwise(starts[40:58])}) > 3  # it is corrected at each edge


def test_the_first_edge_starts_the_first_round(lab: Laboratory) -> None:
    edges = [23_456 + ROUND * k for k in range(20)]
    outcome = ran(lab, "virtual-256", edges, 1_000, more='start = "hard"', rounds=20)
    own = [e.t for e in outcome.events(Kind.START, of="Work")]
    assert own[0] >= 23_456
    assert {(at - 24_456) % ROUND for at in own} == set(POINTS)


def test_without_a_phase_an_edge_is_refused(lab: Laboratory) -> None:
    rows = 'rows = [{ at = "5000 ticks", source = "ext0" }]'
    given = {"source": "ext0", "priority": "above-tasks", "stimuli": rows, "more": "", "limit": LIMIT}
    text = TOML.format(phase=0, edges=1, **given).replace('phase = "0 ticks"\nedges = 1\n', "")
    outcome = lab.run(text, CODE, "virtual-256", ticks=2 * ROUND)
    assert outcome.said("refused") == [1]
