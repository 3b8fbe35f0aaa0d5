/* SPDX-License-Identifier: Apache-2.0
 *
 * Periodic timers revisited, figure 7: a function that is called every period. */
#include "../mark.h"

void bench_beat(void);
void bench_beat(void)
{
}

static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(bench_beat);
static struct carillon_period period = CARILLON_EXACT(PERIOD_US, 1000000);

THREAD(Main)
{
    (void)carillon_alarm_start_exact(&alarm, &period, CARILLON_INFINITE);
}
