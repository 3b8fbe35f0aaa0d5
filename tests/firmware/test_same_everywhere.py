# SPDX-License-Identifier: Apache-2.0
"""The same source runs alike on the emulated board and on its virtual twin, and the same twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from laboratory import AST, ROOT, VIRTUAL_AST, Laboratory

from carillon.diagnostics import Diagnostics
from carillon.run import run
from carillon.trace import Kind

APPLICATIONS = [
    ROOT / "examples" / "three-tasks",
    ROOT / "examples" / "deadline-miss",
    ROOT / "examples" / "modes",
    ROOT / "bench" / "dispatch",
    ROOT / "bench" / "lowered",
]


@pytest.mark.parametrize("folder", APPLICATIONS, ids=lambda f: f.name)
@pytest.mark.parametrize("kernel", ["carillon", "conventional"])
def test_tasks_start_and_end_in_the_same_order_on_the_virtual_board(lab: Laboratory, folder: Path, kernel: str) -> None:
    stories = [
        lab.run_file(folder / "schedule.toml", board, kernel=kernel, rounds=20).story(Kind.START, Kind.END, Kind.DEADLINE_MISSED)
        for board in (AST, VIRTUAL_AST)
    ]
    assert stories[0] == stories[1]
    assert len(stories[0]) > 20


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_two_runs_of_the_same_firmware_give_the_same_events(lab: Laboratory, board: str) -> None:
    outcome = lab.run_file(ROOT / "examples" / "modes" / "schedule.toml", board, rounds=20)
    again = run(outcome.planned.image, outcome.firmware, outcome.trace.length, Diagnostics(), rounds=20)
    assert again == outcome.trace
