# SPDX-License-Identifier: Apache-2.0
"""Jobs that use up their budgets as late as they can: the bounds allow for it, and without their lateness they would not.

With a periodic clock a job may go on for ever, and then the analysis has no bound.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from former import let_none_be_late

from building import build
from carillon import pipeline
from carillon.diagnostics import Diagnostics
from carillon.pipeline import Planned
from carillon.run import run
from carillon.trace.analyse import analyse
from carillon.trace.bounds import broken
from carillon.trace.summary import Summary

SYSTEM = """# SPDX-License-Identifier: Apache-2.0
[system]
name = "app"
board = "{board}"
[osek]
hooks = ["protection"]
hook_wcet = "1000 ticks"
budgets = "{keeper}"
"""
LOCKS = """[osek.counter.C]
tick = "50000 ticks"
[osek.resource.R]
[osek.task.Endless]
priority = 2
budget = "{budget} ticks"
resources = ["R"]
resource_lock = [{{ resource = "R", budget = "{lock} ticks" }}]
[osek.task.Other]
priority = 1
wcet = "10000 ticks"
[osek.alarm.A]
counter = "C"
activate = "Endless"
autostart = {{ at = 1, cycle = 20 }}
[osek.alarm.B]
counter = "C"
activate = "Other"
autostart = {{ at = 1, cycle = 20 }}
"""
CODE = """#include "os.h"
#include <carillon/work.h>
ProtectionReturnType ProtectionHook(StatusType error) {{ (void)error; return PRO_TERMINATETASKISR; }}
TASK(Endless) {{ for (;;) {{ {body} }} }}
TASK(Other) {{ carillon_work({other}u); (void)TerminateTask(); }}
"""
TAKES = "(void)GetResource(R); (void)ReleaseResource(R);"


def runs(schedule: str, code: str, ticks: int, folder: Path) -> tuple[Planned, Summary, bool]:
    """A run, and whether it breaks a bound."""
    (folder / "schedule.toml").write_text(schedule)
    (folder / "main.c").write_text(code)
    diagnostics = Diagnostics()
    planned = pipeline.plan(folder / "schedule.toml", diagnostics, time_limit=2.0, verdicts=False)
    firmware = build(planned.image, folder / "build", diagnostics)
    assert firmware is not None, [str(d.cause) for d in diagnostics.in_order()]
    trace = run(planned.image, firmware, ticks, diagnostics)
    assert trace is not None, [str(d.cause) for d in diagnostics.in_order()]
    summary = analyse(trace, ())
    return planned, summary, bool(list(broken(trace, summary, pipeline.bounds_of(planned))))


@pytest.mark.parametrize(("board", "keeper"), [("ast1030-evb", "cell"), ("mps2-an385", "cell"), ("atmega128", "clock")])
def test_services_of_locks_make_a_job_later_than_its_budget(
    board: str, keeper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = SYSTEM.format(board=board, keeper=keeper) + LOCKS.format(budget=200_000, lock=5000)
    code = CODE.format(body=TAKES, other=4000)
    planned, summary, breaks = runs(schedule, code, 2_100_000, tmp_path)
    assert summary.totals.budget_overruns >= 2 and not breaks
    longest = {task.lane.name: task.response.maximum for task in summary.tasks if task.response is not None}
    bounds = {bound.name: bound.ticks for bound in pipeline.analyse(planned)}
    for name in ("Endless", "Other"):
        assert 0.5 * (bounds[name] or 0) < longest[name] <= (bounds[name] or 0)
    let_none_be_late(monkeypatch)
    assert runs(schedule, code, 2_100_000, tmp_path)[2]


HIDDEN = """[time]
clock = "periodic"
tick = "10000 ticks"
now = true
uses = ["delays"]
[osek.counter.C]
tick = "1000 ticks"
[osek.task.Other]
priority = 2
wcet = "4000 ticks"
[osek.task.Endless]
priority = 1
budget = "30000 ticks"
[osek.alarm.A]
counter = "C"
activate = "Other"
autostart = { at = 19, cycle = 10 }
[osek.alarm.B]
counter = "C"
activate = "Endless"
autostart = { at = 52, cycle = 1000 }
"""


@pytest.mark.parametrize("board", ["ast1030-evb", "mps2-an385"])
def test_a_job_that_is_preempted_across_each_tick_is_never_ended_and_has_no_bound(board: str, tmp_path: Path) -> None:
    schedule = SYSTEM.format(board=board, keeper="clock") + HIDDEN
    code = CODE.format(body="carillon_work(50u);", other=2500)
    planned, summary, breaks = runs(schedule, code, 5_000_000, tmp_path)
    assert not summary.totals.budget_overruns and not breaks
    assert [task.response for task in summary.tasks if task.lane.name == "Endless"] == [None]
    bound = next(bound for bound in pipeline.analyse(planned) if bound.name == "Endless")
    assert bound.bound is None
    assert bound.why.startswith("nothing bounds how late it is seen that its budget is used up: what preempts it may come")
