/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile bool idle = true;
static TaskType identity = 77u;
static TaskType identity_in_waiter[2];
static TaskStateType seen[8];
static StatusType status = 77u;

static TaskStateType state_of(TaskType task)
{
    TaskStateType state = 99u;
    (void)GetTaskState(task, &state);
    return state;
}

ALARMCALLBACK(OnKick)
{
    /* No task is autostarted: the ISR comes while nothing runs. */
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
}

ISR(Signal)
{
    status = GetTaskID(&identity);
    seen[0] = state_of(Main);
    seen[1] = state_of(Waiter);
    if (idle) {
        idle = false;
        (void)ActivateTask(Main);
        seen[2] = state_of(Main);
    }
}

TASK(Main)
{
    TaskType self = INVALID_TASK;
    EXPECT_IS("get-task-id-with-no-task-returns-ok", status, E_OK);
    EXPECT_IS("with-no-task-running-the-identity-is-invalid-task", identity, INVALID_TASK);
    EXPECT_IS("a-task-not-activated-is-suspended-for-an-isr", seen[0], SUSPENDED);
    EXPECT_IS("an-extended-task-not-activated-is-suspended-for-an-isr", seen[1], SUSPENDED);
    EXPECT_IS("a-task-activated-by-the-isr-is-ready-until-its-end", seen[2], READY);

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_IS("an-isr-asks-for-the-task-that-it-interrupted", identity, Main);
    EXPECT_IS("the-task-that-an-isr-interrupted-is-running", seen[0], RUNNING);

    EXPECT_IS("activating-an-extended-task-returns-ok", ActivateTask(Waiter), E_OK);
    EXPECT_IS("the-extended-task-ran-under-its-own-identity", identity_in_waiter[0], Waiter);
    EXPECT_IS("an-extended-task-that-waits-is-waiting", state_of(Waiter), WAITING);
    (void)GetTaskID(&self);
    EXPECT_IS("the-task-that-goes-on-has-its-identity", self, Main);
    EXPECT_IS("a-waiting-task-has-reached-its-limit", ActivateTask(Waiter), E_OS_LIMIT);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_IS("a-waiting-task-is-waiting-for-an-isr", seen[1], WAITING);

    EXPECT_IS("get-task-state-returns-ok", GetTaskState(Low, &seen[3]), E_OK);
    EXPECT_IS("a-suspended-task-by-get-task-state", seen[3], SUSPENDED);

    EXPECT_IS("setting-its-event-returns-ok", SetEvent(Waiter, Go), E_OK);
    EXPECT_IS("the-extended-task-keeps-its-identity-after-waiting", identity_in_waiter[1], Waiter);
    EXPECT_IS("while-the-extended-task-ran-the-lower-one-was-ready", seen[4], READY);
    EXPECT_IS("while-the-extended-task-ran-it-was-running", seen[5], RUNNING);
    EXPECT_IS("preempted-by-a-higher-one-the-extended-task-was-ready", seen[6], READY);
    EXPECT_IS("an-extended-task-that-ended-is-suspended", state_of(Waiter), SUSPENDED);
    FINISH();
}

TASK(Waiter)
{
    (void)GetTaskID(&identity_in_waiter[0]);
    (void)WaitEvent(Go);
    (void)GetTaskID(&identity_in_waiter[1]);
    seen[4] = state_of(Main);
    seen[5] = state_of(Waiter);
    (void)ActivateTask(High);
    TerminateTask();
}

TASK(High)
{
    seen[6] = state_of(Waiter);
    TerminateTask();
}

TASK(Low)
{
    TerminateTask();
}
