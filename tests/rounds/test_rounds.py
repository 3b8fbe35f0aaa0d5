# SPDX-License-Identifier: Apache-2.0
"""Random schedules run on every board as the specification says: model.py is its section "Meaning", played through.

Without options each board gets the same few schedules every time.  ``CARILLON_TRIES=N`` is the number of schedules for
each board, then drawn from another seed every time, which a failure names; ``CARILLON_SEED=S`` sets it, so that
``CARILLON_TRIES=N CARILLON_SEED=S pytest tests/rounds -k BOARD`` repeats a run.

A fifth of the schedules is for the conventional kernel, which has no levels: whatever comes later preempts.  Some tasks are
vouched never to overrun, and do not.

Compared: every start, end, preemption and continuation (to the tick on virtual boards, where code takes no time; on the
others their order, their times within what the kernel's code may take, and starts that nothing delays to the
instruction), activations that wait or are absorbed, verdicts of deadlines, calls of the error hook, the shutdown, the
first tick of each mode's rounds, re-enable points, and whether each event of the trace follows from those before it.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from boards import TARGETS
from drawing import Draw, Enabling, Moderate
from machine import Tally, divergences, execute, firmware, prepare, story

import asked
from runnable import runnable
from sample import DRAW

USUAL = {  # schedules by default; each runs with several sets of jobs
    "virtual-256": 5,
    "virtual-ast1030-evb": 4,
    "virtual-tiny": 3,
    "tc1796": 3,
    "ast1030-evb": 4,
    "mps2-an385": 3,
    "mps2-an505": 3,
    "atmega128": 2,
    "atmega2560": 2,
    "arduino-uno": 2,
    "arduino-leonardo": 1,
    "atmega128-xmem": 2,
    "qemu-rv32-virt": 2,
    "cv32e40x-rtl": 1,
    "stm32f4-discovery": 5,
    "blackpill-f411": 5,
    "microbit": 3,
    "raspberry-pi-pico": 2,
}

SEEDS = {"mps2-an385": "7", "atmega128": "5", "atmega2560": "4"}
"""By default, instead of the draw: of these boards' few schedules one has tasks on one source, or points on one channel."""

ENABLING = ("ast1030-evb", "mps2-an385", "atmega128", "qemu-rv32-virt")
"""One of each port, and one in which an instruction is a tick.

The microbit is missing for a fault of its traces: the end of a table's handler is not seen if an interrupt below tasks enters a
few instructions before it, so that the kernel's time of a round is counted wrong.
"""


def _name(board: Any) -> str:
    """The board of a parameter, which may have a mark."""
    return board if isinstance(board, str) else str(board.values[0])


BOARDS = [board for board in runnable() if _name(board) in TARGETS]


def _priced(board: Any) -> Any:
    """A board's parameter; that of the board in RTL, where a second takes minutes, is costly."""
    if _name(board) != "cv32e40x-rtl":
        return board
    marks = [] if isinstance(board, str) else board.marks
    return pytest.param(_name(board), marks=[*marks, pytest.mark.costly])


PRICED = [_priced(board) for board in BOARDS]


@pytest.mark.parametrize("board", PRICED)
def test_schedules_mean_what_the_specification_says(board: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _play(board, USUAL[board], Draw, tmp_path, capsys)


@pytest.mark.parametrize("board", PRICED)
def test_runs_of_moderate_load_keep_each_printed_bound(board: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tally = _play(board, 2, Moderate, tmp_path, capsys, judged=True)
    assert tally.judged, tally


@pytest.mark.parametrize("board", [board for board in BOARDS if _name(board) in ENABLING])
def test_starts_at_re_enable_points_keep_each_printed_bound(
    board: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tally = _play(board, 1, Enabling, tmp_path, capsys, judged=True)
    assert tally.judged, tally


def _play(
    board: str, usual: int, draw: type[Draw], folder: Path, capsys: pytest.CaptureFixture[str], judged: bool = False
) -> Tally:
    """Run so many images, and more if none was ``judged`` that is to be."""
    seed, wanted = asked.seed(SEEDS.get(board, DRAW)), asked.tries(usual)
    tally = Tally()
    for number in range((30 if judged else 10) * wanted):  # most of those that are not compared are refused, for a good reason
        rng = random.Random(f"{board} {seed} {number}")
        trial = prepare(rng, TARGETS[board], folder / "schedule", tally, draw=draw)
        if trial is None:
            continue
        built = firmware(trial, tally)
        if built is None:
            continue
        for which, variant in enumerate(trial.variants):
            trace = execute(trial, built, which, tally)
            found = divergences(trial, variant, trace, tally)
            if found:
                pytest.fail(f"seed {seed}, schedule {number}.{which} of {board}:\n" + story(trial, variant, found), pytrace=False)
        if tally.images >= wanted and (tally.judged or not judged):
            break
    if asked.searches():
        with capsys.disabled():
            print(f"\nseed {seed}: {tally}")
    assert tally.images >= wanted, tally.refused
    return tally


def test_every_board_that_runs_rounds_is_tried() -> None:
    boards = {path.parent.name for path in (Path(__file__).parents[2] / "boards").glob("*/board.toml")}
    boards -= {"arduino-mega", "nucleo-f429zi"}  # are atmega2560, and stm32f4-discovery
    assert boards == set(TARGETS) == set(USUAL)
