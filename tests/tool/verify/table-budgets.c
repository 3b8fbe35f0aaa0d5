/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

ProtectionReturnType ProtectionHook(StatusType error)
{
    (void)error;
    return PRO_TERMINATETASKISR;
}
TASK(Low)
{
    TerminateTask();
}
TASK(High)
{
    TerminateTask();
}
