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
}

ISR(Signal)
{
    call_services(statuses);
}

TASK(Main)
{
    TaskType task;
    TaskStateType state;
    EventMaskType mask;
    AlarmBaseType base;
    TickType ticks;
    (void)ActivateTask(Waiter);
    EXPECT_IS("in-a-task-activate-task", ActivateTask(High), E_OK);
    EXPECT_IS("in-a-task-schedule", Schedule(), E_OK);
    EXPECT_IS("in-a-task-get-task-id", GetTaskID(&task), E_OK);
    EXPECT_IS("in-a-task-get-task-state", GetTaskState(High, &state), E_OK);
    EXPECT_IS("in-a-task-get-resource", GetResource(Bus), E_OK);
    EXPECT_IS("in-a-task-release-resource", ReleaseResource(Bus), E_OK);
    EXPECT_IS("in-a-task-set-event", SetEvent(Main, Unused), E_OK);
    EXPECT_IS("in-a-task-get-event", GetEvent(Main, &mask), E_OK);
    EXPECT_IS("in-a-task-wait-event", WaitEvent(Unused), E_OK);
    EXPECT_IS("in-a-task-clear-event", ClearEvent(Unused), E_OK);
    EXPECT_IS("in-a-task-get-alarm-base", GetAlarmBase(Running, &base), E_OK);
    EXPECT_IS("in-a-task-get-alarm", GetAlarm(Running, &ticks), E_OK);
    EXPECT_IS("in-a-task-cancel-alarm", CancelAlarm(Running), E_OK);
    EXPECT_IS("in-a-task-set-rel-alarm", SetRelAlarm(Running, 90, 0), E_OK);
    EXPECT_IS("in-a-task-set-abs-alarm", SetAbsAlarm(Absolute, 90, 0), E_OK);
    EXPECT_IS("in-a-task-cancel-an-absolute-alarm", CancelAlarm(Absolute), E_OK);
    EXPECT_IS("in-a-task-increment-counter", IncrementCounter(Soft), E_OK);
    EXPECT_IS("in-a-task-get-active-application-mode", GetActiveApplicationMode(), OSDEFAULTAPPMODE);
    EXPECT_IS("none-of-that-is-an-error", errors, 0);

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_SERVICES("in-an-isr", statuses, E_OK, E_OK, E_OS_CALLEVEL);
    EXPECT_IS("each-refusal-calls-the-error-hook", errors, 5);
    (void)GetEvent(Waiter, &mask);
    EXPECT_IS("the-event-that-the-isr-set-is-there", mask, Unused);
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
