/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Sample)
{
    TerminateTask();
}
TASK(Last)
{
    TerminateTask();
}
TASK(Turn)
{
    TerminateTask();
}
TASK(Main)
{
    (void)StartScheduleTableRel(Uneven, 5u);
    (void)StopScheduleTable(Uneven);
    (void)StartScheduleTableRel(Once, 5u);
    (void)NextScheduleTable(Once, Round);
    TerminateTask();
}
