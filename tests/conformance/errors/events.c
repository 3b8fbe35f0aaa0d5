/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static StatusType statuses[6];
static volatile uint8_t errors;
static volatile StatusType last;

void ErrorHook(StatusType error)
{
    errors++;
    last = error;
}

ISR(Signal)
{
    EventMaskType mask;
    statuses[0] = SetEvent(Waiter, Go);
    statuses[1] = GetEvent(Waiter, &mask);
    statuses[2] = SetEvent(Basic, Go);
    statuses[3] = GetEvent(Basic, &mask);
    statuses[4] = SetEvent((TaskType)99u, Go);
    statuses[5] = GetEvent((TaskType)99u, &mask);
}

TASK(Main)
{
    EventMaskType mask = 0;
    EXPECT_IS("setting-an-event-of-a-suspended-task", SetEvent(Waiter, Go), E_OS_STATE);
    EXPECT_IS("getting-events-of-a-suspended-task", GetEvent(Waiter, &mask), E_OS_STATE);
    EXPECT_IS("setting-an-event-of-a-suspended-basic-task", SetEvent(Basic, Go), E_OS_ACCESS);
    EXPECT_IS("getting-events-of-a-suspended-basic-task", GetEvent(Basic, &mask), E_OS_ACCESS);
    EXPECT_IS("setting-an-event-of-oneself-a-basic-task", SetEvent(Main, Go), E_OS_ACCESS);
    EXPECT_IS("getting-events-of-oneself-a-basic-task", GetEvent(Main, &mask), E_OS_ACCESS);
    EXPECT_IS("a-basic-task-waits", WaitEvent(Go), E_OS_ACCESS);
    EXPECT_IS("a-basic-task-clears", ClearEvent(Go), E_OS_ACCESS);

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_IS("an-isr-sets-an-event-of-a-suspended-task", statuses[0], E_OS_STATE);
    EXPECT_IS("an-isr-gets-events-of-a-suspended-task", statuses[1], E_OS_STATE);
    EXPECT_IS("an-isr-sets-an-event-of-a-basic-task", statuses[2], E_OS_ACCESS);
    EXPECT_IS("an-isr-gets-events-of-a-basic-task", statuses[3], E_OS_ACCESS);
    EXPECT_IS("an-isr-sets-an-event-of-no-task", statuses[4], E_OS_ID);
    EXPECT_IS("an-isr-gets-events-of-no-task", statuses[5], E_OS_ID);

    (void)ActivateTask(Waiter);
    EXPECT_IS("setting-an-event-of-a-waiting-task", SetEvent(Waiter, Go), E_OK);
    EXPECT_IS("setting-an-event-of-a-task-that-ended", SetEvent(Waiter, Go), E_OS_STATE);
    EXPECT_IS("an-event-that-was-refused-is-not-there-later", ActivateTask(Waiter), E_OK);
    TaskStateType state = 99u;
    (void)GetTaskState(Waiter, &state);
    EXPECT_IS("the-task-waits-again", state, WAITING);

    (void)SetEvent(Waiter, Go);
    errors = 0;
    (void)SetRelAlarm(ToWaiter, 1, 1);
    EXPECT_IS("an-alarm-that-cannot-set-its-event-is-no-error-of-increment-counter", IncrementCounter(Soft), E_OK);
    EXPECT_IS("but-calls-the-error-hook", errors, 1);
    EXPECT_IS("for-the-suspended-task", last, E_OS_STATE);
    (void)ActivateTask(Waiter);
    EXPECT_IS("a-cyclic-alarm-sets-the-event-at-its-next-expiry", IncrementCounter(Soft), E_OK);
    (void)GetTaskState(Waiter, &state);
    EXPECT_IS("of-the-task-that-waits-now", state, SUSPENDED);
    EXPECT_IS("without-an-error", errors, 1);
    FINISH();
}

TASK(Basic)
{
    TerminateTask();
}

TASK(Waiter)
{
    (void)WaitEvent(Go);
    TerminateTask();
}
