/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Sample)
{
    TerminateTask();
}
TASK(Send)
{
    TerminateTask();
}
TASK(Alone)
{
    TerminateTask();
}
TASK(Main)
{
    (void)SyncScheduleTable(Kept, 5u);
    (void)StartScheduleTableRel(Free, 5u);
    (void)StopScheduleTable(Free);
    TerminateTask();
}
