# SPDX-License-Identifier: Apache-2.0
"""A run that a fault ends says who ran, on which stack, and which stacks are too small for their functions alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from laboratory import AN505, AST, MPS, Laboratory
from typer.testing import CliRunner

from carillon.cli import app
from carillon.run.frames import frames

SCHEDULE = """
[stacks]
refuse = "none" # the build would refuse them
[osek]
[osek.task.A]
priority = 3
events = ["e"]
stack = {stack}
autostart = true
[osek.task.B]
priority = 2
events = ["e"]
stack = 512
autostart = true
[osek.event.e]
[osek.counter.K]
tick = "1ms"
[osek.alarm.a]
counter = "K"
set_event = {{ task = "A", event = "e" }}
autostart = {{ at = 1, cycle = 2 }}
[osek.alarm.b]
counter = "K"
set_event = {{ task = "B", event = "e" }}
autostart = {{ at = 2, cycle = 2 }}
"""
CODE = """
__attribute__((noinline)) static void deep(volatile unsigned *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        p[i] = 0xDEAD0000u + i;
    }
}
TASK(A) { for (;;) { WaitEvent(e); ClearEvent(e); volatile unsigned buffer[100]; deep(buffer, 100); } }
TASK(B) { for (;;) { WaitEvent(e); ClearEvent(e); volatile unsigned buffer[4]; deep(buffer, 4); } }
"""


def run(path: Path, board: str, folder: Path) -> list[str]:
    """What a run says of a fault."""
    done = CliRunner().invoke(app, ["run", str(path), "--board", board, "--out", str(folder), "--for", "50ms", "--json"])
    return [d["cause"] for d in json.loads(done.stdout)["diagnostics"] if d["code"] in ("C321", "C322")]


@pytest.mark.parametrize("board", [AST, MPS, AN505, "microbit"])
def test_a_stack_that_is_too_small_for_its_function_is_named(lab: Laboratory, board: str, tmp_path: Path) -> None:
    path = lab.write(SCHEDULE.format(stack=256), CODE)
    planned, firmware = lab.firmware(path, board)
    known = {name: (stack, takes) for name, stack, takes in frames(planned.image, firmware.elf)}
    stack, takes = known["A"]
    assert stack == 256
    assert takes is not None
    assert 400 <= takes <= 440  # the buffer, and registers
    assert known["B"][0] == 512
    assert known["B"][1] is not None
    assert 16 <= known["B"][1] <= 60
    for cause in run(path, board, tmp_path):  # what it overwrites differs, and whether it matters
        assert f"; the function of task 'A' takes {takes} of 256 bytes by itself" in cause or "locked up" in cause


def test_a_run_that_a_stack_ends_says_so(lab: Laboratory, tmp_path: Path) -> None:
    assert len(run(lab.write(SCHEDULE.format(stack=256), CODE), AST, tmp_path)) == 1


@pytest.mark.parametrize("board", [AST, "microbit"])
def test_a_run_that_nothing_ends_says_nothing(lab: Laboratory, board: str, tmp_path: Path) -> None:
    assert not run(lab.write(SCHEDULE.format(stack=1024), CODE), board, tmp_path)
