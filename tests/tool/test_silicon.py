# SPDX-License-Identifier: Apache-2.0
"""timing = "silicon": a plan rests on no sequence that instructions time, or is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carillon.cli import app
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan
from carillon.read.board import load_board
from carillon.resources import board_names, data_root
from carillon.timing.silicon import timed_sequences

TASKS = """
[task.Fast]
period = "10ms"
[task.Slow]
period = "20ms"
offset = "2ms"
"""
MODES = """
[task.Fast]
[task.Slow]
[mode.one]
round = "10ms"
points = [{ at = "0ms", activate = "Fast" }]
[mode.two]
round = "20ms"
points = [{ at = "0ms", activate = "Slow" }]
"""
SHARED = """
[task.Fast]
[mode.one]
round = "20ms"
points = [{ at = "0ms", activate = "Fast" }, { at = "4ms", activate = "Fast" }, { at = "14ms", activate = "Fast" }]
"""
FOLLOWS = """
[sync]
lengthen = "400us"
shorten = "400us"
[task.Slow]
period = "20ms"
offset = "2ms"
"""
MOVED = "moved to the first expiry while the counter runs"
LATER = "started some instructions after the cells before"
CASES = [  # board, schedule: what is timed
    ("raspberry-pi-pico", TASKS, ()),
    ("microbit", TASKS, ()),
    ("stm32f4-discovery", TASKS, ()),
    ("arduino-mega", TASKS, ()),
    ("virtual-256", TASKS, ()),  # code takes no time
    ("ast1030-evb", TASKS, (f"cells are {MOVED}",)),
    ("raspberry-pi-pico", FOLLOWS, ()),
    ("stm32f4-discovery", FOLLOWS, ()),
    ("arduino-mega", FOLLOWS, ()),
    ("ast1030-evb", FOLLOWS, (f"cells are {MOVED}", "a synchronised round moves counters that run")),
    ("mps2-an385", TASKS, (f"cells are {LATER}",)),
    (
        "ast1030-evb",
        MODES,
        (
            f"in mode 'one', cells are {MOVED}",
            f"in mode 'two', cells are {MOVED}",
            "a switch of modes waits by a number of instructions",
        ),
    ),
]


def written(folder: Path, board: str, tasks: str, timing: str = "") -> Path:
    path = folder / "schedule.toml"
    path.write_text(f'[system]\nboard = "{board}"\nsources = []\n{timing}{tasks}', encoding="utf-8")
    return path


@pytest.mark.parametrize(("board", "tasks", "timed"), CASES, ids=[f"{board}-{k}" for k, (board, *_) in enumerate(CASES)])
def test_what_instructions_time_is_named_and_refused(board: str, tasks: str, timed: tuple[str, ...], tmp_path: Path) -> None:
    image = plan(written(tmp_path, board, tasks), Diagnostics()).image
    assert tuple(re.sub(r"[A-Z][A-Za-z0-9, ]*[0-9k](?: and \w+)? are", "cells are", t) for t in timed_sequences(image)) == timed
    diagnostics = Diagnostics()
    path = written(tmp_path, board, tasks, 'timing = "silicon"\n')
    if not timed:
        plan(path, diagnostics)
        return
    with pytest.raises(CarillonError):
        plan(path, diagnostics)
    said = [("C300", f"instructions time a sequence: {clause}") for clause in timed_sequences(image)]
    assert sorted((d.code, d.cause) for d in diagnostics.errors) == sorted(said)
    assert all(d.span is not None and d.span.line == 4 for d in diagnostics.errors)


def test_a_cell_that_is_re_armed_by_moving_its_counter_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "ast1030-evb", SHARED + "[task.Other]\n" * 0)
    image = plan(path, Diagnostics()).image
    multiplexed = any(mode.multiplexes for mode in image.modes)
    assert multiplexed == any("re-armed" in clause for clause in timed_sequences(image))


@pytest.mark.parametrize("name", [*(p.parent.name for p in sorted((data_root() / "cells").glob("*/cell.toml")))])
def test_every_family_says_what_is_exact(name: str) -> None:
    text = (data_root() / "cells" / name / "cell.toml").read_text(encoding="utf-8")
    assert 'exact = "' in text


@pytest.mark.parametrize("name", board_names())
def test_a_board_says_what_of_its_cells_is_exact(name: str) -> None:
    said = " ".join(CliRunner().invoke(app, ["boards", name]).output.split())
    for array in load_board(data_root() / "boards" / name / "board.toml").cells:
        assert array.family.exact in said


def test_a_board_that_is_not_there_is_an_error_of_use() -> None:
    result = CliRunner().invoke(app, ["boards", "pico"])
    assert result.exit_code == 2
    assert "no board 'pico': did you mean 'raspberry-pi-pico'?" in result.output
