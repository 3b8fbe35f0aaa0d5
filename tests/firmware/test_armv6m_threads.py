# SPDX-License-Identifier: Apache-2.0
"""ARMv6-M, threads dispatched by the interrupt controller: an interrupt comes in each instruction of a service."""

from __future__ import annotations

import pytest
from laboratory import Laboratory, source

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


@pytest.mark.long
@NODE
def test_no_wake_is_lost_whatever_instruction_of_a_service_an_interrupt_comes_in(lab: Laboratory) -> None:
    system = 'reserve = ["ALARM1"]\n'
    outcome = lab.run(SCHEDULE, source(__file__, "wakes.c"), "raspberry-pi-pico", system=system, ticks=200_000)
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
