/* SPDX-License-Identifier: Apache-2.0 */
#include "services.h"

static StatusType statuses[SERVICES];
static volatile uint8_t errors;
static AppModeType mode = 99u;

void StartupHook(void)
{
    mode = GetActiveApplicationMode();
    call_services(statuses);
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
    TaskStateType state = 99u;
    EXPECT_IS("in-the-startup-hook-get-active-application-mode", mode, OSDEFAULTAPPMODE);
    EXPECT_SERVICES("in-the-startup-hook", statuses, E_OS_CALLEVEL, E_OS_CALLEVEL, E_OS_CALLEVEL);
    EXPECT_IS("each-refusal-calls-the-error-hook", errors, 18);
    (void)GetTaskState(Other, &state);
    EXPECT_IS("a-refused-activation-activates-nothing", state, SUSPENDED);
    EXPECT_IS("a-refused-cancellation-cancels-nothing", CancelAlarm(Running), E_OK);
    FINISH();
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
