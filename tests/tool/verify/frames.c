/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

ProtectionReturnType ProtectionHook(StatusType error)
{
    (void)error;
    return PRO_IGNORE;
}

TASK(Low)
{
    (void)ActivateTask(Rare);
    TerminateTask();
}

TASK(Rare)
{
    TerminateTask();
}

ISR(Device)
{
}
