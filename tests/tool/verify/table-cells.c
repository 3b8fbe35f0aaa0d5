/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Low)
{
    TerminateTask();
}
TASK(High)
{
    TerminateTask();
}
TASK(Slow)
{
    (void)StopScheduleTable(Fast);
    TerminateTask();
}
TASK(Waits)
{
    for (;;) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
    }
}
TASK(Main)
{
    (void)StartScheduleTableAbs(Slowly, 5u);
    TerminateTask();
}
