/* SPDX-License-Identifier: Apache-2.0
 *
 * Periodic timers revisited, figure 7: a function that is called every period, so many times; then the next period. */
#include "../mark.h"

struct row {
    struct carillon_period period;
    uint32_t calls;
};
#define EVERY(us, times)                                        \
    {                                                           \
        .period = CARILLON_EXACT(us, 1000000), .calls = (times) \
    }

static struct row rows[] = {PERIODS};
static struct carillon_semaphore over = CARILLON_SEMAPHORE(0);
static uint32_t left;

void bench_beat(void);
static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(bench_beat);

void bench_beat(void)
{
    left--;
    if (left == 0u) {
        (void)carillon_alarm_stop(&alarm);
        (void)carillon_semaphore_v(&over);
    }
}

THREAD(Main)
{
    for (uint8_t k = 0u; k < (sizeof rows / sizeof rows[0]); k++) {
        left = rows[k].calls;
        (void)carillon_alarm_start_exact(&alarm, &rows[k].period, CARILLON_INFINITE);
        (void)carillon_semaphore_p(&over);
    }
    carillon_port_halt();
}
