/* SPDX-License-Identifier: Apache-2.0 */
#include "services.h"

static StatusType statuses[SERVICES];
static StatusType in_isr[3];
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
    DisableAllInterrupts();
    in_isr[0] = ActivateTask(Other);
    EnableAllInterrupts();
    SuspendAllInterrupts();
    in_isr[1] = SetEvent(Waiter, Go);
    ResumeAllInterrupts();
    SuspendOSInterrupts();
    in_isr[2] = GetResource(Bus);
    ResumeOSInterrupts();
}

#define EXPECT_REFUSED(name) EXPECT_SERVICES(name, statuses, E_OS_DISABLEDINT, E_OS_DISABLEDINT, E_OS_DISABLEDINT)

TASK(Main)
{
    TaskStateType state = 99u;
    AppModeType mode;
    (void)ActivateTask(Waiter);

    DisableAllInterrupts();
    call_services(statuses);
    mode = GetActiveApplicationMode();
    EnableAllInterrupts();
    EXPECT_REFUSED("while-all-are-disabled");
    EXPECT_IS("the-application-mode-while-all-are-disabled", mode, OSDEFAULTAPPMODE);
    EXPECT_IS("each-refusal-calls-the-error-hook", errors, 18);

    SuspendAllInterrupts();
    call_services(statuses);
    ResumeAllInterrupts();
    EXPECT_REFUSED("while-all-are-suspended");

    SuspendOSInterrupts();
    call_services(statuses);
    ResumeOSInterrupts();
    EXPECT_REFUSED("while-os-interrupts-are-suspended");

    errors = 0;
    SuspendAllInterrupts();
    SuspendOSInterrupts();
    ResumeOSInterrupts();
    EXPECT_IS("while-the-outer-of-two-is-in-force", ActivateTask(Other), E_OS_DISABLEDINT);
    ResumeAllInterrupts();
    EXPECT_IS("after-the-last-resume", ActivateTask(High), E_OK);
    EXPECT_IS("one-refusal-calls-the-error-hook-once", errors, 1);

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_IS("in-an-isr-while-all-are-disabled", in_isr[0], E_OS_DISABLEDINT);
    EXPECT_IS("in-an-isr-while-all-are-suspended", in_isr[1], E_OS_DISABLEDINT);
    EXPECT_IS("in-an-isr-while-os-interrupts-are-suspended", in_isr[2], E_OS_DISABLEDINT);

    (void)GetTaskState(Other, &state);
    EXPECT_IS("a-refused-activation-activates-nothing", state, SUSPENDED);
    (void)GetTaskState(Waiter, &state);
    EXPECT_IS("a-refused-event-releases-nobody", state, WAITING);
    EXPECT_IS("a-refused-alarm-is-not-in-use", CancelAlarm(Relative), E_OS_NOFUNC);
    EXPECT_IS("a-refused-cancellation-cancels-nothing", CancelAlarm(Running), E_OK);
    EXPECT_IS("a-refused-resource-is-free", GetResource(Bus) + ReleaseResource(Bus), E_OK);
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
