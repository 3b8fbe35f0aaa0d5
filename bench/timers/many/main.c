/* SPDX-License-Identifier: Apache-2.0
 *
 * Many alarms: the k-th has a period of SHORTEST + STEP * k ticks.  Then one more is started and stopped again, for
 * times that are everywhere among theirs. */
#include "../mark.h"

MARK(begin)
MARK(end)

static struct carillon_alarm alarms[COUNT];
static struct carillon_alarm another;

static void nothing(void)
{
}

THREAD(Main)
{
    const struct carillon_alarm stopped = CARILLON_ALARM_OF_FUNCTION(nothing);
    another = stopped;
    for (uint32_t k = 0u; k < COUNT; k++) {
        alarms[k] = stopped;
        (void)carillon_alarm_start(&alarms[k], (carillon_duration)SHORTEST + ((carillon_duration)STEP * k),
                                   CARILLON_INFINITE);
    }
    uint32_t number = 1u;
    for (uint32_t turn = 0u; turn != INSERTIONS; turn++) {
        number = (number * 1664525u) + 1013904223u; /* Numerical Recipes' generator */
        const carillon_duration period = (carillon_duration)SHORTEST + (number >> 8) % ((STEP * COUNT) + 1u);
        bench_begin();
        (void)carillon_alarm_start(&another, period, 1u);
        bench_end();
        (void)carillon_alarm_stop(&another);
    }
}
