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


DISPATCHED = """
[osek]
dispatch = "software"
hooks = ["pretask", "posttask"]
[osek.counter.Time]
tick = "3000 ticks"
[osek.alarm.Begin]
counter = "Time"
activate = "Low"
autostart = { at = 1 }
[osek.alarm.Preempt]
counter = "Time"
activate = "High"
autostart = { at = 2 }
[osek.alarm.Often]
counter = "Time"
callback = "often"
autostart = { at = 1, cycle = 1 }
[osek.resource.R]
[osek.task.Low]
priority = 1
resources = ["R"]
[osek.task.High]
priority = 2
resources = ["R"]
"""
DISPATCHES = """
ALARMCALLBACK(often)
{
}
void PreTaskHook(void)
{
    carillon_work(2000u);
}
void PostTaskHook(void)
{
    carillon_work(2000u);
}
TASK(Low)
{
    (void)GetResource(R);
    carillon_work(4000u);
    (void)ReleaseResource(R);
    carillon_work(4000u);
    (void)TerminateTask();
}
TASK(High)
{
    carillon_work(1000u);
    (void)TerminateTask();
}
"""


@pytest.mark.parametrize("board", ["virtual-256", MPS, "atmega128", "qemu-rv32-virt"])
def test_hooks_of_a_task_that_a_service_lets_run_do_not_count_for_the_caller(lab: Laboratory, board: str) -> None:
    outcome = lab.run(DISPATCHED, DISPATCHES, board, ticks=60_000)
    for name, ticks in (("Low", 8000), ("High", 1000)):
        (job,) = (r for r in outcome.summary.runs if r.lane.name == name)
        assert job.end is not None
        assert ticks <= job.executed / outcome.per_tick < ticks + 1000
