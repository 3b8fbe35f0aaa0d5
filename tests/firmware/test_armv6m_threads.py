# SPDX-License-Identifier: Apache-2.0
"""ARMv6-M, threads dispatched by the interrupt controller: an interrupt comes in each instruction of a service."""

from __future__ import annotations

import pytest
from laboratory import Laboratory

from runnable import NODE

SCHEDULE = """
[osek.isr.Alarm]
source = "ALARM1"
priority = 1
category = 2
[time]
clock = "compare"
[thread.Main]
priority = 2
[thread.Low]
priority = 1
"""
CODE = """
#include "carillon/osek.h"
#include "carillon/time.h"

#define TIMER(offset) CARILLON_REGISTER(0x40054000u + (offset))

static struct carillon_semaphore main_may = CARILLON_SEMAPHORE(0), low_may = CARILLON_SEMAPHORE(0);
static volatile uint32_t way, interrupts, low_ran;

ISR(Alarm)
{
    TIMER(0x34u) = 2u;
    interrupts++;
    if (way != 1u) {
        (void)carillon_semaphore_v(&main_may);
    }
    if (way != 0u) {
        (void)carillon_semaphore_v(&low_may);
    }
}

static StatusType service(void)
{
    carillon_time from = carillon_now();
    switch (way) {
    case 0u:
        return carillon_semaphore_p_within(&main_may, 40u);
    case 1u:
        return carillon_delay_until(&from, 30u);
    case 2u:
        SuspendAllInterrupts();
        carillon_port_delay(20u);
        ResumeAllInterrupts();
        return carillon_semaphore_p(&main_may);
    default:
        SuspendOSInterrupts();
        carillon_port_delay(20u);
        ResumeOSInterrupts();
        return carillon_semaphore_p(&main_may);
    }
}

THREAD(Main)
{
    TIMER(0x38u) |= 2u;
    for (way = 0u; way < 4u; way++) {
        uint32_t wrong = 0u;
        for (uint32_t instructions = 9u; instructions < 450u; instructions++) {
            const uint32_t before = low_ran;
            const uint32_t tick = TIMER(0x28u);
            while (TIMER(0x28u) == tick) {
            }
            TIMER(0x14u) = tick + 4u;
            carillon_port_delay(instructions);
            wrong += (service() != E_OK) ? 1u : 0u;
            (void)carillon_delay(60u);
            wrong += ((low_ran - before) != (way != 0u)) ? 1u : 0u;
        }
        report("way", way);
        report("interrupts", interrupts);
        report("wrong", wrong);
    }
    for (;;) {
        (void)carillon_delay(1000u);
    }
}

THREAD(Low)
{
    for (;;) {
        (void)carillon_semaphore_p(&low_may);
        low_ran++;
        carillon_port_delay(500u);
    }
}
"""


@pytest.mark.long
@NODE
def test_no_wake_is_lost_whatever_instruction_of_a_service_an_interrupt_comes_in(lab: Laboratory) -> None:
    system = 'reserve = ["ALARM1"]\n'
    outcome = lab.run(SCHEDULE, CODE, "raspberry-pi-pico", system=system, ticks=200_000)
    osek = outcome.planned.allocation.osek
    assert osek is not None
    assert not osek.software
    assert outcome.reported == [
        said for way in range(4) for said in (("way", way), ("interrupts", 441 * (way + 1)), ("wrong", 0))
    ]


@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("board", ["microbit", pytest.param("raspberry-pi-pico", marks=NODE)])
def test_a_handler_gives_back_the_mask_of_a_resource_that_some_levels_use(lab: Laboratory, board: str, internal: bool) -> None:
    tasks = "".join(f"[osek.task.{name}]\npriority = {k}\n" for k, name in enumerate(("Low", "Middle", "High"), 1))
    schedule = tasks.replace("priority = 1\n", 'priority = 1\nautostart = true\nresources = ["R"]\n')
    schedule = schedule.replace("priority = 2\n", 'priority = 2\nresources = ["R"]\n')
    schedule += "[osek.resource.R]\n" + ('property = "internal"\n' if internal else "")
    code = """
    #include "os.h"
    TASK(Low)
    {
        GET;
        ActivateTask(High);
        report("low", 1u);
        RELEASE;
        report("low", 2u);
        TerminateTask();
    }
    TASK(Middle) { report("middle", 0u); TerminateTask(); }
    TASK(High) { ActivateTask(Middle); report("high", 0u); TerminateTask(); }
    """
    get, release = ("", "") if internal else ("GetResource(R);", "ReleaseResource(R);")
    code = code.replace("GET;", get).replace("RELEASE;", release)
    outcome = lab.run(schedule, code, board, ticks=20_000)
    osek = outcome.planned.allocation.osek
    assert osek is not None
    assert not osek.software
    middle, low = ("middle", 0), ("low", 2)
    assert outcome.reported == [("high", 0), ("low", 1), *((low, middle) if internal else (middle, low))]
