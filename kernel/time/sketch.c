/* SPDX-License-Identifier: Apache-2.0
 *
 * What carillon/arduino.h has of Arduino, under the names that it gives millis, micros and delay. */
#include "kernel/jobs/stop.h"
#include "kernel/time/wait_steps.h"

uint32_t carillon_sketch_millis(void);
uint32_t carillon_sketch_micros(void);
void carillon_sketch_delay(uint32_t ms);

#if CARILLON_OSEK_TIME && CARILLON_TIME_UPTIME
/* So many parts of a second as have passed.  Whole seconds first, so that nothing is cut off for thousands of years. */
static uint64_t passed(uint32_t per_second)
{
    const uint64_t parts = CARILLON_PARTS(per_second);
    const uint64_t ticks = carillon_uptime();
    return ((ticks / CARILLON_TIME_HZ) * parts) + (((ticks % CARILLON_TIME_HZ) * parts) / CARILLON_TIME_HZ);
}

uint32_t carillon_sketch_millis(void)
{
    return (uint32_t)passed(1000u);
}

uint32_t carillon_sketch_micros(void)
{
    return (uint32_t)passed(1000000u);
}
#endif

#if CARILLON_OSEK_TIME && CARILLON_TIME_DELAYS
/* It begins anywhere within a tick, and so takes one more.  What is longer than the clock's longest time is several. */
void carillon_sketch_delay(uint32_t ms)
{
    uint64_t left = (ms == 0u) ? UINT64_C(0) : (CARILLON_TICKS_IN_FULL(ms, 1000u) + UINT64_C(1));
    StatusType status = carillon_time_may_wait(carillon_osek_running) ? E_OK : E_OS_CALLEVEL;
    while ((status == E_OK) && (left != 0u)) {
        const uint64_t now = (left < CARILLON_LONGEST_DURATION) ? left : CARILLON_LONGEST_DURATION;
        left -= now;
        status = carillon_delay((carillon_duration)now);
    }
    if (status != E_OK) {
        ShutdownOS(status);
    }
}
#endif
