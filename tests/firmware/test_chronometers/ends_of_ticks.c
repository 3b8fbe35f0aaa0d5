/* SPDX-License-Identifier: Apache-2.0 */
/* The time is read around the ends of ticks.  The test defines TIMES and VIRTUAL. */

#include "carillon/time.h"
static struct carillon_chronometer watch;
static uint32_t back, far, crossed;
static uint64_t last;
static uint64_t look(void)
{
    const uint64_t now = carillon_chronometer_units(&watch);
    if (now < last) {
        back++;
    }
    if (now - last > 2u * CARILLON_TIME_UNITS) {
        far++;
    }
    last = now;
    return now;
}
static uint32_t within(void)
{
    SuspendAllInterrupts();
    const uint32_t units = carillon_clock_moment().units;
    ResumeAllInterrupts();
    return units;
}
THREAD(Main)
{
    (void)carillon_chronometer_start(&watch);
    const uint32_t first = within();
    last = carillon_chronometer_units(&watch);
    const carillon_time begin = carillon_now();
    /* The end of a tick comes between any two instructions of a reading: unlocked, and locked. */
    for (uint32_t k = 0u; k < TIMES; k++) {
        (void)carillon_delay(1u);
        const uint32_t before = CARILLON_TIME_UNITS - CARILLON_TIME_UNITS / 8u - k;
        while (within() < before) {
            (void)look();
            if (VIRTUAL) {
                carillon_work(7u);
            }
        }
        if ((k & 1u) != 0u) {
            SuspendAllInterrupts();
        }
        const carillon_time ticks = carillon_now();
        const uint64_t tick = (look() + first) / CARILLON_TIME_UNITS;
        for (uint8_t after = 0u; after < 3u; after += ((last + first) / CARILLON_TIME_UNITS != tick) ? 1u : 0u) {
            for (volatile uint8_t wait = 0u; wait < (uint8_t)(k % 7u); wait++) {
            }
            (void)look();
            if (VIRTUAL) {
                carillon_work(CARILLON_TIME_UNITS / 64u + 1u);
            }
        }
        const bool locked = (k & 1u) != 0u;
        if (locked) {
            ResumeAllInterrupts();
        }
        if (carillon_now() != ticks) {
            crossed++;
        }
    }
    const carillon_time end = carillon_now();
    const uint64_t whole = look();
    const uint64_t ticked = (uint64_t)(carillon_time)(end - begin) * CARILLON_TIME_UNITS;
    report("back", back);
    report("far", far);
    report("crossed", crossed);
    report("off", (uint32_t)((whole + first > ticked) ? (whole + first - ticked) / CARILLON_TIME_UNITS : 99u));
    report("units", CARILLON_TIME_UNITS);
    carillon_port_halt();
}
