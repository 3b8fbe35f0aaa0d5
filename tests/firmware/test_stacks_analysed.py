# SPDX-License-Identifier: Apache-2.0
"""``carillon analyse`` shows each stack: its size, its bound, and what a run has used of it."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from laboratory import AST, MPS, RV32, VIRTUAL, Laboratory
from test_stacks_in_use import CODE, schedule
from typer.testing import CliRunner

from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.model.stacks import StackBound
from carillon.stacks.places import FILL, StackPlace
from carillon.trace.bounds import report_deep

MICROBIT, AVR = "microbit", "atmega128"


def analysed(path: Path, *options: str) -> Any:
    """What ``analyse --json`` prints of stacks, by name."""
    done = CliRunner().invoke(app, ["analyse", str(path), "--json", *options])
    assert done.exit_code == 0, done.stdout
    stacks = json.loads(done.stdout)["stacks"]
    return stacks if stacks is None else {stack["name"]: stack for stack in stacks}


@pytest.mark.parametrize("board", [AST, MPS, MICROBIT, AVR, RV32])
def test_a_run_stands_beside_the_bound_of_each_stack(lab: Laboratory, board: str, tmp_path: Path) -> None:
    stacks = analysed(lab.write(schedule(board), CODE), "--board", board, "--for", "100ms", "--out", str(tmp_path))
    low, main = stacks["Low"], stacks["main"]
    assert (low["size"], low["why"]) == (1280, None)
    assert 140 < low["used"] <= low["bound"]
    if board == AVR:
        assert main["used"] is None
    else:
        assert 40 < main["used"] <= main["bound"]


def test_a_run_uses_what_the_kernel_says(lab: Laboratory, tmp_path: Path) -> None:
    path = lab.write(schedule(AST), CODE)
    (said,) = lab.run_file(path, AST, ticks=lab.firmware(path, AST)[0].system.clock_hz * 3 // 10).said("used")
    used = analysed(path, "--board", AST, "--for", "300ms", "--out", str(tmp_path))["Low"]["used"]
    assert said - 8 < used <= said  # the kernel counts words of eight bytes


@pytest.mark.compiles
def test_without_a_run_the_image_that_was_built_is_looked_at(lab: Laboratory, tmp_path: Path) -> None:
    own = shutil.copytree(lab.write(schedule(MPS), CODE).parent, tmp_path / "own")  # the laboratory's is other tests', too
    path, options = own / "schedule.toml", ("--board", MPS, "--out", str(tmp_path / "out"))
    assert analysed(path, *options) is None
    time.sleep(0.02)  # a file system's clock may be some milliseconds late
    assert CliRunner().invoke(app, ["build", str(path), *options]).exit_code == 0
    stacks = analysed(path, *options)
    assert stacks["Low"]["bound"] > 140
    assert {stack["used"] for stack in stacks.values()} == {None}
    path.write_text(path.read_text(encoding="utf-8").replace("stack = 1280", "stack = 2048"), encoding="utf-8")
    assert analysed(path, *options) is None


def test_the_table_says_why_a_bound_is_not_known(lab: Laboratory, tmp_path: Path) -> None:
    path = lab.write(schedule(MPS, stack=512).replace('dispatch = "hardware"', 'dispatch = "software"'), CODE)
    done = CliRunner().invoke(app, ["analyse", str(path), "--board", MPS, "--for", "50ms", "--out", str(tmp_path)])
    assert "stack  bytes    used at most    used in the run" in done.stdout
    why = "no bound is known of 'Low', 'main': interrupts at the end of the dispatcher's handler may leave frames"
    assert why in " ".join(done.stdout.split())


def test_a_virtual_board_has_no_stacks(lab: Laboratory, tmp_path: Path) -> None:
    path = lab.write(schedule(VIRTUAL), CODE)
    assert analysed(path, "--board", VIRTUAL, "--for", "10ms", "--out", str(tmp_path)) == {}


def test_a_run_that_uses_more_than_the_bound_is_an_error() -> None:
    stacks = [StackBound("A", 512, 100), StackBound("B", 512, 100), StackBound("main", 512, None, "why")]
    diagnostics = Diagnostics()
    report_deep(stacks, {"A": 101, "B": 100, "main": 500}, {}, diagnostics)
    (error,) = diagnostics.reported
    assert (error.code, error.cause) == ("C309", "of stack 'A' 100 bytes are used at most; the run has used 101")


@pytest.mark.parametrize("untouched", [0, 1, 2, 7, 8, 15, 16])
def test_what_is_not_as_it_was_filled_is_used(untouched: int) -> None:
    content = (FILL * 8)[:untouched] + bytes(16 - untouched)
    assert StackPlace("A", 0, 16).used(content) == 16 - untouched
