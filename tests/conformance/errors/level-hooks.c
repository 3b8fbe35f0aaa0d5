/* SPDX-License-Identifier: Apache-2.0 */
#include "services.h"

static StatusType in_error_hook[SERVICES];
static StatusType in_pretask_hook[SERVICES];
static StatusType in_posttask_hook[SERVICES];
static volatile uint8_t errors;
static volatile bool calls_in_error_hook;
static volatile bool calls_in_pretask_hook;
static volatile bool calls_in_posttask_hook;

void ErrorHook(StatusType error)
{
    (void)error;
    errors++;
    if (calls_in_error_hook) {
        calls_in_error_hook = false;
        call_services(in_error_hook);
    }
}

void PreTaskHook(void)
{
    if (calls_in_pretask_hook) {
        calls_in_pretask_hook = false;
        call_services(in_pretask_hook);
    }
}

void PostTaskHook(void)
{
    if (calls_in_posttask_hook) {
        calls_in_posttask_hook = false;
        call_services(in_posttask_hook);
    }
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
    (void)ActivateTask(Waiter);

    calls_in_error_hook = true;
    (void)ActivateTask(Main);
    EXPECT_SERVICES("in-the-error-hook", in_error_hook, E_OS_CALLEVEL, E_OK, E_OS_CALLEVEL);
    EXPECT_IS("refusals-in-the-error-hook-do-not-call-it", errors, 1);

    errors = 0;
    calls_in_pretask_hook = true;
    (void)ActivateTask(High);
    EXPECT_SERVICES("in-the-pretask-hook", in_pretask_hook, E_OS_CALLEVEL, E_OK, E_OS_CALLEVEL);
    EXPECT_IS("refusals-in-the-pretask-hook-call-the-error-hook", errors, 13);

    errors = 0;
    calls_in_posttask_hook = true;
    (void)ActivateTask(High);
    EXPECT_SERVICES("in-the-posttask-hook", in_posttask_hook, E_OS_CALLEVEL, E_OK, E_OS_CALLEVEL);
    EXPECT_IS("refusals-in-the-posttask-hook-call-the-error-hook", errors, 13);

    (void)GetTaskState(Other, &state);
    EXPECT_IS("a-refused-activation-activates-nothing", state, SUSPENDED);
    EXPECT_IS("a-refused-alarm-is-not-in-use", CancelAlarm(Relative), E_OS_NOFUNC);
    EXPECT_IS("a-refused-cancellation-cancels-nothing", CancelAlarm(Running), E_OK);
    EXPECT_MARKS("nothing-expired", "");
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
