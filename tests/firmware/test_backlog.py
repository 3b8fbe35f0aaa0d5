# SPDX-License-Identifier: Apache-2.0
"""Alarms that are far behind after a long lock: between two ticks' calls others are let in, and nothing is lost."""

from __future__ import annotations

import re

import pytest
from laboratory import AST, MPS, Laboratory

from bench.papers.clocks import handlers
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan

BATCHES = 8  # CARILLON_CLOCK_BATCHES
ALARMS, PERIOD, LOCK = 10, 4, 60  # periods and lock in thousands of instructions or cycles
SCHEDULE = """
[osek]
status = "extended"
[osek.isr.Urgent]
source = "soft0"
priority = 9
[time]
clock = "{clock}"
[thread.Main]
priority = 5
"""
CODE = f"""
#include "carillon/osek.h"
#include "carillon/time.h"
#include "carillon/console.h"
#include "carillon/work.h"
static volatile uint32_t calls, at_call;
static volatile carillon_time asked, came;
static void on_alarm(void)
{{
    if (++calls == {ALARMS + 1}u) {{ /* the second tick's first: behind by nearly the whole lock */
        asked = carillon_now();
        carillon_port_pend(CARILLON_ISR_SOURCE_Urgent);
    }}
}}
ISR(Urgent)
{{
    came = carillon_now();
    at_call = calls;
}}
static void brief(void)
{{
}}
static struct carillon_alarm fast = CARILLON_ALARM_OF_FUNCTION(brief);
static struct carillon_alarm alarms[{ALARMS}] = {{[0 ... {ALARMS - 1}] = CARILLON_ALARM_OF_FUNCTION(on_alarm)}};
THREAD(Main)
{{
    for (unsigned i = 0; i < {ALARMS}u; i++) {{
        (void)carillon_alarm_start(&alarms[i], {PERIOD * 1000}u * K, CARILLON_INFINITE);
    }}
    (void)carillon_delay({PERIOD * 1500}u * K);
    calls = 0;
    const carillon_time begin = carillon_now();
    SuspendAllInterrupts();
    carillon_work({LOCK * 1000}u * K);
    ResumeAllInterrupts();
    (void)carillon_delay({LOCK * 3000}u * K);
    const carillon_time passed = (carillon_time)(carillon_now() - begin);
    carillon_say("calls", calls);
    carillon_say("due", (uint32_t)passed / ({PERIOD * 1000}u * K) * {ALARMS}u);
    carillon_say("let in at", at_call);
    carillon_say("late", (uint32_t)(carillon_time)(came - asked));
    calls = 0;
    carillon_say("shortest", carillon_alarm_start(&fast, CARILLON_SHORTEST_PERIOD, CARILLON_INFINITE));
    (void)carillon_alarm_stop(&fast);
    if (CARILLON_SHORTEST_PERIOD > 1u) {{
        carillon_say("shorter", carillon_alarm_start(&fast, CARILLON_SHORTEST_PERIOD - 1u, CARILLON_INFINITE));
        carillon_say("changed", carillon_alarm_change(&alarms[0], CARILLON_SHORTEST_PERIOD - 1u));
        static struct carillon_period tiny = {{CARILLON_SHORTEST_PERIOD - 1u, 1u, 2u, 0u}};
        carillon_say("exact", carillon_alarm_start_exact(&fast, &tiny, CARILLON_INFINITE));
        carillon_say("once", carillon_alarm_start(&fast, CARILLON_SHORTEST_PERIOD - 1u, 1u));
    }}
    carillon_say("end", 0);
}}
"""


@pytest.mark.parametrize(
    ("board", "clock"), [(AST, "one-shot"), (MPS, "one-shot"), ("atmega128", "one-shot"), ("atmega128", "compare")]
)
def test_an_isr_comes_between_the_calls_of_a_backlog(lab: Laboratory, board: str, clock: str) -> None:
    schedule = SCHEDULE.format(clock=clock)
    scale = 5 if board == "atmega128" else 1
    outcome = lab.run(schedule, f"#define K {scale}u\n{CODE}", board, ticks=(LOCK * 5 + 40) * 1000 * scale)
    said = {name: int(value) for name, value in re.findall(r"^([a-z ]+) (\d+)$", outcome.trace.output, re.MULTILINE)}
    assert "end" in said, outcome.trace.output
    assert said["let in at"] <= ALARMS + BATCHES + 1  # each alarm's calls are due in a tick of their own
    assert abs(said["calls"] - said["due"]) <= ALARMS
    assert said["shortest"] == 0
    assert (said["shorter"], said["changed"], said["exact"], said["once"]) == (8, 8, 8, 0)


