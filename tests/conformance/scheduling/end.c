/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;
static volatile TaskType ended;
static volatile TaskType again = INVALID_TASK;
static TaskStateType state;
static TaskStateType state_of_next;
static StatusType status;

static void reset(uint8_t scenario, TaskType task)
{
    how = scenario;
    ended = task;
    again = INVALID_TASK;
    state = 99u;
    state_of_next = 99u;
    status = 99u;
}

/* What the higher task sees and does that runs as soon as the other has ended. */
static void look(void)
{
    (void)GetTaskState(ended, &state);
    (void)GetTaskState(Next, &state_of_next);
    if (again != INVALID_TASK) {
        how = 0;
        status = ActivateTask(again);
    }
}

TASK(Main)
{
    reset(1, Fixed);
    (void)ActivateTask(Fixed);
    EXPECT_MARKS("a-non-preemptable-task-ends-and-a-higher-one-runs", "fh");
    EXPECT_IS("the-ended-task-is-suspended", state, SUSPENDED);

    reset(1, Fixed);
    again = Fixed;
    (void)ActivateTask(Fixed);
    EXPECT_IS("the-ended-task-can-be-activated-at-once", status, E_OK);
    EXPECT_MARKS("and-runs-after-the-higher-one", "fhf");

    reset(2, Fixed);
    (void)ActivateTask(Fixed);
    MARK('m');
    EXPECT_MARKS("a-non-preemptable-task-chains-and-a-higher-one-runs-first", "fhnm");
    EXPECT_IS("the-task-that-chained-is-suspended", state, SUSPENDED);
    EXPECT_IS("the-chained-task-is-ready", state_of_next, READY);

    reset(2, Fixed);
    again = Next;
    (void)ActivateTask(Fixed);
    EXPECT_IS("the-chained-task-has-reached-its-limit", status, E_OS_LIMIT);
    EXPECT_MARKS("and-runs-once", "fhn");

    reset(3, Fixed);
    (void)ActivateTask(Fixed);
    EXPECT_MARKS("a-non-preemptable-task-chains-itself-and-a-higher-one-runs-first", "fhf");
    EXPECT_IS("the-task-that-chained-itself-is-ready", state, READY);

    reset(1, Member);
    (void)ActivateTask(Member);
    EXPECT_MARKS("a-member-ends-and-a-higher-task-runs", "gh");
    EXPECT_IS("the-ended-member-is-suspended", state, SUSPENDED);

    reset(1, Member);
    again = Member;
    (void)ActivateTask(Member);
    EXPECT_IS("the-ended-member-can-be-activated-at-once", status, E_OK);
    EXPECT_MARKS("and-the-member-runs-after-the-higher-task", "ghg");

    reset(2, Member);
    (void)ActivateTask(Member);
    EXPECT_MARKS("a-member-chains-a-higher-one-which-runs-before-a-task-between", "gHh");
    EXPECT_IS("the-member-that-chained-is-suspended", state, SUSPENDED);

    reset(1, Several);
    (void)ActivateTask(Several);
    EXPECT_MARKS("a-task-with-further-activations-ends-and-a-higher-one-runs", "shs");
    EXPECT_IS("the-task-with-further-activations-is-ready", state, READY);

    reset(1, Several);
    again = Several;
    (void)ActivateTask(Several);
    EXPECT_IS("its-ended-activation-does-not-count", status, E_OK);
    EXPECT_MARKS("and-its-new-activation-runs-too", "shss");

    reset(1, Waiter);
    (void)ActivateTask(Waiter);
    EXPECT_MARKS("a-non-preemptable-task-waits-and-a-higher-one-runs", "wh");
    EXPECT_IS("the-task-that-waits-is-waiting", state, WAITING);
    reset(4, Waiter);
    (void)SetEvent(Waiter, Go);
    EXPECT_MARKS("a-higher-task-ends-a-wait-that-has-just-begun", "whw");
    EXPECT_IS("the-waiting-task-was-waiting", state, WAITING);
    FINISH();
}

TASK(Fixed)
{
    MARK('f');
    if (how == 1u) {
        (void)ActivateTask(High);
    } else if (how == 2u) {
        (void)ActivateTask(High);
        ChainTask(Next);
        MARK('!');
    } else if (how == 3u) {
        how = 0;
        (void)ActivateTask(High);
        ChainTask(Fixed);
        MARK('!');
    }
    TerminateTask();
}

TASK(Member)
{
    MARK('g');
    if (how != 0u) {
        (void)ActivateTask(High);
    }
    if (how == 2u) {
        ChainTask(MemberHigh);
        MARK('!');
    }
    TerminateTask();
}

TASK(MemberHigh)
{
    MARK('H');
    TerminateTask();
}

TASK(Several)
{
    MARK('s');
    if (how == 1u) {
        how = 0;
        (void)ActivateTask(Several);
        (void)ActivateTask(High);
    }
    TerminateTask();
}

TASK(Waiter)
{
    MARK('w');
    (void)ActivateTask(High);
    (void)WaitEvent(Go);
    (void)ClearEvent(Go);
    MARK('w');
    (void)ActivateTask(High);
    (void)WaitEvent(Go);
    MARK('w');
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    look();
    if (how == 4u) {
        (void)SetEvent(Waiter, Go);
    }
    TerminateTask();
}

TASK(Next)
{
    MARK('n');
    TerminateTask();
}
