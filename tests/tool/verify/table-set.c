/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Direct)
{
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
    (void)StopScheduleTable(Set);
    (void)StartScheduleTableRel(Set, 5u);
    TerminateTask();
}
