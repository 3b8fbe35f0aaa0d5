# SPDX-License-Identifier: Apache-2.0
"""What a run shows as blocking is when a task that cannot be preempted holds a more urgent one back, and no other wait."""

from __future__ import annotations

import pytest
from laboratory import AST, VIRTUAL, Laboratory

from carillon.groups import grouped
from carillon.pipeline import releases
from carillon.show.scene import panel_of

CODE = """#define US(n) ((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * (n) / 1000000u))
TASK(High) { carillon_work(US(200u)); TerminateTask(); }
TASK(Equal) { carillon_work(US(200u)); TerminateTask(); }
TASK(Low) { carillon_work(US(3500u)); TerminateTask(); }
"""
SCHEDULE = """
[osek]
[osek.task.High]
priority = 3
[osek.task.Equal]
priority = 3
[osek.task.Low]
priority = 1
schedule = "non"
[osek.counter.K]
tick = "1ms"
[osek.alarm.L]
counter = "K"
activate = "Low"
autostart = { at = 3, cycle = 20 }
[osek.alarm.H]
counter = "K"
activate = ["High", "Equal"]
autostart = { at = 5, cycle = 20 }
"""


@pytest.mark.parametrize(("board", "ticks"), [(VIRTUAL, 65_000), (AST, 65 * 15_625)])
def test_a_task_that_is_not_preemptable_blocks_urgent_ones_and_equals_do_not(lab: Laboratory, board: str, ticks: int) -> None:
    outcome = lab.run(SCHEDULE, CODE, board, ticks=ticks)
    panel = panel_of(outcome.trace, releases(outcome.planned.system, outcome.trace))
    assert sorted(sorted(names) for names in outcome.trace.equals) == [["Equal", "High"]]
    assert len(panel.summary.runs) >= 9
    millisecond = outcome.planned.system.clock_hz // 1000 * panel.scale
    found = {lane.name: intervals for lane, intervals in panel.blocked.items() if intervals}
    assert set(found) == {"High", "Equal"}
    for intervals in found.values():
        jobs = grouped((owner, (begin, end)) for begin, end, owner in intervals)  # interrupts of the clock cut them
        for parts in jobs.values():  # from 5 ms, when they are activated, to the end of Low, which began at 3 ms
            assert (parts[0][0] // millisecond) % 20 == 5
            assert 1.4 < sum(end - begin for begin, end in parts) / millisecond < 1.7
