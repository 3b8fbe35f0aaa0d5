# SPDX-License-Identifier: Apache-2.0
"""A cell that expires while the task runs whose vector it is: the end takes the request back, or does not look."""

from __future__ import annotations

import pytest
from laboratory import AST, VIRTUAL, VIRTUAL_AST, Laboratory

TICKS = {AST: 15_625, VIRTUAL: 1_000, VIRTUAL_AST: 15_625}
"""Of a millisecond, and what carillon_work needs for one."""

ALARM = """
[osek.alarm.A]
counter = "C"
activate = "T"
autostart = { at = 1, cycle = 2 }
static = true
"""
TABLE = """
[osek.schedule_table.S]
counter = "C"
duration = 2
repeating = true
cells = true
autostart = { at = 1 }
[[osek.schedule_table.S.point]]
offset = 0
activate = ["T"]
"""
CODE = """
static uint32_t runs;
static void ends(void) { TerminateTask(); }
TASK(T)
{
    runs++;
    report("run", runs);
    if (runs == 3u) { carillon_work(LONG); }
    if (WITHIN) { ends(); }
    TerminateTask();
}
"""


@pytest.mark.parametrize("within", [0, 1], ids=["at its end", "within a function"])
@pytest.mark.parametrize("what", [ALARM, TABLE], ids=["alarm", "table"])
@pytest.mark.parametrize("board", TICKS)
def test_an_expiry_during_a_run_is_taken_back_or_comes_late(lab: Laboratory, board: str, what: str, within: int) -> None:
    code = CODE.replace("LONG", str(3 * TICKS[board])).replace("WITHIN", str(within))
    if within == 0:
        code = code.replace("static void ends(void) { TerminateTask(); }\n", "").replace("    if (0) { ends(); }\n", "")
    runs = {}
    for overrun in ("guarded", "never"):
        schedule = (
            f'[osek.counter.C]\ntick = "1ms"\nmax_allowed = 1023\n{what}[osek.task.T]\npriority = 1\noverrun = "{overrun}"\n'
        )
        outcome = lab.run(schedule, code, board, ticks=20 * TICKS[board])
        runs[overrun] = [run.begin.n * 2 // TICKS[board] for run in outcome.summary.runs if run.lane.name == "T"]
    # In half milliseconds: the third run lasts from 5 ms to 8 ms, and the cell expires at 7 ms.
    assert runs["guarded"] == [2, 6, 10, 18, 22, 26, 30, 34, 38]
    assert runs["never"] == [2, 6, 10, 16, 18, 22, 26, 30, 34, 38]
