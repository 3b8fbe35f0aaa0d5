# SPDX-License-Identifier: Apache-2.0
"""``carillon run`` says which task executed for longer than its WCET, and ``--strict`` ends with 3 then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from laboratory import AST, MPS, VIRTUAL_AST, Laboratory
from typer.testing import CliRunner

from carillon.cli import app

BOARDS = ["virtual-256", VIRTUAL_AST, AST, MPS, "atmega128"]
CODE = """
ttTASK(Long)
{
    carillon_work(%d);
}
ttTASK(Short)
{
    carillon_work(100u);
}
"""
SCHEDULE = """
[task.Long]
wcet = "8000 ticks"
[task.Short]
wcet = "1000 ticks"
[mode.m]
round = "20000 ticks"
points = [
    { at = "1000 ticks", activate = "Long" },
    { at = "3000 ticks", activate = "Short" },
    { at = "5000 ticks", activate = "Short" },
]
"""


def run(lab: Laboratory, board: str, work: int, folder: Path, *options: str) -> tuple[int, list[str]]:
    """The exit code and the warnings of C245."""
    path = lab.write(SCHEDULE, CODE % work)
    arguments = ["run", str(path), "--board", board, "--out", str(folder), "--json", *options]
    done = CliRunner().invoke(app, arguments)
    found = json.loads(done.stdout)["diagnostics"]
    assert not [d for d in found if d["severity"] == "error"], found
    return done.exit_code, [d["cause"].partition(":")[0] for d in found if d["code"] == "C245"]


@pytest.mark.parametrize("board", BOARDS)
def test_a_job_that_executes_for_longer_than_its_wcet_is_told(lab: Laboratory, board: str, tmp_path: Path) -> None:
    code, said = run(lab, board, 9000, tmp_path, "--rounds", "3", "--strict")
    (cause,) = said
    assert cause.startswith("task 'Long' executed for ")
    assert code == 3
    assert run(lab, board, 9000, tmp_path, "--rounds", "3") == (0, said)


@pytest.mark.parametrize("board", BOARDS)
def test_what_preempts_a_job_does_not_count(lab: Laboratory, board: str, tmp_path: Path) -> None:
    """With two preemptions the job takes longer than its WCET, but it does not execute so long."""
    assert run(lab, board, 7900, tmp_path, "--rounds", "3", "--strict") == (0, [])


@pytest.mark.parametrize("board", BOARDS)
def test_a_job_that_has_not_ended_counts_for_what_it_has_executed(lab: Laboratory, board: str, tmp_path: Path) -> None:
    code, said = run(lab, board, 15_000, tmp_path, "--for", "12000 ticks", "--strict")
    assert (code, len(said)) == (3, 1)
    assert run(lab, board, 15_000, tmp_path, "--for", "8000 ticks", "--strict") == (0, [])
