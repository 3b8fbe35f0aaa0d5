# SPDX-License-Identifier: Apache-2.0
"""The time counts from the start, however long the processor has run before."""

from __future__ import annotations

import pytest
from laboratory import RV32, Laboratory

from runnable import NODE

BOARDS = [RV32, "microbit", pytest.param("raspberry-pi-pico", marks=NODE)]
OSEK = """
[osek]
[osek.task.T]
priority = 1
[osek.counter.C]
tick = "1ms"
max_allowed = 65535
min_cycle = 1
[osek.alarm.A]
counter = "C"
activate = "T"
autostart = { at = 2, cycle = 2 }
[osek.alarm.B] # for which the counter has a queue
counter = "C"
activate = "T"
"""
CODE = """
TASK(T)
{
    TickType value;
    (void)GetCounterValue(C, &value);
    report("at", value);
    TerminateTask();
}
int main(void);
int main(void)
{
    /* 3.7 ms, which are no whole number of ticks of the counter */
    carillon_port_delay(CARILLON_CLOCK_HZ / 1000000u * CARILLON_INSTRUCTIONS_PER_TICK * 3700u);
    StartOS(OSDEFAULTAPPMODE);
}
"""
NOW = """
#include "carillon/time.h"
THREAD(Main)
{
    report("now", carillon_now());
    carillon_port_halt();
}
""" + CODE[CODE.index("int main") :]


@pytest.mark.parametrize("keys", ["", '[time]\nclock = "compare"\n', '[time]\nclock = "periodic"\ntick = "1ms"\n'])
@pytest.mark.parametrize("board", BOARDS)
def test_a_counter_reads_0_at_the_start(lab: Laboratory, board: str, keys: str) -> None:
    if board == RV32 and keys:
        pytest.skip("it has one cell")
    outcome = lab.run(keys + OSEK, CODE, board, ticks=11_500 * (10 if board == RV32 else 1))

    assert outcome.said("at") == list(range(2, 12, 2))


@pytest.mark.parametrize("board", BOARDS)
def test_the_clock_tells_the_time_since_the_start(lab: Laboratory, board: str) -> None:
    outcome = lab.run('[time]\nclock = "compare"\n[thread.Main]\npriority = 1\n[osek]\n', NOW, board, ticks=2_000)
    assert 0 <= outcome.said("now")[0] < 50
