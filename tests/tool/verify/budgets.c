/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

ProtectionReturnType ProtectionHook(StatusType error)
{
    (void)error;
    return PRO_TERMINATETASKISR;
}

TASK(Low)
{
    (void)ActivateTask(Waits);
    (void)ActivateTask(High);
    TerminateTask();
}

TASK(Waits)
{
    (void)WaitEvent(E);
    TerminateTask();
}

TASK(High)
{
    TerminateTask();
}

ISR(Device)
{
}
