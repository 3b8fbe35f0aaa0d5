/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Once)
{
    TerminateTask();
}
TASK(Main)
{
    (void)StartScheduleTableAbs(Single, 5u);
    (void)StopScheduleTable(Single);
    TerminateTask();
}
