/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

static volatile unsigned runs[2];

TASK(Low)
{
    runs[0]++;
    (void)NextScheduleTable(Round, Once);
    TerminateTask();
}
TASK(Second)
{
    runs[1]++;
    (void)SyncScheduleTable(Round, 50u);
    TerminateTask();
}
TASK(Waiter)
{
    (void)WaitEvent(Go | Stay);
    TerminateTask();
}
