# SPDX-License-Identifier: Apache-2.0
"""Random rounds in which one re-armed cell follows activations with one to three deadlines each, as model.py has them.

``CARILLON_TRIES=N`` is the number of schedules for each board, ``CARILLON_SEED=S`` another seed.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from boards import TARGETS
from drawing import Case, Draw
from machine import Tally, divergences, execute, firmware, prepare, story
from model import Activation, Mode, Schedule, Task

import asked
from carillon.allocate.result import Style
from carillon.model.board import Role

WANTED = asked.tries(1)
SEED = asked.seed(0)
POINTS = {"virtual-tiny": (2, 5), "ast1030-evb": (5, 7), "atmega128": (4, 6)}
"""How many activations leave too few cells for a deadline's own."""


class Several(Draw):
    """Draws one task whose activations have up to three deadlines each."""

    def case(self) -> Case:
        rng, unit = self.rng, self.profile.unit
        least, most = POINTS[self.profile.board]
        count = rng.randint(least, most)
        length = unit * rng.choice((12, 16, 20, 24))
        step = unit // 2
        at = sorted(rng.sample(range(0, length, 2 * step), count))
        activations = []
        for begin, end in zip(at, [*at[1:], length], strict=True):
            grid = range(begin + step, end + 1, step)
            due = sorted(rng.sample(grid, min(len(grid), rng.choice((1, 2, 2, 3)))))
            activations.append(Activation(begin, "T0", tuple(due)))
        monitor = rng.choice(("always", "always", "if-cells-allow"))
        task = Task("T0", wcet=self.amount(unit // 8, step // 2), monitor=monitor)
        mode = Mode("m0", length, "wcet", tuple(activations))
        return Case(Schedule((task,), (mode,)), self.profile)


@pytest.mark.parametrize("board", sorted(POINTS))
def test_one_cell_watches_several_deadlines_of_each_activation(board: str, tmp_path: Path) -> None:
    tally = Tally()
    target = TARGETS[board]
    target = replace(target, profile=replace(target.profile, modes=1))
    for number in range(20 * WANTED):
        rng = random.Random(f"{board} {SEED} {number}")
        trial = prepare(rng, target, tmp_path / "schedule", tally, draw=Several)
        if trial is None:
            continue
        carriers = [c for c in trial.planned.image.modes[0].allocation.carriers if c.role is Role.DEADLINE]
        if not any(c.style is Style.MULTIPLEXED and len(c.demand.followed) < len(c.demand.points) for c in carriers):
            continue
        built = firmware(trial, tally)
        assert built is not None
        for which, variant in enumerate(trial.variants):
            trace = execute(trial, built, which)
            found = divergences(trial, variant, trace, tally)
            if found:
                pytest.fail(f"schedule {number}.{which} of {board}:\n" + story(trial, variant, found), pytrace=False)
        if tally.images >= WANTED and tally.hooks:
            break
    assert tally.images >= WANTED, tally.refused
    assert tally.hooks, str(tally)
