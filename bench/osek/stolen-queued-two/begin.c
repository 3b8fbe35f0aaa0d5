/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Upper)
{
    TerminateTask();
}

TASK(Begin)
{
    (void)SetRelAlarm(LowCycle, 3u, 8u);
    (void)SetRelAlarm(UpperCycle, 1u, 2u);
    TerminateTask();
}
