/* SPDX-License-Identifier: Apache-2.0
 *
 * Two tasks are activated periodically: by alarms of the time services, or by what the schedule says. */
#include "os.h"

#if CARILLON_OSEK_TIME
#include "carillon/time.h"

static struct carillon_alarm fast = CARILLON_ALARM_OF_TASK(Fast), slow = CARILLON_ALARM_OF_TASK(Slow);

THREAD(Main)
{
    (void)carillon_alarm_start(&fast, CARILLON_MICROSECONDS(480), CARILLON_INFINITE);
    (void)carillon_alarm_start(&slow, CARILLON_MICROSECONDS(800), CARILLON_INFINITE);
}
#endif

TASK(Fast)
{
    TerminateTask();
}

TASK(Slow)
{
    TerminateTask();
}
