/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm that calls a function in every second tick of the clock. */
#include "carillon/time.h"

void bench_called(void);
void bench_called(void)
{
}

static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(bench_called);

THREAD(Main)
{
    (void)carillon_alarm_start(&alarm, 2u, CARILLON_INFINITE);
}
