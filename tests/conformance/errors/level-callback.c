/* SPDX-License-Identifier: Apache-2.0 */
#include "services.h"

static StatusType statuses[SERVICES];
static volatile uint8_t errors;

void ErrorHook(StatusType error)
{
    (void)error;
    errors++;
}

ALARMCALLBACK(OnAlarm)
{
    MARK('c');
    call_services(statuses);
}

ISR(Signal)
{
    (void)SetRelAlarm(Absolute, 1, 0);
    (void)IncrementCounter(Soft);
}

TASK(Main)
{
    TaskStateType state = 99u;
    (void)ActivateTask(Waiter);
    (void)SetRelAlarm(Absolute, 1, 0);
    (void)IncrementCounter(Soft);
    EXPECT_MARKS("the-callback-was-called", "c");
    EXPECT_SERVICES("in-a-callback", statuses, E_OS_CALLEVEL, E_OS_CALLEVEL, E_OS_CALLEVEL);
    EXPECT_IS("each-refusal-calls-the-error-hook", errors, 18);
    (void)GetTaskState(Other, &state);
    EXPECT_IS("a-refused-activation-activates-nothing", state, SUSPENDED);
    EXPECT_IS("a-refused-cancellation-cancels-nothing", CancelAlarm(Running), E_OK);

    errors = 0;
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("the-callback-was-called-in-an-isr", "c");
    EXPECT_SERVICES("in-a-callback-in-an-isr", statuses, E_OS_CALLEVEL, E_OS_CALLEVEL, E_OS_CALLEVEL);
    EXPECT_IS("each-refusal-in-an-isr-calls-the-error-hook", errors, 18);
    EXPECT_IS("after-a-callback-services-may-be-called", ActivateTask(High), E_OK);
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
