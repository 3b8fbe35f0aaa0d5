# SPDX-License-Identifier: Apache-2.0
"""ARMv8-M: what runs on a Cortex-M3 (``mps2-an385``) runs alike on a Cortex-M33 in the secure state (``mps2-an505``).

``armv8m/non-secure`` is that board with a start-up code which leaves the processor, the timers and the memory to the non-secure
state before the image begins.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from laboratory import AN505, MPS, ROOT, Laboratory, Outcome, declared, points, task, works

from carillon.model.board import Role
from carillon.trace import Kind

NON_SECURE = str(Path(__file__).parent / "armv8m" / "non-secure")
BOARDS = (MPS, AN505, NON_SECURE)


def starts(outcome: Outcome) -> list[tuple[int, str]]:
    """The expiries of cells, with the tick."""
    return [(e.t, e.object) for e in outcome.events(Kind.EXPIRY)]


SAME = {
    "budget": 20,
    "deadline-miss": 20,
    "osek-blinky": 2,
    "producer-consumer": 20,
    "schedule-tables": 20,
}


def told(lab: Laboratory, example: str, board: str, ticks: int) -> tuple[str, list[str]]:
    outcome = lab.run_file(ROOT / "examples" / example / "schedule.toml", board, ticks=ticks)
    assert outcome.firmware.verified is not None
    assert outcome.events(Kind.START)
    return outcome.trace.output, outcome.story(Kind.START)


@pytest.mark.parametrize(("example", "part"), SAME.items())
def test_an_example_is_verified_and_does_the_same(lab: Laboratory, example: str, part: int) -> None:
    """For a ``part`` of a second."""
    said, begun = told(lab, example, MPS, 25_000_000 // part)
    also_said, also_begun = told(lab, example, AN505, 20_000_000 // part)
    assert said == also_said
    assert abs(len(begun) - len(also_begun)) <= 1, "what is due at the end may be cut off"
    assert all(one == other for one, other in zip(begun, also_begun, strict=False))


def test_an_example_whose_tasks_work_for_ticks_does_the_same_in_as_many(lab: Laboratory) -> None:
    assert told(lab, "priority-inversion", MPS, 500_000) == told(lab, "priority-inversion", AN505, 500_000)


def test_an_event_triggered_system_runs_beneath_rounds(lab: Laboratory) -> None:
    said, begun = told(lab, "mixed-mode", AN505, 2_000_000)
    assert {"start Current", "start Position", "start Heartbeat"} <= set(begun)
    assert "angle" in said


def test_the_starts_of_a_round_are_on_the_same_ticks_and_have_no_jitter(lab: Laboratory) -> None:
    schedule = declared(A=300, B=300, C=300) + points(12_000, (0, "A"), (2500, "B"), (7001, "C"))
    ticks, delays = [], []
    for board in BOARDS:
        outcome = lab.run(schedule, works(A=40, B=40, C=40), board, rounds=50)
        ticks.append(starts(outcome))
        assert all(len(outcome.delays(name)) == 1 for name in "ABC"), "every start is as late as the others"
        delays.append([outcome.delays(name) for name in "ABC"])
    assert ticks[0] == ticks[1] == ticks[2]
    assert len(ticks[0]) == 150
    assert delays[0] == delays[1] == delays[2], "in instructions"


def test_modes_are_switched_on_the_same_ticks(lab: Laboratory) -> None:
    first = points(4000, (200, "One"), (1000, "Chooser"), mode="first", window="wcet")
    second = points(6000, (300, "Two"), (1500, "Chooser"), mode="second", window="wcet")
    code = task("Chooser", "(void)ttSwitchAppMode(1u - ttGetActiveApplicationMode());") + works(One=20, Two=20)
    schedule = declared(One=40, Two=40, Chooser=100) + first + second
    ticks = [starts(lab.run(schedule, code, board, ticks=200_000)) for board in BOARDS]
    assert ticks[0] == ticks[1] == ticks[2]
    assert {name for _, name in ticks[0]} >= {"One", "Two", "Chooser"}
    assert len(ticks[0]) > 60


FAST = [(at, "Fast") for at in range(0, 80_000, 5000)]
SLOW = [(at, "Slow") for at in (4600, 10500, 14500, 20400, 24700, 30300, 39700, 45100, 54600, 60500, 69400)]


def test_a_lowered_task_is_preempted_and_its_handler_ends(lab: Laboratory) -> None:
    """EXC_RETURN, which the port makes up: to thread mode here."""
    schedule = declared(Fast=700, Slow=1800) + points(80_000, *sorted(FAST + SLOW), window="wcet")
    told = []
    for board in BOARDS:
        outcome = lab.run(schedule, works(Fast=600, Slow=1600), board, rounds=10)
        assert any(carrier.lowered for name in ("Fast", "Slow") for carrier in outcome.carriers(Role.ACTIVATION, name))
        assert outcome.task("Slow").preemptions + outcome.task("Fast").preemptions > 10
        told.append(outcome.story(Kind.START))
    assert told[0] == told[1] == told[2]


THREADS = """
[time]
clock = "one-shot"
slice = "5000 ticks"
[thread.High]
priority = 5
[thread.Low]
priority = 3
[thread.Other]
priority = 3
"""
THREAD_CODE = """
#include "carillon/time.h"
THREAD(High) { for (;;) { (void)carillon_delay(9000u); report("high", 1); } }
THREAD(Low) { for (;;) { carillon_work(700); } }
THREAD(Other) { for (;;) { carillon_work(700); } }
"""


def test_threads_wait_and_take_turns_alike(lab: Laboratory) -> None:
    told = []
    for board in (MPS, AN505):
        outcome = lab.run(THREADS, THREAD_CODE, board, ticks=200_000)
        told.append((outcome.said("high"), outcome.story(Kind.START)))
    assert told[0] == told[1]
    assert len(told[0][0]) > 20


STATE = """
#define LOOK(name, code) do { uint32_t value; __asm__ volatile(code : "=r"(value)); report(name, value); } while (0)
ttTASK(A)
{
    volatile uint8_t *const priority = (volatile uint8_t *)UINT32_C(0xE000E430);
    *priority = 0xFFu;
    report("priority", *priority);
    report("table", *(volatile uint32_t *)UINT32_C(0xE000ED08));
    LOOK("main limit", "mrs %0, msplim");
    LOOK("process limit", "mrs %0, psplim");
    LOOK("return", "mov %0, lr");
    LOOK("state", "tt %0, sp");
}
"""


def test_the_processor_is_in_the_secure_state_out_of_reset(lab: Laboratory) -> None:
    code = STATE.replace(" limit", "_limit")
    outcome = lab.run(declared(A=5000) + points(20_000, (0, "A")), '#include "report.h"\n' + code, AN505)
    said = dict(outcome.reported)
    assert said["priority"] == 0xFF, "QEMU has all eight bits, of which the board uses three"
    assert said["table"] == 0x1000_0000
    assert said["main_limit"] == said["process_limit"] == 0
    assert said["state"] & 1 << 22, "the stack is secure"
