/* SPDX-License-Identifier: Apache-2.0
 *
 * A hundred alarms of the same period, which have begun in the same tick. */
#include "carillon/time.h"

#define ALARMS 100u

void bench_called(void);
void bench_called(void)
{
}

static struct carillon_alarm alarms[ALARMS];

THREAD(Main)
{
    static const struct carillon_alarm stopped = CARILLON_ALARM_OF_FUNCTION(bench_called);
    for (uint32_t k = 0u; k < ALARMS; k++) {
        alarms[k] = stopped;
        (void)carillon_alarm_start(&alarms[k], CARILLON_MILLISECONDS(20), CARILLON_INFINITE);
    }
}
