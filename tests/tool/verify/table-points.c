/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Sample)
{
    TerminateTask();
}
TASK(Main)
{
    (void)StartScheduleTableRel(Uneven, 5u);
    (void)StopScheduleTable(Uneven);
    TerminateTask();
}
