# SPDX-License-Identifier: Apache-2.0
"""No alarm of a lower task takes anything from a higher one: the cell of a static alarm has its task's level.

While that level is held back, nobody can tell: whoever asks for the task finds that the alarm has expired.
"""

from __future__ import annotations

import pytest
from laboratory import AST, MPS, VIRTUAL, VIRTUAL_AST, Laboratory

from carillon.trace import Kind

BOARDS = [AST, MPS, VIRTUAL, VIRTUAL_AST]

TASKS = """
[osek.counter.C]
tick = "1ms"
[osek.task.High]
priority = 2
[osek.alarm.AHigh]
counter = "C"
activate = "High"
autostart = { at = 10, cycle = 20 }
static = true
[osek.alarm.ALow]
counter = "C"
autostart = { at = 11, cycle = 20 }
static = true
"""
BASIC = 'activate = "Low"\n[osek.task.Low]\npriority = 1\n'
WAITS = 'set_event = { task = "Low", event = "E" }\n[osek.event.E]\n[osek.task.Low]\npriority = 1\nevents = ["E"]\n'
WAITS += "autostart = true\n"
HIGH = "TASK(High) { carillon_work(WORK); TerminateTask(); }\n"
RUNS = 'TASK(Low) { carillon_work(1000); report("low", 1); TerminateTask(); }\n'
WAKES = 'TASK(Low) { for (;;) { WaitEvent(E); ClearEvent(E); carillon_work(1000); report("low", 1); } }\n'
HOOK = "void ErrorHook(StatusType error) { (void)error; }\n"
MIXED = '[task.TT]\nperiod = "20ms"\noffset = "5ms"\nwcet = "10us"\n[osek]\n'
TIME = '#include "carillon/osektime.h"\nttTASK(TT) {}\n'
VARIANTS = {
    "basic": ("", BASIC, HIGH + RUNS),
    "extended": ("", WAITS, HIGH + WAKES),
    "error hook": ('[osek]\nhooks = ["error"]\n', BASIC, HIGH + RUNS + HOOK),
    "extended status": ('[osek]\nstatus = "extended"\n', BASIC, HIGH + RUNS),
    "mixed mode": (MIXED, WAITS, TIME + HIGH + WAKES),
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_lower_tasks_alarm_takes_nothing_from_a_higher_task(lab: Laboratory, variant: str, board: str) -> None:
    head, tail, code = VARIANTS[variant]
    faster = 8 if head == MIXED and board in (AST, VIRTUAL_AST) else 1  # the round has the other clock
    code = code.replace("WORK", str(3 * faster * ticks(board)))
    length = {"rounds": 5} if head == MIXED else {"ticks": 100 * ticks(board)}
    outcome = lab.run(head + TASKS + tail, code, board, **length)
    runs = [r for r in outcome.summary.runs if r.lane.name == "High" and r.end is not None]
    assert len(runs) == 5
    for run in runs:
        assert run.preemptions == 0
        assert run.end is not None
        assert not [e for e in outcome.events(Kind.ENTER) if run.begin.n < e.n < run.end.n and e.object != "TT"]
    assert len(outcome.said("low")) >= 4


def ticks(board: str) -> int:
    """Of a millisecond, and what carillon_work needs for one."""
    return {AST: 15_625, MPS: 25_000, VIRTUAL: 1_000, VIRTUAL_AST: 15_625}[board]


LOOKS = """
[osek]
hooks = ["error"]
[osek.counter.C]
tick = "1ms"
[osek.event.E]
[osek.event.F]
[osek.task.High]
priority = 3
[osek.task.Waits]
priority = 2
events = ["E", "F"]
autostart = true
[osek.task.Basic]
priority = 1
[osek.alarm.AHigh]
counter = "C"
activate = "High"
autostart = { at = 10, cycle = 20 }
static = true
[osek.alarm.ABasic]
counter = "C"
activate = "Basic"
autostart = { at = 11, cycle = 20 }
static = true
[osek.alarm.AWaits]
counter = "C"
set_event = { task = "Waits", event = "E" }
autostart = { at = 12, cycle = 20 }
static = true
"""
LOOKING = """
TASK(High)
{
    static int turn;
    TaskStateType state; EventMaskType mask; TickType left;
    carillon_work(WORK);
    turn++;
    if (turn == 1) {
        (void)GetTaskState(Basic, &state); report("state", state);
        (void)GetTaskState(Waits, &state); report("state", state);
        (void)GetEvent(Waits, &mask); report("events", mask);
        (void)GetAlarm(ABasic, &left); report("left", left);
    } else if (turn == 2) {
        report("activate", ActivateTask(Basic));
        (void)SetEvent(Waits, F);
        (void)GetEvent(Waits, &mask); report("both", mask);
    } else if (turn == 3) {
        report("cancel", CancelAlarm(ABasic)); report("cancel", CancelAlarm(AWaits));
        (void)GetTaskState(Basic, &state); report("cancelled", state);
        (void)GetTaskState(Waits, &state); report("cancelled", state);
    }
    TerminateTask();
}
TASK(Waits)
{
    for (;;) {
        EventMaskType mask;
        WaitEvent(E | F); (void)GetEvent(Waits, &mask); report("woken", mask); ClearEvent(E | F);
    }
}
TASK(Basic) { report("basic", 1); TerminateTask(); }
void ErrorHook(StatusType error) { report("error", error); }
"""


@pytest.mark.parametrize("board", BOARDS)
def test_whoever_asks_finds_that_an_alarm_that_is_held_back_has_expired(lab: Laboratory, board: str) -> None:
    outcome = lab.run(LOOKS, LOOKING.replace("WORK", str(5 * ticks(board))), board, ticks=110 * ticks(board))
    osek = outcome.planned.allocation.osek
    assert osek is not None
    levels = {a.alarm.name: a.level for a in osek.alarms if a.level}
    carried = ["AHigh", "ABasic", "AWaits"][: 2 if board == MPS else 3]  # whose other cells nobody can read
    assert levels == {name: {"AHigh": 3, "ABasic": 1, "AWaits": 2}[name] for name in carried}
    ready, limit = 2, 4
    assert outcome.said("state") == [ready, ready]
    assert outcome.said("events") == [1]
    assert outcome.said("left") == [16]
    assert outcome.said("activate") == [limit]
    assert outcome.said("error") == [limit]
    assert outcome.said("both") == [3]
    assert outcome.said("cancel") == [0, 0]
    assert outcome.said("cancelled") == [ready, ready]
    assert outcome.said("woken") == [1, 3, 1]
    assert len(outcome.said("basic")) == 3
