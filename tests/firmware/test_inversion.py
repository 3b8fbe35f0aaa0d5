# SPDX-License-Identifier: Apache-2.0
"""No alarm of a lower task takes anything from a higher one: the cell of a static alarm has its task's level, and so has the
cell that ticks a counter whose queue wakes tasks of one level.

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
    code = code.replace("WORK", str(3 * ticks(board)))
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
    own = {"AHigh": 3} if board == MPS else {"AHigh": 3, "ABasic": 1, "AWaits": 2}  # its other free cells share a source
    assert {alarm.name: it.level for alarm, it in osek.alarms if it.task_level} == own
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


QUEUED = """
[osek.counter.Q]
tick = "1ms"
[osek.task.Begin]
priority = 5
autostart = true
[osek.alarm.ALow]
counter = "Q"
"""
BEGIN = "TASK(Begin) { (void)SetRelAlarm(ALow, 11u, 20u); TerminateTask(); }\n"


def _queued(tail: str) -> str:
    return TASKS.split("[osek.alarm.ALow]", maxsplit=1)[0] + QUEUED + tail


IN_QUEUES = [v for v in VARIANTS if v != "error hook"]  # with one, a counter's tick is above all tasks


@pytest.mark.parametrize(("variant", "board"), [*((v, AST) for v in IN_QUEUES), *(("basic", b) for b in BOARDS[1:])])
def test_a_queue_of_lower_tasks_takes_nothing_from_a_higher_task(lab: Laboratory, variant: str, board: str) -> None:
    head, tail, code = VARIANTS[variant]
    code = code.replace("WORK", str(3 * ticks(board))) + BEGIN
    length = {"rounds": 5} if head == MIXED else {"ticks": 100 * ticks(board)}
    outcome = lab.run(head + _queued(tail), code, board, **length)
    osek = outcome.planned.allocation.osek
    assert osek is not None
    assert [c.task_level for c in osek.counters] == [1]
    runs = [r for r in outcome.summary.runs if r.lane.name == "High" and r.end is not None]
    assert len(runs) == 5
    for run in runs:
        assert run.end is not None
        assert not [e for e in outcome.events(Kind.ENTER) if run.begin.n < e.n < run.end.n and e.object != "TT"]
    assert len(outcome.said("low")) >= 4


LOOKS_QUEUED = """
[osek.counter.C]
tick = "1ms"
[osek.counter.Q]
tick = "1ms"
[osek.task.Begin]
priority = 5
autostart = true
[osek.task.High]
priority = 3
[osek.task.Low]
priority = 1
[osek.alarm.AHigh]
counter = "C"
activate = "High"
autostart = { at = 10, cycle = 20 }
static = true
[osek.alarm.ALow]
counter = "Q"
activate = "Low"
[osek.alarm.AOnce]
counter = "Q"
activate = "Low"
"""
LOOKING_QUEUED = """
TASK(Begin) { (void)SetRelAlarm(ALow, 11u, 20u); TerminateTask(); }
TASK(High)
{
    static int turn;
    TaskStateType state; TickType left;
    turn++;
    if (turn == 1) {
        carillon_work(WORK);
        (void)GetTaskState(Low, &state); report("state", state);
        (void)GetAlarm(ALow, &left); report("left", left);
    } else if (turn == 2) {
        carillon_work(WORK);
        report("activate", ActivateTask(Low));
    } else if (turn == 3) {
        report("once", SetRelAlarm(AOnce, 2u, 0u));
        carillon_work(WORK);
        report("once", GetAlarm(AOnce, &left)); report("once", CancelAlarm(AOnce));
        report("cancel", CancelAlarm(ALow));
        (void)GetTaskState(Low, &state); report("state", state);
    } else if (turn == 4) {
        (void)SetRelAlarm(ALow, 1u, 1u);
    } else if (turn == 5) {
        (void)CancelAlarm(ALow);
    }
    TerminateTask();
}
"""
LOW = 'TASK(Low) { static int n; n++; report("low", n); if (n > 3) { carillon_work(MORE); } END }\n'
ENDS = {
    "direct": ("", LOW.replace("END", "TerminateTask();")),
    "from within": ("", "static void end(void) { TerminateTask(); }\n" + LOW.replace("END", "end();")),
    "by the function": ("", "#undef ActivateTask\n" + LOW.replace("END", "TerminateTask();")),
    "managed": ('[osek]\nstatus = "extended"\n', LOW.replace("END", "TerminateTask();")),
}


UPPER = """
[osek.task.Upper]
priority = 4
[osek.alarm.AUpper]
counter = "Q"
activate = "Upper"
autostart = { at = 1, cycle = 1 }
"""
OTHER = '[osek.counter.Other{k}]\ntick = "1s"\n[osek.alarm.Once{k}]\ncounter = "Other{k}"\ncallback = "nothing"\n'
CALLED = "TASK(Upper) { TerminateTask(); }\nALARMCALLBACK(nothing) { }\n"
CARRIERS = {"alone": (), "on a cell": (True,), "requested": (False,)}
"""How the part for Low is carried: the counter's own cell, or another one, or none."""
FREE = {AST: 6, VIRTUAL_AST: 6, MPS: 1}
"""Cells that are left beside those of the counter, the time base and AHigh."""


@pytest.mark.parametrize(
    ("variant", "carrier", "board"),
    [
        *((v, "alone", AST) for v in ENDS),
        *(("direct", "alone", b) for b in BOARDS[1:]),
        *(("direct", "on a cell", b) for b in BOARDS if b != MPS),
        *(("direct", "requested", b) for b in FREE),
        ("managed", "requested", AST),
    ],
)
def test_whoever_asks_finds_that_an_alarm_in_a_queue_that_is_held_back_has_expired(
    lab: Laboratory, variant: str, carrier: str, board: str
) -> None:
    head, low = ENDS[variant]
    code = (low + LOOKING_QUEUED).replace("WORK", str(5 * ticks(board))).replace("MORE", str(5 * ticks(board) // 2))
    schedule = head + LOOKS_QUEUED
    if carrier != "alone":
        schedule, code = schedule + UPPER, code + CALLED
    if carrier == "requested":
        schedule += "".join(OTHER.format(k=k) for k in range(FREE[board]))
    outcome = lab.run(schedule, code, board, ticks=105 * ticks(board))
    osek = outcome.planned.allocation.osek
    assert osek is not None
    parts = [p for p in osek.counters if p.demand.name == "Q"]
    assert [p.task_level for p in parts] == [3, 1] if carrier != "alone" else [1]
    assert tuple(bool(p.cells) for p in parts[1:]) == CARRIERS[carrier]
    ready, limit, no_function = 2, 4, 5
    assert outcome.said("state") == [ready, ready]
    assert outcome.said("left") == [16]
    assert outcome.said("activate") == [limit]
    assert outcome.said("once") == [0, no_function, no_function]
    assert outcome.said("cancel") == [0]
    # From 71 ms on, one run of 2.5 ms swallows two expiries, and the next begins with the third.
    starts = [run.begin.t // ticks(board) for run in outcome.summary.runs if run.lane.name == "Low"]
    assert starts == [15, 35, 55, *range(71, 90, 3)]
