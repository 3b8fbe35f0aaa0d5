/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Begin)
{
    (void)SetRelAlarm(LowCycle, 3u, 8u);
    TerminateTask();
}
