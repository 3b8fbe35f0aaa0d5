/* SPDX-License-Identifier: Apache-2.0 */
#include "../../osek/mark.h"
#include "os.h"

ProtectionReturnType ProtectionHook(StatusType error)
{
    (void)error;
    return PRO_TERMINATETASKISR;
}

TASK(Low)
{
    MARK(activates);
    (void)ActivateTask(High);
    MARK(low_goes_on);
#if CARILLON_OSEK_BUDGETS
    (void)ActivateTask(Runaway);
#endif
    TerminateTask();
}

TASK(High)
{
    MARK(high_ends);
    TerminateTask();
}

TASK(Runaway)
{
    MARK(runs_away);
    for (;;) {
    }
}
