# SPDX-License-Identifier: Apache-2.0
"""Whatever instruction of a time service the clock expires in, it has expired before the service, or after it.

An expiry is swept over a service (``expiries.h``): the first run of a pair has it before the service, the last one after
it.  Every run between them leaves the log of one of the two: nothing is lost, nothing comes twice, and what becomes of
alarms, tasks and semaphores is the same.  Times that must not go back, and times that must not be too short or too long,
are looked at in the firmware.

An eighth of the pairs runs by default, all of them with ``CARILLON_TRIES=all``.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import asked
from firmware import HERE, KINDS, Swept, built, output, sweep
from sample import turn

SERVICES = ("stop", "start", "start other", "change", "left", "stop other", "give", "take now", "take within")
SERVICES += ("take", "delay", "delay until", "now", "stop-watch", "ActivateTask", "SetEvent", "calendar", "reset")
EXPIRIES = ("delay of a higher task", "delay of a lower task", "function", "activation", "unit", "unit for a higher task")
EXPIRIES += ("time-out", "event", "several")
INSTRUCTIONS = 4096
"""The clock's step in which something expires."""
RUN, WRONG = 4 << 24 | 6 << 16, 4 << 24 | 7 << 16  # expiries.h
BY_DEFAULT = 8

SCHEDULE = """# SPDX-License-Identifier: Apache-2.0
[system]
name = "app"
[osek]
status = "extended"
dispatch = "{dispatch}"
[osek.event.E0]
mask = 1
[osek.task.T0]
priority = 0
autostart = true
"""
SCHEDULE += "".join(f'[osek.task.T{n}]\npriority = {n}\nevents = ["E0"]\nstack = 4096\n' for n in (1, 2, 3))
SCHEDULE += "[osek.task.T4]\npriority = 4\nactivations = 2\n"
CLOCKS = {
    # Whose interrupts alone tell its ticks: with a time base, a service sees a tick before its expiries are served.
    "periodic": f'[time]\nclock = "periodic"\ntick = "{INSTRUCTIONS * 64} ns"\nlongest_lock = "{INSTRUCTIONS * 32} ns"\n',
    "one-shot": '[time]\nclock = "one-shot"\n',
}


def text(folder: Path, clock: str, dispatch: str, chosen: list[int]) -> Path:
    """Write the application of some pairs."""
    folder.mkdir()
    (folder / "schedule.toml").write_text(SCHEDULE.format(dispatch=dispatch) + CLOCKS[clock], encoding="utf-8")
    head = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        f"#define PROGRAMS {len(chosen)}u",
        f"#define INSTRUCTIONS {INSTRUCTIONS}u",
    ]
    head += [f"#define CHOSEN {', '.join(map(str, chosen))}", '#include "expiries.h"', ""]
    (folder / "main.c").write_text("\n".join(head), encoding="utf-8")
    for name in ("sweep.h", "expiring.h", "expiries.h"):
        shutil.copy(HERE / name, folder)
    return folder


def lanes(log: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """What the service says, how often the alarm's task has run, which is preempted as the service is, and all else."""
    said = tuple(word for word in log if word >> 24 == KINDS["error"])
    runs = tuple(word for word in log if word == RUN)
    return said, runs, tuple(word for word in log if word not in (*said, RUN))


def wrong(swept: Swept) -> str:
    """What is wrong with a sweep, if anything is."""
    if not swept.over:
        return "hangs"
    if swept.instructions == 0:
        return "the clock never expired"
    orders = [lanes(swept.logs[instruction]) for instruction in (min(swept.logs), max(swept.logs))]
    for instruction, log in swept.logs.items():
        said = " ".join(f"{word:x}" for word in log)
        if any(word & 0xFFFF0000 == WRONG for word in log):
            return f"at instruction {instruction} the firmware finds a time wrong: {said}"
        if lanes(log) not in orders:
            return f"from instruction {instruction} on neither order: {said}"
    return ""


@pytest.mark.long
@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("clock", CLOCKS)
def test_an_expiry_in_the_middle_of_a_service_comes_before_it_or_after_it(
    tmp_path: Path, clock: str, dispatch: str, counts: dict[str, int]
) -> None:
    every = [s * len(EXPIRIES) + e for s in range(len(SERVICES)) for e in range(len(EXPIRIES))]
    if clock == "one-shot":  # where no two of them expire in one tick
        every = [pair for pair in every if EXPIRIES[pair % len(EXPIRIES)] != "several"]
    first = 2 * list(CLOCKS).index(clock) + (dispatch == "software") + turn("expiries", BY_DEFAULT)
    step = asked.step(len(every), BY_DEFAULT)
    chosen = every[first % step :: step]
    found = []
    for pair, swept in zip(chosen, sweep(built(text(tmp_path / "app", clock, dispatch, chosen)), len(chosen)), strict=True):
        counts["pairs"] += 1
        counts["instructions"] += swept.instructions
        counts["different runs"] += len(swept.logs)
        if what := wrong(swept):
            found.append(f"{SERVICES[pair // len(EXPIRIES)]} | {EXPIRIES[pair % len(EXPIRIES)]}: {what}")
    counts["images"] += 1
    assert not found, f"{len(found)} of {len(chosen)}:\n" + "\n".join(found[:20])


ABOVE = """/* SPDX-License-Identifier: Apache-2.0 */
#define PROGRAMS 1u
#include "sweep.h"
#include "cells.h"
#include "carillon/time.h"
#define FREE 6u /* a timer that runs on beside the clock */
static unsigned came;
static void nothing(void) {}
static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(nothing);
ISR(I0)
{
    CARILLON_REGISTER(ASPEED_CONTROL_CLEAR) = ASPEED_BIT(CELL);
    came++;
    carillon_port_delay(200u);
}
TASK(T0)
{
    unsigned lost = 0u;
    uint32_t before = 0u;
    CARILLON_REGISTER(ASPEED_RELOAD(FREE)) = UINT32_MAX;
    CARILLON_REGISTER(ASPEED_CONTROL(0u)) |= UINT32_C(1) << (4u * FREE);
    for (uint32_t k = 0u; k < 800u; k++) {
        CARILLON_REGISTER(ASPEED_RELOAD(CELL)) = 400u + k;
        CARILLON_REGISTER(ASPEED_CONTROL(0u)) |= ASPEED_BIT(CELL);
        carillon_port_delay(380u);
        (void)carillon_alarm_start(&alarm, 50000u, 1u);
        (void)carillon_alarm_stop(&alarm);
        carillon_port_delay(1000u);
        const uint32_t sum = carillon_now() + CARILLON_REGISTER(ASPEED_COUNTER(FREE));
        lost += (k != 0u) && (sum != before);
        before = sum;
    }
    say_number(lost);
    say(" of ");
    say_number(came);
    say("\\n0 over\\n");
    for (;;) {
    }
}
int main(void);
int main(void)
{
    start_sweep();
    StartOS(OSDEFAULTAPPMODE);
}
"""


def test_a_clock_loses_nothing_to_an_interrupt_that_the_kernels_lock_does_not_keep_out(tmp_path: Path) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    schedule = '[system]\nname = "app"\n[osek.task.T0]\npriority = 1\nautostart = true\n'
    schedule += '[osek.isr.I0]\nsource = "swept"\ncategory = 1\npriority = 1\n' + CLOCKS["one-shot"]
    (folder / "schedule.toml").write_text(schedule, encoding="utf-8")
    (folder / "main.c").write_text(ABOVE, encoding="utf-8")
    shutil.copy(HERE / "sweep.h", folder)
    assert output(built(folder), 0) == [f"0 of {800:x}", "0 over"]
