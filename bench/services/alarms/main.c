/* SPDX-License-Identifier: Apache-2.0
 *
 * Two tasks, each activated by an alarm. */
#include "os.h"

TASK(First)
{
    TerminateTask();
}

TASK(Second)
{
    TerminateTask();
}
