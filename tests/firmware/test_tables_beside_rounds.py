# SPDX-License-Identifier: Apache-2.0
"""Schedule tables on cells beside a round: the round waits for no service of theirs, and a start that it disturbs is exact.

The whole of section IV of Sloth on Time stands in one image: activations, deadlines, an execution budget, a sync point and a
schedule table on cells.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from laboratory import AST, TC, VIRTUAL, Laboratory, Outcome

from carillon.diagnostics import Diagnostics
from carillon.run import run as run_firmware
from carillon.run.hardware import Hardware
from carillon.trace import Kind
from sample import turn

RTL = "cv32e40x-rtl"
TICK = 500
"""Of the table's counter, in cycles."""
STARTS = 1_500
HELD = 13
"""In cycles: for so long the end of an event-triggered task's handler, with interrupts off, holds back what comes meanwhile."""


WATCHED = """
#include "kernel/contract/osek.h"
#include "carillon_base.h"

/* What has passed, modulo the counter's tick, when the table's first cell expires; and what the base has read. */
static uint32_t phase(uint32_t *left)
{
    uint32_t count;
    do {
        *left = carillon_port_read(CARILLON_BASE_COUNTER);
        count = carillon_port_read(carillon_osek_tables_on_cells[Table]->shifts[0].counter);
    } while ((*left - carillon_port_read(CARILLON_BASE_COUNTER)) > 25u);
    return ((CARILLON_BASE_PERIOD - *left) + count) % TICK;
}

TASK(Main)
{
    uint32_t wrong = 0u;
    uint32_t disturbed = 0u;
    uint32_t other = 0u;
    uint32_t expected = 0u;
    uint32_t quickest = UINT32_MAX;
    for (uint32_t k = 0u; k != STARTS; k++) {
        const uint32_t before = carillon_port_read(CARILLON_BASE_COUNTER);
        StartScheduleTableRel(Table, 5u + (k & 3u));
        const uint32_t took = before - carillon_port_read(CARILLON_BASE_COUNTER);
        uint32_t left;
        const uint32_t is = phase(&left);
        StopScheduleTable(Table);
        quickest = (took < quickest) ? took : quickest;
        disturbed += (took > quickest) ? 1u : 0u;
        expected = (k == 0u) ? is : expected;
        wrong += (is != expected) ? 1u : 0u;
        other = (is != expected) ? is : other;
        for (uint32_t wait = k % 7u; wait != 0u; wait--) {
            __asm__ volatile("");
        }
    }
    report("expected", expected);
    report("wrong", wrong);
    report("other", other);
    report("disturbed", disturbed);
    TerminateTask();
}
TASK(Logger)
{
    TerminateTask();
}
"""


def _round(chance: random.Random) -> tuple[str, str]:
    """A dense round, a tick of which is a cycle: tasks that are their vectors' functions, so far apart that none is preempted."""
    places, at = [], chance.randrange(20, 60)
    for _ in range(chance.randint(5, 9)):
        places.append(at)
        at += chance.randrange(231, 290)
    tasks = "".join(f'[task.P{k}]\nwcet = "20 ticks"\n' for k in range(len(places)))
    points = "".join(f'    {{ at = "{at} ticks", activate = "P{k}" }},\n' for k, at in enumerate(places))
    code = "".join(f"ttTASK(P{k})\n{{\n}}\n" for k in range(len(places)))
    return f'{tasks}[mode.m]\nround = "{at + chance.randrange(1, 40)} ticks"\nwindow = "wcet"\npoints = [\n{points}]\n', code


TABLE = f"""
[osek]
[osek.task.Main]
priority = 1
autostart = true
[osek.task.Logger]
priority = 2
[osek.counter.Clock]
tick = "{TICK} ticks"
max_allowed = 999
[osek.schedule_table.Table]
counter = "Clock"
duration = 20
repeating = true
cells = true
point = [{{ offset = 4, activate = ["Logger"] }}, {{ offset = 9, activate = ["Logger"] }}]
"""


@pytest.mark.parametrize("waits", [0, 2])
def test_a_start_that_a_round_disturbs_is_exact(lab: Laboratory, waits: int) -> None:
    """With wait states a handler of the round may come between the two accesses that read the time and start the cells."""
    schedule, code = _round(random.Random(turn("beside", 10**6)))
    code += WATCHED.replace("STARTS", f"{STARTS}u").replace("TICK", f"{TICK}u")
    path = lab.write(TABLE + schedule, code)
    planned, firmware = lab.firmware(path, RTL)
    trace = run_firmware(planned.image, firmware, 900 * STARTS, Diagnostics(), hardware=Hardware(waits))
    assert trace is not None
    outcome = Outcome(planned, firmware, trace)
    assert outcome.said("wrong") == [0], outcome.reported
    assert outcome.said("disturbed")[0] > STARTS // 20
    for name in (task.name for task in planned.system.tasks if not waits):
        delays = outcome.delays(name)
        assert max(delays) - min(delays) <= HELD, f"{name} begins after {sorted(delays)} cycles"


