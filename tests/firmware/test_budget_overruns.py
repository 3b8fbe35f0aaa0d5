# SPDX-License-Identifier: Apache-2.0
"""A run shows whose budget was used up, as often as ``ProtectionHook`` was told: of tasks and locks, by a cell or the clock.

``test_isr_budgets.py`` does so of ISRs, and ``test_round_budgets.py`` of the rounds' tasks.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from laboratory import AST, RV32, VIRTUAL_AST, Laboratory
from typer.testing import CliRunner

from carillon.cli import app
from carillon.trace import Kind

SCHEDULE = """[osek]
hooks = ["protection"]
{keeper}
[osek.resource.Shared]
[osek.task.Sound]
priority = 1
budget = "{long} ticks"
[osek.task.Endless]
priority = 2
budget = "{short} ticks"
[osek.task.Holds]
priority = 3
resources = ["Shared"]
resource_lock = [{{ resource = "Shared", budget = "{short} ticks" }}]
[osek.counter.Clock]
tick = "{tick} ticks"
[osek.alarm.A]
counter = "Clock"
activate = "Sound"
autostart = {{ at = 2, cycle = 8 }}
[osek.alarm.B]
counter = "Clock"
activate = "Endless"
autostart = {{ at = 4, cycle = 8 }}
[osek.alarm.C]
counter = "Clock"
activate = "Holds"
autostart = {{ at = 6, cycle = 8 }}
"""
CODE = """
ProtectionReturnType ProtectionHook(StatusType error)
{
    TaskType task;
    (void)GetTaskID(&task);
    report((error == E_OS_PROTECTION_LOCKED) ? "locked" : "over", task);
    return PRO_TERMINATETASKISR;
}
TASK(Sound) { carillon_work(10u); TerminateTask(); }
TASK(Endless) { carillon_work(100000000u); TerminateTask(); }
TASK(Holds) { (void)GetResource(Shared); carillon_work(100000000u); (void)ReleaseResource(Shared); TerminateTask(); }
"""


@pytest.mark.parametrize(
    ("board", "keeper"),
    [(VIRTUAL_AST, "cell"), (VIRTUAL_AST, "clock"), (AST, "cell"), (AST, "clock"), ("atmega128", ""), (RV32, "")],
)
def test_whose_budget_was_used_up_is_among_the_events(lab: Laboratory, board: str, keeper: str) -> None:
    tick = 40_000 if board in (VIRTUAL_AST, AST) else 4000
    times = {"long": tick, "short": tick // 4, "tick": tick}
    text = SCHEDULE.format(keeper=f'budgets = "{keeper}"' if keeper else "", **times)
    outcome = lab.run(text, CODE, board, ticks=30 * tick)
    said = [f"{('Sound', 'Endless', 'Holds')[task]}" for _, task in outcome.reported]
    assert [event.object for event in outcome.events(Kind.BUDGET_OVERRUN)] == said and len(said) > 5
    for name in ("Sound", "Endless", "Holds"):
        assert outcome.task(name).budget_overruns == said.count(name)
    assert [name for name, _ in outcome.reported] == ["locked" if name == "Holds" else "over" for name in said]


def test_strict_ends_with_3_where_a_budget_was_used_up(lab: Laboratory, tmp_path: Path) -> None:
    text = '[task.A]\nperiod = "1ms"\nbudget = "10000 ticks"\n'
    for work, code in ((9000, 0), (11_000, 3)):
        path = lab.write(
            text, f"ttTASK(A) {{ carillon_work({work}u); }}\n", system='on_budget_overrun = "end"\nclock = "125MHz"\n'
        )
        done = CliRunner().invoke(
            app, ["run", str(path), "--for", "3ms", "--strict", "--json", "--out", str(tmp_path / f"{work}")]
        )
        assert done.exit_code == code
        totals = json.loads(done.stdout)["runs"][0]["summary"]["totals"]
        assert totals["budget_overruns"] == (3 if code else 0)
