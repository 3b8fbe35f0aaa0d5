# SPDX-License-Identifier: Apache-2.0
"""A tick that comes while a job runs tells all parts of the counter's queue, not only the one that the job's end serves."""

from __future__ import annotations

from laboratory import VIRTUAL_AST, Laboratory

SCHEDULE = """[osek]
[osek.task.High]
priority = 2
wcet = "{most} ticks"
[osek.task.Low]
priority = 1
wcet = "{most} ticks"
[osek.counter.C]
tick = "{tick} ticks"
[osek.schedule_table.T]
counter = "C"
duration = 20
repeating = true
autostart = {{ at = 1 }}
[[osek.schedule_table.T.point]]
offset = 6
activate = ["High"]
[[osek.schedule_table.T.point]]
offset = 9
activate = ["Low"]
"""
CODE = """
TASK(High) {{ carillon_work({work}u); TerminateTask(); }}
TASK(Low) {{ TerminateTask(); }}
"""


def test_a_lower_task_is_activated_in_its_tick_if_a_higher_one_runs_then(lab: Laboratory) -> None:
    tick = 100
    schedule = SCHEDULE.format(tick=tick, most=3 * tick + tick // 2)
    outcome = lab.run(schedule, CODE.format(work=3 * tick + tick // 8), VIRTUAL_AST, ticks=200 * tick)
    high, low = ([run for run in outcome.summary.runs if run.lane.name == name] for name in ("High", "Low"))
    assert outcome.planned.image.osek is not None
    assert any(part.part >= 1 and not part.cells for part in outcome.planned.image.osek.allocation.counters)
    assert len(low) == 10
    for before, after in zip(high, low, strict=True):
        assert before.end is not None and after.activation is not None
        assert before.begin.t < after.activation < before.end.t
        assert after.begin.t == before.end.t
