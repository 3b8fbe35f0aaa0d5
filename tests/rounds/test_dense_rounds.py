# SPDX-License-Identifier: Apache-2.0
"""Random dense rounds on the core in RTL lose no expiry, double none, and none drifts: an expiry about every 110 cycles.

``CARILLON_TRIES=N`` is how many expiries the firmware has to serve, in images of :data:`OF_AN_IMAGE`; ``CARILLON_SEED`` draws
other rounds.  With a number of tries the counts are printed after each image:

    CARILLON_TRIES=1000000 .venv/bin/python -m pytest tests/rounds/test_dense_rounds.py -n 0

Compared with the plan: that each cell expires at each of its points and at no other, to the tick.  Each expiry begins one
activation.  What a task does recurs after some rounds, so that each start must recur to the cycle.  As in test_rounds.py, each
event follows from those before it, and starts keep the bounds that are printed.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from machine import inconsistent

import asked
from bench.papers.boards import RECURS, Tally
from bench.papers.made import Application
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import Planned, plan
from carillon.trace import Kind, Trace
from printed import held
from sample import turn

BOARD = "cv32e40x-rtl"
OF_AN_IMAGE = 20_000
OF_PREEMPTING = 2_000  # of an image whose tasks preempt each other: fewer, since its rounds are longer
EXPIRIES = asked.tries(2_000)
SEED = asked.seed(turn("dense", 10**6))
LAST = 100  # cycles at the end of a round, so that what its last point activates begins before the run ends
KERNEL = 220  # cycles around a task where others preempt it, about
SHORTEST = 45  # cycles that a task takes without its loop, at most
LOOP = '__asm__ volatile("");'


@dataclass(frozen=True)
class Dense:
    """A round: its length, what each task takes at most, and its points, all in cycles."""

    length: int
    wcets: dict[str, int]
    points: dict[str, list[int]]
    preempts: bool

    @property
    def expiries(self) -> int:
        return sum(map(len, self.points.values()))

    def step(self, name: str) -> int:
        """By how many turns of its loop a task computes for longer in each round; one takes less than five cycles."""
        return (self.wcets[name] - SHORTEST) // (5 * (RECURS - 1))

    def schedule(self) -> str:
        lines = ["[system]", 'name = "dense"', f'board = "{BOARD}"']
        lines += [f'[task.{name}]\nwcet = "{wcet} ticks"' for name, wcet in self.wcets.items()]
        lines += ["[mode.normal]", f'round = "{self.length} ticks"', 'window = "wcet"', "points = ["]
        entries = sorted((at, name) for name, own in self.points.items() for at in own)
        lines += [f'    {{ at = "{at} ticks", activate = "{name}" }},' for at, name in entries]
        return "\n".join([*lines, "]", ""])

    def code(self) -> str:
        """Each task computes for longer in each round than in the one before, and begins anew."""
        lines = ['#include "carillon/osektime.h"']
        for name in self.wcets:
            body = "    static uint32_t job, turn;\n"
            body += f"    for (uint32_t k = turn; k != 0u; k--) {{\n        {LOOP}\n    }}\n"
            body += f"    if (++job == {len(self.points[name])}u) {{\n        job = 0u;\n"
            body += f"        turn = (turn == {(RECURS - 1) * self.step(name)}u) ? 0u : turn + {self.step(name)}u;\n    }}\n"
            lines.append(f"ttTASK({name})\n{{\n{body}}}")
        return "\n".join([*lines, ""])


def drawn(chance: random.Random) -> Dense:
    """A round: in three of four nothing is preempted, each task recurs evenly, and one follows right upon the other."""
    return _even(chance) if chance.random() < 0.75 else _preempting(chance)


def _even(chance: random.Random) -> Dense:
    """Each task has every so manieth slot of a round, at a place of its own in them."""
    slot, slots = SHORTEST + chance.randrange(12, 40), chance.choice((8, 16, 24))
    free, points, wcets = set(range(slots)), {}, {}
    for every in chance.choice(([2, 4, 8, 8], [4, 4, 4, 8, 8], [2, 4, 4], [8] * 8)):
        first = chance.choice([k for k in range(every) if all(n in free for n in range(k, slots, every))])
        free -= set(range(first, slots, every))
        place, name = chance.randrange(slot - SHORTEST - 11), f"T{len(points)}"
        points[name] = [n * slot + place for n in range(first, slots, every)]
        wcets[name] = SHORTEST
    return Dense(slots * slot, wcets, points, False)


def _preempting(chance: random.Random) -> Dense:
    """Tasks preempt each other where their points are nearer than what they take.

    No task is activated while it may still run: what is at work, the latest above, takes its WCET and :data:`KERNEL`.
    """
    wcets = {f"T{k}": chance.choice((45, 80, 115)) for k in range(chance.randint(3, 6))}
    points: dict[str, list[int]] = {name: [] for name in wcets}
    most = chance.choice((12, 20, 28))
    at = chance.randrange(100)
    works: list[tuple[str, int]] = []
    while sum(map(len, points.values())) < most:
        free = [name for name in wcets if all(name != other for other, _ in works)]
        if free and len(works) < 3:
            name = chance.choice(free)
            points[name].append(at)
            works.append((name, wcets[name] + KERNEL))
        apart = chance.choice((70, 90, chance.randrange(65, 250)))
        at += apart
        while works and apart:
            name, left = works.pop()
            if left > apart:
                works.append((name, left - apart))
            apart = max(0, apart - left)
    length = at + sum(left for _, left in works) + LAST
    found = {name: own for name, own in points.items() if own}
    return Dense(length, {name: wcets[name] for name in found}, found, True)


def _planned(dense: Dense, folder: Path) -> Planned | None:
    """The plan of a round; None if the tool refuses it, since a task may be unfinished when it is activated again."""
    folder.mkdir()
    (folder / "schedule.toml").write_text(dense.schedule(), encoding="utf-8")
    (folder / "main.c").write_text(dense.code(), encoding="utf-8")
    try:
        return plan(folder / "schedule.toml", Diagnostics())
    except CarillonError:
        return None


def _wrong(dense: Dense, planned: Planned, trace: Trace, rounds: int, tally: Tally) -> list[str]:
    """What happened otherwise than planned, in words; what became of the expiries is added to the tally."""
    found = [wrong] if (wrong := inconsistent(trace)) else []
    outcome = held(planned, trace)
    found += map(str, outcome.exceeds)
    found += [] if outcome.judged else ["a task takes longer than its WCET, or the run does not rest"]
    for name, own in dense.points.items():
        due = [k * dense.length + at for k in range(rounds) for at in own]
        came = Counter(e.t for e in trace.events if e.kind is Kind.EXPIRY and e.object == name)
        if came != Counter(due):
            found.append(f"{name} expires at {sorted((Counter(due) - came) + (came - Counter(due)))[:3]}, or does not")
        tally.add(due, [e.n for e in trace.events if e.kind is Kind.START and e.object == name], len(own), dense.length)
    found += [f"{e.object} lost an activation at {e.t}" for e in trace.events if e.kind is Kind.LOST][:3]
    return found


def test_no_expiry_of_a_dense_round_is_lost_or_doubled_and_none_drifts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance, tally, images, refused, cycles = random.Random(SEED), Tally(), 0, 0, 0
    while tally.expiries < EXPIRIES:
        dense = drawn(chance)
        planned = _planned(dense, tmp_path / f"{images + refused}")
        if planned is None:
            refused += 1
            assert refused < 50 + 20 * images, "most rounds are refused"
            continue
        share = OF_PREEMPTING if dense.preempts else OF_AN_IMAGE
        rounds = max(3 * RECURS, min(share, EXPIRIES - tally.expiries) // dense.expiries + 1)
        application = Application(planned, tmp_path / f"{images + refused}" / "build", Diagnostics())
        wrong = _wrong(dense, planned, application.ran(rounds * dense.length, rounds), rounds, tally)
        images += 1
        cycles += rounds * dense.length
        if asked.searches():
            with capsys.disabled():
                print(
                    f"\nseed {SEED}: {images} images, {cycles} cycles, {tally.expiries} expiries: {tally.lost} lost, "
                    f"{tally.doubled} doubled, drift {tally.drift}; {refused} rounds refused",
                    end="",
                    flush=True,
                )
        assert not wrong, "\n".join([f"seed {SEED}, image {images}:", *wrong, dense.schedule()])
        assert (tally.lost, tally.doubled, tally.drift) == (0, 0, 0), f"seed {SEED}, image {images}:\n{dense.schedule()}"
        tally.delays.clear()
