/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Low)
{
    (void)GetResource(R);
    (void)ReleaseResource(R);
    TerminateTask();
}
TASK(High)
{
    SuspendAllInterrupts();
    ResumeAllInterrupts();
    TerminateTask();
}
