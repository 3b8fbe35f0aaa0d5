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
COUNTS = "· without a wcet, the budget counts for 'B', and what passes until it is seen that it is used up"
UNHELD = f"{COUNTS}; no run in which it is used up is held against these bounds, as"


def said(schedule: str, folder: Path) -> str:
    """What the command prints, in one line."""
    path = folder / "schedule.toml"
    path.write_text(schedule, encoding="utf-8")
    done = CliRunner().invoke(app, ["analyse", str(path)])
    assert done.exit_code == 0, done.stderr
    return " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("osek", "note"),
    [
        ("", f"{UNHELD} without ProtectionHook, it shuts the system down"),
        ('hooks = ["protection"]', f"{UNHELD} nothing says how long ProtectionHook takes: write hook_wcet in [osek]"),
        ('hooks = ["protection"]\nhook_wcet = "10us"', f"{COUNTS} and ProtectionHook has returned"),
    ],
)
def test_a_bound_that_rests_on_a_budget_says_so(osek: str, note: str, tmp_path: Path) -> None:
    schedule = SCHEDULE.replace("[osek]\n", f"[osek]\n{osek}\n")
    assert f"{note} Stacks" in said(schedule.format(wcet=""), tmp_path)
    assert COUNTS not in said(schedule.format(wcet='wcet = "800us"'), tmp_path)
