/* SPDX-License-Identifier: Apache-2.0 */
#include "services.h"

static StatusType statuses[SERVICES];
static volatile uint8_t errors;

void ShutdownHook(StatusType error)
{
    errors = 0;
    call_services(statuses);
    EXPECT_IS("the-hook-is-told-the-error", error, E_OS_STATE);
    EXPECT_IS("in-the-shutdown-hook-get-active-application-mode", GetActiveApplicationMode(), OSDEFAULTAPPMODE);
    EXPECT_SERVICES("in-the-shutdown-hook", statuses, E_OS_CALLEVEL, E_OS_CALLEVEL, E_OS_CALLEVEL);
    EXPECT_IS("each-refusal-calls-the-error-hook", errors, 18);
    conformance_write("end\n");
}

void ErrorHook(StatusType error)
{
    (void)error;
    errors++;
}

ALARMCALLBACK(OnAlarm)
{
    MARK('c');
}

ISR(Signal)
{
    MARK('s');
}

TASK(Main)
{
    (void)ActivateTask(Waiter);
    ShutdownOS(E_OS_STATE);
    conformance_write("FAIL shutdown-does-not-return 0\n");
}

TASK(Other)
{
    TerminateTask();
}

TASK(High)
{
    TerminateTask();
}

TASK(Waiter)
{
    (void)WaitEvent(Go);
    TerminateTask();
}
