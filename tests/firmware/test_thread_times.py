# SPDX-License-Identifier: Apache-2.0
"""Offsets and deadlines of threads: against a model of one thread on the virtual board, and on boards where code takes time."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from laboratory import Laboratory

from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan

CODE = """
#include "carillon/time.h"
#include "carillon/work.h"
#include "os.h"
static const uint32_t works[] = {WORKS};
void carillon_thread_missed(TaskType thread)
{
    report((thread == Main) ? "missed" : "other", (uint32_t)carillon_now());
}
THREAD(Main)
{
    carillon_time next = carillon_now();
    for (uint32_t k = 0u; k < sizeof works / sizeof works[0]; k++) {
        carillon_work(works[k]);
        const StatusType status = carillon_delay_until(&next, PERIOD);
        if ((status != E_OK) && (status != E_OS_LIMIT)) {
            report("status", status);
        }
    }
}
"""


def missed(works: list[int], offset: int, period: int, deadline: int, tick: int) -> list[int]:
    """When the deadlines are missed of a thread that works so long in its periods."""
    found, now = [], offset
    due: int | None = offset + deadline  # of the release that it has not met
    for k, work in enumerate(works):
        now += work
        if due is not None and due <= now:
            found.append(due)
        release = offset + (k + 1) * period
        due = release + deadline
        if due < (now // tick + 1) * tick:  # it has passed, which is told at the next tick
            found.append((now // tick + 1) * tick)
            due = None
        now = max(now, release)
    return sorted(found)  # and ends at its last release


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("clock", ["one-shot", "compare", "periodic"])
def test_deadlines_are_missed_when_the_model_says(lab: Laboratory, clock: str, seed: int) -> None:
    rng = random.Random(f"{clock} {seed}")
    unit = 1000
    period, deadline = unit * rng.randint(3, 9), unit * rng.randint(1, 7)
    offset = unit * rng.randint(1, 9)
    works = [unit * rng.choice([0, 1, 2, 3, 5, 8, 12]) + rng.randint(1, unit - 1) for _ in range(12)]
    scale = unit if clock == "periodic" else 1
    keys = f'tick = "{unit} ticks"\nlongest_lock = "{unit // 2} ticks"\n' if clock == "periodic" else ""
    keys += rng.choice(["", 'queue = "tree"\n']) + rng.choice(["", 'longest = "30000 ticks"\n'])
    schedule = f'[time]\nclock = "{clock}"\n{keys}'
    schedule += f'[thread.Main]\npriority = 1\noffset = "{offset} ticks"\ndeadline = "{deadline} ticks"\n'
    code = CODE.replace("WORKS", ", ".join(map(str, works))).replace("PERIOD", f"{period // scale}u")
    outcome = lab.run(schedule, code, "virtual-ast1030-evb", ticks=400_000)
    wanted = missed(works, offset, period, deadline, scale)
    assert [when * scale for when in outcome.said("missed")] == wanted
    assert outcome.said("status") == outcome.said("other") == []


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("clock", ["one-shot", "compare"])
def test_deadlines_of_periods_that_take_laps_are_missed_when_the_model_says(lab: Laboratory, clock: str, seed: int) -> None:
    rng = random.Random(f"{clock} {seed} laps")
    unit = 15_000
    period, deadline, offset = unit * rng.randint(4, 30), unit + rng.randint(0, 9_000), unit
    works = [unit * rng.choice([0, 1, 2, 3]) + rng.randint(1, unit - 1) for _ in range(12)]
    queue = rng.choice(["", 'queue = "tree"'])
    schedule = f'[time]\nclock = "{clock}"\nbits = 16\n{queue}\n'
    schedule += f'[thread.Main]\npriority = 1\noffset = "{offset} ticks"\ndeadline = "{deadline} ticks"\n'
    code = CODE.replace("WORKS", ", ".join(map(str, works))).replace("PERIOD", f"{period}u")
    outcome = lab.run(schedule, code, "virtual-ast1030-evb", ticks=14 * period + unit)
    wanted = missed(works, offset, period, deadline, 1)
    assert outcome.said("missed") == [when % 65536 for when in wanted]
    assert outcome.said("status") == outcome.said("other") == []


@pytest.mark.parametrize("board", ["ast1030-evb", "mps2-an385", "microbit", "qemu-rv32-virt", "atmega2560"])
def test_who_ends_in_time_has_met_it_and_who_is_activated_again_is_released_again(lab: Laboratory, board: str) -> None:
    code = """
    #include "carillon/time.h"
    #include "carillon/work.h"
    #include "os.h"
    static void work(uint32_t us) { carillon_work((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * us / 1000000u)); }
    static volatile uint32_t misses, turns;
    void carillon_thread_missed(TaskType thread) { misses += (thread == Job) ? 1u : 100u; }
    THREAD(Job) { turns++; work((turns == 3u) ? 4000u : 1000u); }
    THREAD(Main)
    {
        for (uint32_t k = 0u; k < 5u; k++) {
            (void)ActivateTask(Job);
            (void)carillon_delay(CARILLON_MILLISECONDS(10));
        }
        report("turns", turns);
        report("misses", misses);
        carillon_port_halt();
    }
    """
    clock = "compare" if board == "qemu-rv32-virt" else "one-shot"
    schedule = f'[time]\nclock = "{clock}"\n[thread.Job]\npriority = 2\nautostart = false\ndeadline = "2ms"\n'
    schedule += '[thread.Main]\npriority = 1\noffset = "3ms"\n'
    hz = plan(lab.write(schedule, code), Diagnostics(), board).system.clock_hz
    outcome = lab.run(schedule, code, board, ticks=hz // 10)
    assert outcome.reported == [("turns", 5), ("misses", 1)]


@pytest.mark.parametrize("board", ["mps2-an385", "qemu-rv32-virt", "atmega2560"])
def test_a_thread_that_chains_itself_is_released(lab: Laboratory, board: str) -> None:
    code = """
    #include "carillon/time.h"
    #include "carillon/work.h"
    #include "os.h"
    static void work(uint32_t us) { carillon_work((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * us / 1000000u)); }
    static volatile uint32_t misses, turns;
    void carillon_thread_missed(TaskType thread) { misses += (thread == Job) ? 1u : 100u; }
    THREAD(Job)
    {
        turns++;
        work((turns == 3u) ? 4000u : 1000u);
        if (turns < 5u) {
            (void)ChainTask(Job);
        }
    }
    THREAD(Main)
    {
        (void)carillon_delay(CARILLON_MILLISECONDS(30));
        report("turns", turns);
        report("misses", misses);
        carillon_port_halt();
    }
    """
    clock = "compare" if board == "qemu-rv32-virt" else "one-shot"
    schedule = f'[time]\nclock = "{clock}"\n[thread.Job]\npriority = 2\ndeadline = "2ms"\n[thread.Main]\npriority = 3\n'
    hz = plan(lab.write(schedule, code), Diagnostics(), board).system.clock_hz
    outcome = lab.run(schedule, code, board, ticks=hz // 10)
    assert outcome.reported == [("turns", 5), ("misses", 1)]


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ('offset = "0ms"', ["C041"]),
        ('deadline = "0ms"', ["C041"]),
        ('deadline = "900s"', ["C179"]),
        ('offset = "1ms"\nautostart = false', ["C242"]),
        ('offset = "1ms"\nnew = true', ["C242"]),
        ("autostart = true\nnew = true", ["C242"]),
        ("autostart = false\nnew = true", []),
        ("deadline = 3", ["C016"]),
        ('offset = "1ms"\ndeadline = "3ms"', []),
    ],
)
def test_what_is_wrong_is_told(lab: Laboratory, keys: str, wanted: list[str]) -> None:
    diagnostics = Diagnostics()
    path = lab.write(f'[time]\nclock = "one-shot"\n[thread.A]\npriority = 1\n{keys}\n', "")
    with suppress(CarillonError):
        plan(path, diagnostics, "virtual-ast1030-evb")
    assert [d.code for d in diagnostics.reported] == wanted
