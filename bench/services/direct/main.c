/* SPDX-License-Identifier: Apache-2.0
 *
 * A task that is its own vector, and an alarm that is set at run time. */
#include "os.h"

TASK(Begin)
{
    (void)SetRelAlarm(Cycle, 2u, 2u);
    TerminateTask();
}

TASK(Main)
{
    carillon_work(20);
    TerminateTask();
}
