# SPDX-License-Identifier: Apache-2.0
"""What ``carillon analyse`` says below its table."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from carillon.cli import app

SCHEDULE = """[system]
name = "app"
board = "ast1030-evb"
[osek]
[osek.counter.C]
tick = "100us"
max_allowed = 9999
[osek.task.B]
priority = 2
budget = "1ms"
{wcet}
[osek.task.A]
priority = 1
wcet = "500us"
[osek.alarm.TB]
counter = "C"
activate = "B"
autostart = {{ at = 10, cycle = 50 }}
[osek.alarm.TA]
counter = "C"
activate = "A"
autostart = {{ at = 10, cycle = 50 }}
"""
NOTE = (
    "· without a wcet, the budget counts for 'B': a job that uses it up ends somewhat later, and no run with one is held against "
    "these bounds"
)


@pytest.mark.parametrize(("wcet", "said"), [("", True), ('wcet = "800us"', False)])
def test_a_bound_that_rests_on_a_budget_says_so(wcet: str, said: bool, tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(SCHEDULE.format(wcet=wcet), encoding="utf-8")
    done = CliRunner().invoke(app, ["analyse", str(path)])
    assert done.exit_code == 0, done.stderr
    assert (NOTE in " ".join(done.stdout.split())) == said