LOCKED = """
#include "carillon/osek.h"
#include "carillon/time.h"
#include "carillon/work.h"
TASK(A) {{ TerminateTask(); }}
TASK(B) {{ TerminateTask(); }}
static struct carillon_alarm a = CARILLON_ALARM_OF_TASK(A), b = CARILLON_ALARM_OF_TASK(B);
THREAD(Waits)
{{
    carillon_time next = carillon_now();
    for (;;) {{
        (void)carillon_delay_until(&next, {waits});
    }}
}}
THREAD(Main)
{{
    (void)carillon_alarm_start(&a, {a}, CARILLON_INFINITE);
    (void)carillon_alarm_start(&b, {b}, CARILLON_INFINITE);
    for (;;) {{
        (void)carillon_delay({apart});
        SuspendOSInterrupts();
        carillon_work({lock});
        ResumeOSInterrupts();
    }}
}}
"""
KINDS = [
    (AST, "one-shot"),
    (MPS, "one-shot"),
    ("atmega128", "one-shot"),
    ("atmega128", "compare"),
    (AST, "periodic"),
    (MPS, "periodic"),
]


@pytest.mark.parametrize(("board", "clock"), KINDS)
def test_the_clocks_handler_holds_interrupts_back_for_what_the_plan_says(lab: Laboratory, board: str, clock: str) -> None:
    """After locks of some thirty periods.  The delay of the thread that locks is declared, too: the lock's length at least."""
    k = 4 if board == "atmega128" else 1
    tick = 1000 if clock == "periodic" else 1
    a, b, waits, lock = 4000 * k, 5000 * k, 6000 * k, 120_000 * k
    keys = f'tick = "{tick} ticks"\nlongest_lock = "{lock + 4000 * k} ticks"\n' if clock == "periodic" else ""
    periods = ", ".join(f'"{n} ticks"' for n in (a, b, lock))
    schedule = f'[time]\nclock = "{clock}"\n{keys}periods = [{periods}]\n[thread.Main]\npriority = 9\n'
    schedule += (
        f'[thread.Waits]\npriority = 8\nperiod = "{waits} ticks"\n[osek.task.A]\npriority = 1\n[osek.task.B]\npriority = 2\n'
    )
    code = LOCKED.format(a=a // tick, b=b // tick, waits=waits // tick, apart=lock // tick, lock=lock)
    planned = plan(lab.write(schedule, code), Diagnostics(), board)
    bound = planned.allocation.osek.clock.locked(planned.system)
    found = handlers(planned, planned.system.file.parent / f"build-{board}", 12 * lock, Diagnostics())
    longest = max(handler.length for handler in found)
    print(f"{board} {clock}: {longest} of {bound}")
    assert bound / 8 <= longest <= bound


@pytest.mark.parametrize(("wcet", "more"), [("", None), ('wcet = "40000 ticks"', 10)])
def test_the_bound_beneath_rounds_has_what_their_tasks_hold_back(lab: Laboratory, wcet: str, more: int | None) -> None:
    """A period of 4000 ticks expires ten times more while a round's task runs; if nobody knows for how long, nothing is said."""
    time = '[time]\nclock = "periodic"\ntick = "1000 ticks"\nlongest_lock = "2000 ticks"\nperiods = ["4000 ticks"]\n'
    alone = plan(lab.write(f"{time}[thread.Main]\npriority = 1\n", ""), Diagnostics(), AST)
    rounds = f'[task.Long]\nperiod = "100000 ticks"\n{wcet}\n'
    beneath = plan(lab.write(f"{time}[thread.Main]\npriority = 1\n{rounds}", ""), Diagnostics(), AST)
    clocks = [it.allocation.osek.clock for it in (alone, beneath)]
    assert clocks[0].based
    bound, other = (clock.locked(it.system) for clock, it in zip(clocks, (alone, beneath), strict=True))
    costs = alone.system.board.costs[clocks[0].services.clock].based
    assert other == (None if more is None else bound + more * (costs.serving + costs.alarm))