SECTION_IV = """
[sync]
lengthen = "20us"
shorten = "20us"
[osek]
[osek.task.Log]
priority = 1
[osek.task.Net]
priority = 2
[osek.counter.Clock]
tick = "100us"
max_allowed = 999
[osek.schedule_table.Beneath]
counter = "Clock"
duration = 60
repeating = true
cells = true
autostart = { at = 3 }
point = [
    { offset = 1, activate = ["Log"] },
    { offset = 21, activate = ["Net"] },
    { offset = 41, activate = ["Net"] },
]
[task.Motor]
wcet = "300us"
budget = "400us"
[task.Valve]
wcet = "200us"
[mode.m]
round = "10ms"
points = [
    { at = "1ms", activate = "Motor", deadline_at = "2ms" },
    { at = "4ms", activate = "Valve", deadline_at = "5ms" },
]
"""
TASKS = """
ttTASK(Motor)
{
}
ttTASK(Valve)
{
}
TASK(Log)
{
    TerminateTask();
}
TASK(Net)
{
    TerminateTask();
}
"""


@pytest.mark.parametrize("board", [TC, VIRTUAL, RTL])
def test_section_iv_is_one_image(lab: Laboratory, board: str) -> None:
    outcome = lab.run(SECTION_IV, TASKS, board, rounds=6)
    tick = outcome.planned.system.clock_hz // 10_000
    turns = range(outcome.trace.length // (60 * tick) + 1)
    dispatch = 600 if board == RTL else 0  # in cycles, and for what is before the round's begin
    for name, offsets in (("Log", [1]), ("Net", [21, 41])):
        due = [(3 + 60 * turn + offset) * tick for turn in turns for offset in offsets]
        begins = outcome.at(Kind.START, name)
        assert len(begins) == len([t for t in due if t < outcome.trace.length])
        assert all(abs(begin - t) <= dispatch for begin, t in zip(begins, due, strict=False))
        assert len({begin - t for begin, t in zip(begins, due, strict=False)}) <= (4 if dispatch else 1)
    for name, delay in (("Motor", 104), ("Valve", 49)):
        assert outcome.delays(name) == {delay if board == RTL else 0}
    assert outcome.summary.totals.deadlines_met == 12
    assert not outcome.summary.totals.deadlines_missed
    assert not outcome.summary.totals.budget_overruns


BUDGETS = """
[osek]
hooks = ["protection"]
[osek.task.Low]
priority = 1
budget = "{budget} ticks"
[osek.task.High]
priority = 2
budget = "{budget} ticks"
[osek.counter.Clock]
tick = "{tick} ticks"
max_allowed = 999
[osek.schedule_table.Often]
counter = "Clock"
duration = 20
repeating = true
cells = true
point = [{{ offset = 7, activate = ["High"] }}]
[osek.schedule_table.Table]
counter = "Clock"
duration = 10
repeating = true
cells = true
autostart = {{ at = 1 }}
point = [{{ offset = 0, activate = ["Low"] }}, {{ offset = 3, activate = ["High"] }}]
"""
STRUCK = """
static uint32_t over, turns;
ProtectionReturnType ProtectionHook(StatusType error)
{
    over += (error == E_OS_PROTECTION_TIME) ? 1u : 1000u;
    return PRO_TERMINATETASKISR;
}
TASK(Low)
{
    for (uint32_t k = turns++;; k++) {
        StartScheduleTableRel(Often, 5u + (k & 1u));
        carillon_port_delay(20u + (k % 7u));
        StopScheduleTable(Often);
    }
}
TASK(High)
{
    report("over", over);
    TerminateTask();
}
"""


@pytest.mark.parametrize(("board", "tick", "budget"), [(AST, 4_000, 9_000), (RTL, 12_000, 30_000)])
def test_a_budget_ends_a_task_that_starts_and_stops_tables(lab: Laboratory, board: str, tick: int, budget: int) -> None:
    """The task is struck in every part of these services, and ended at their ends; tables go on as they were started."""
    outcome = lab.run(BUDGETS.format(tick=tick, budget=budget), STRUCK, board, ticks=200 * tick)
    runs = [run for run in outcome.summary.runs if run.lane.name == "Low" and run.end is not None]
    most = 1.02 * budget * outcome.per_tick + 400  # a service, and what preempts it in its first and last instructions
    assert len(runs) > 15
    assert all(budget * outcome.per_tick - 400 <= run.executed <= most for run in runs), [run.executed for run in runs]
    begins = outcome.at(Kind.START, "High")
    periods = {round((b - a) / outcome.per_tick / tick, 1) for a, b in pairwise(begins[1:])}
    assert periods == {10.0}, periods
    assert outcome.said("over")[-1] >= len(runs) - 1
    assert outcome.said("over")[-1] < 1000
