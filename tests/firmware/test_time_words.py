# SPDX-License-Identifier: Apache-2.0
"""Alarms with another first interval, or that begin at a time; one function of several alarms; periods that are skipped."""

from __future__ import annotations

import pytest
from laboratory import Laboratory

HEADERS = '#include "carillon/time.h"\n#include "os.h"\n#define T(us) CARILLON_MICROSECONDS(us)\n'
THREADS = "[thread.Main]\npriority = 1\n[thread.Other]\npriority = 2\nautostart = false\n"
CODE = """
struct lamp { struct carillon_alarm alarm; const char *name; };
static void blink(void);
static struct lamp lamps[] = {{CARILLON_ALARM_OF_FUNCTION(blink), "one"}, {CARILLON_ALARM_OF_FUNCTION(blink), "two"}};
static carillon_time begun;
static struct { const char *name; carillon_time at; } blinks[12];
static volatile uint8_t count;
static void blink(void)
{
    const struct lamp *const lamp = (const struct lamp *)carillon_alarm_calling();
    if (count < 12u) {
        blinks[count].name = lamp->name;
        blinks[count].at = (carillon_time)(carillon_now() - begun);
        count++;
    }
}
static void tell(void)
{
    for (uint8_t k = 0u; k < count; k++) {
        report(blinks[k].name, blinks[k].at);
    }
    count = 0u;
}
THREAD(Other)
{
    report("other", 1u);
}
THREAD(Main)
{
    carillon_time next;
    uint32_t skipped = 99u;
    report("nobody", carillon_alarm_calling() == NULL);
    (void)carillon_delay(T(3000));
    begun = carillon_now();
    report("after", carillon_alarm_start_after(&lamps[0].alarm, T(3000), T(10000), 3u));
    report("at", carillon_alarm_start_at(&lamps[1].alarm, (carillon_time)(begun + T(7000)), T(20000), 2u));
    report("runs", carillon_alarm_start_at(&lamps[1].alarm, (carillon_time)(begun + T(9000)), T(20000), 2u));
    (void)carillon_delay(T(40000));
    tell();
    report("passed", carillon_alarm_start_at(&lamps[1].alarm, begun, T(20000), 2u));
    report("zero", carillon_alarm_start_after(&lamps[0].alarm, 0u, T(10000), 3u));
    report("zero", carillon_alarm_start_after(&lamps[0].alarm, T(3000), 0u, 3u));
    report("zero", carillon_alarm_start_after(&lamps[0].alarm, T(3000), T(10000), 0u));
    report("nobody", carillon_alarm_calling() == NULL);
    next = begun = carillon_now();
    (void)carillon_delay(T(35000));
    report("late", carillon_delay_until_next(&next, T(10000), &skipped));
    report("skipped", skipped);
    report("woken", (carillon_time)(carillon_now() - begun));
    report("phase", (carillon_time)(next - begun));
    report("punctual", carillon_delay_until_next(&next, T(10000), &skipped));
    report("skipped", skipped);
    report("woken", (carillon_time)(carillon_now() - begun));
    report("punctual", carillon_delay_until_next(&next, T(10000), NULL));
    report("zero", carillon_delay_until_next(&next, 0u, NULL));
    report("activated", ActivateTask(Other));
    report("tick", T(1000));
    carillon_port_halt();
}
"""


@pytest.mark.parametrize("keys", ["", 'longest = "100ms"', 'queue = "tree"'])
@pytest.mark.parametrize(
    ("board", "clock"),
    [
        ("virtual-ast1030-evb", "one-shot"),
        ("virtual-ast1030-evb", "compare"),
        ("virtual-ast1030-evb", 'periodic"\ntick = "1ms'),
        ("ast1030-evb", "one-shot"),
        ("ast1030-evb", 'periodic"\ntick = "1ms'),
        ("microbit", "one-shot"),
        ("atmega2560", 'periodic"\ntick = "1ms'),
        ("qemu-rv32-virt", "compare"),
    ],
)
def test_first_intervals_absolute_starts_callers_and_skipped_periods(lab: Laboratory, board: str, clock: str, keys: str) -> None:
    time = f'[time]\nclock = "{clock}"\n{keys}\n' + THREADS
    outcome = lab.run(time, HEADERS + CODE, board, ticks=6_000_000)
    (tick,) = outcome.said("tick")
    told = [
        (name, round(value / tick, 1) if name in ("one", "two", "woken", "phase") else value) for name, value in outcome.reported
    ]
    assert told == [
        ("nobody", 1), ("after", 0), ("at", 0), ("runs", 7),
        ("one", 3), ("two", 7), ("one", 13), ("one", 23), ("two", 27),
        ("passed", 4), ("zero", 8), ("zero", 8), ("zero", 8), ("nobody", 1),
        ("late", 0), ("skipped", 3), ("woken", 40), ("phase", 40),
        ("punctual", 0), ("skipped", 0), ("woken", 50), ("punctual", 0), ("zero", 8),
        ("other", 1), ("activated", 0), ("tick", tick),
    ]  # fmt: skip


EXACT = """
#include "kernel/clock/clock.h"
#include "kernel/clock/queue_steps.h"
static volatile uint8_t count;
static void blink(void) { count++; }
static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(blink);
THREAD(Main)
{
    (void)carillon_delay(1000u);
    const uint32_t saved = carillon_port_lock();
    const carillon_time wanted = (carillon_time)(carillon_now() + 10000u);
    report("at", carillon_alarm_start_at(&alarm, wanted, 20000u, 3u));
    report("off", (carillon_time)(carillon_clock.reference + carillon_queue_left(&carillon_clock_queue) - wanted));
    carillon_port_unlock(saved);
    (void)carillon_alarm_stop(&alarm);
    for (carillon_time period = 1u; period < 600u; period = (carillon_time)(period * 3u)) {
        carillon_time next = carillon_now(), from = next;
        uint32_t turns = 0u, wrong = 0u, all = 0u, skipped;
        for (; turns < 20u; turns++) {
            const carillon_time before = next;
            wrong += (carillon_delay_until_next(&next, period, &skipped) != E_OK) ? 1u : 0u;
            all += skipped + 1u;
            wrong += (((carillon_time)(next - before) / period) != (skipped + 1u)) ? 1u : 0u;
            wrong += ((carillon_time)(carillon_now() - next) > 600u) ? 1u : 0u;
        }
        report("wrong", wrong + (((carillon_time)(next - from) != (carillon_time)(all * period)) ? 1u : 0u));
    }
    carillon_port_halt();
}
"""


@pytest.mark.parametrize("keys", ["", 'longest = "20ms"', 'queue = "tree"'])
@pytest.mark.parametrize("board", ["ast1030-evb", "mps2-an385", "microbit"])
def test_an_absolute_start_is_exact_and_the_shortest_periods_end(lab: Laboratory, board: str, keys: str) -> None:
    time = f'[time]\nclock = "one-shot"\n{keys}\n[thread.Main]\npriority = 1\n'
    outcome = lab.run(time, HEADERS + EXACT, board, ticks=3_000_000)
    assert outcome.reported == [("at", 0), ("off", 0), *[("wrong", 0)] * 6]
