# SPDX-License-Identifier: Apache-2.0
"""``python -m bench.papers frontier``.

Whether a round is kept is what a simulation without any kernel says where code takes no time.  What the check accepts is kept
where code takes time.

``CARILLON_TRIES`` is the number of random rounds on each board; 6 without it.
"""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from laboratory import VIRTUAL_AST
from typer.testing import CliRunner

import asked
from bench.papers import frontier
from bench.papers.commands import app
from bench.papers.frontier import BURSTS, EARLY, LENGTH, TASKS, Outcome, Round, accepted, drawn, kept
from carillon.diagnostics import Diagnostics

MANY = asked.tries(6)


def is_kept(it: Round) -> bool:
    """Tick by tick, the task that was activated last runs; rounds follow one another."""
    stack: list[list[int]] = []  # task, ticks left
    for tick in range(3 * LENGTH):
        for at, task in it.points:
            if at == tick % LENGTH:
                if any(other == task for other, _ in stack):
                    return False
                stack.append([task, it.wcets[task]])
        if tick % LENGTH == 0 and stack:
            return False
        if stack:
            stack[-1][1] -= 1
            if stack[-1][1] == 0:
                stack.pop()
    return True


@pytest.mark.parametrize("kernel", frontier.KERNELS)
def test_a_round_is_kept_if_it_is_without_a_kernel_where_code_takes_no_time(kernel: str, tmp_path: Path) -> None:
    found = set()
    for number in range(MANY):
        it = drawn(random.Random(number), (90, 99, 100)[number % 3], 50)
        folder = tmp_path / str(number)
        folder.mkdir()
        well, late = kept(it, kernel, False, folder, VIRTUAL_AST)
        assert well == is_kept(it), number
        assert late == 0 or not well
        assert accepted(it, folder, VIRTUAL_AST) == well
        found.add(well)
    assert found == {True, False}


def test_what_the_check_accepts_is_kept_on_the_board() -> None:
    outcomes = frontier.frontier([92, 94, 96], [25, 60], max(1, MANY // 6), 7, lambda _: None)
    assert frontier.broken(outcomes) == []
    assert {o.accepted for o in outcomes} == {True, False}
    assert {o.kept["conventional"] for o in outcomes} == {True, False}
    assert all(o.latest_start["conventional"] is None for o in outcomes if o.closeness == 25)


def test_a_drawn_round_has_the_load_and_the_distances_that_are_asked_for() -> None:
    for seed in range(200):
        load, closeness = 5 + seed % 96, 1 + seed * 4
        it = drawn(random.Random(seed), load, closeness)
        computed = BURSTS * sum(it.wcets)
        assert 0 <= load * LENGTH // 100 - computed < BURSTS, (load, computed)
        ticks = [at for at, _ in it.points]
        assert all(after - at == closeness for k, (at, after) in enumerate(pairwise(ticks)) if (k + 1) % TASKS)
        assert 0 < ticks[0] < EARLY
        assert ticks[-1] < LENGTH
        assert it == drawn(random.Random(seed), load, closeness)


def test_a_round_that_is_accepted_and_not_kept_is_an_error() -> None:
    diagnostics = Diagnostics()
    kept_by = {"carillon": False, "conventional": True}
    rounds = [Outcome(90, 50, seed, seed == 3, kept_by, {"carillon": 13, "conventional": 43}) for seed in range(5)]
    frontier.report(rounds, diagnostics)
    assert [(d.code, d.cause) for d in diagnostics.errors] == [
        ("C191", "round 3 of load 90 %, points 50 ticks apart, is accepted by the check, and not kept")
    ]


def test_the_command_prints_one_object() -> None:
    command = ["frontier", "--load", "90", "--apart", "60", "--rounds", "1", "--board", VIRTUAL_AST, "--json"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {
        "board": VIRTUAL_AST,
        "rounds": [
            {
                "load": 90,
                "closeness": 60,
                "seed": 0,
                "accepted": True,
                "kept": {"carillon": True, "conventional": True},
                "latest_start": {"carillon": 0, "conventional": 0},
            }
        ],
        "diagnostics": [],
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--load", "4"], "--load 4: it may be from 5 to 100"),
        (["--apart", "976"], "--apart 976: it may be from 1 to 975"),
        (["--board", "mps2-an385", "--load", "50", "--apart", "50"], "C060"),
    ],
)
def test_what_cannot_be_asked_is_refused(words: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["frontier", *words])
    assert result.exit_code in (1, 2)
    assert said in " ".join(result.output.split())
