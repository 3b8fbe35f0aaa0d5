/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;

static TaskStateType state_of(TaskType task)
{
    TaskStateType state = 99u;
    (void)GetTaskState(task, &state);
    return state;
}

ISR(Signal)
{
    MARK('s');
    (void)ActivateTask(MemberHigh);
    (void)ActivateTask(Above);
}

TASK(Main)
{
    how = 0;
    (void)ActivateTask(MemberLow);
    EXPECT_MARKS("a-higher-member-does-not-preempt-a-lower-one", "llhm");

    how = 1;
    (void)ActivateTask(MemberLow);
    EXPECT_MARKS("a-task-between-the-members-does-not-preempt", "llb");

    how = 2;
    (void)ActivateTask(MemberLow);
    EXPECT_MARKS("a-task-outside-with-the-priority-of-the-highest-member-does-not-preempt", "lle");

    how = 3;
    (void)ActivateTask(MemberLow);
    EXPECT_MARKS("a-task-above-all-members-preempts", "lal");

    how = 4;
    (void)ActivateTask(MemberLow);
    EXPECT_MARKS("schedule-lets-higher-members-run-and-takes-the-resource-again", "lhmlh");

    how = 5;
    (void)ActivateTask(MemberLow);
    EXPECT_MARKS("an-isr-interrupts-a-member-and-only-what-is-above-the-group-preempts-it", "lsalh");

    how = 6;
    (void)ActivateTask(MemberLow);
    EXPECT_MARKS("a-member-preempted-from-above-keeps-the-resource", "laalhm");

    how = 7;
    (void)ActivateTask(MemberLow);
    EXPECT_MARKS("a-member-that-chains-gives-the-resource-up", "lhb");

    how = 8;
    (void)ActivateTask(Alone);
    EXPECT_MARKS("a-group-of-one-hinders-no-higher-task", "ohbool");

    how = 9;
    (void)ActivateTask(MemberMid);
    EXPECT_MARKS("at-the-end-of-a-member-all-that-waited-runs-by-priority-and-order", "mmhbol");
    FINISH();
}

TASK(MemberLow)
{
    MARK('l');
    switch (how) {
    case 0:
        (void)ActivateTask(MemberMid);
        (void)ActivateTask(MemberHigh);
        MARK(state_of(MemberHigh) == READY ? 'l' : '!');
        break;
    case 1:
        (void)ActivateTask(Between);
        MARK('l');
        break;
    case 2:
        (void)ActivateTask(EqualHigh);
        MARK('l');
        break;
    case 3:
        (void)ActivateTask(Above);
        MARK('l');
        break;
    case 4:
        (void)ActivateTask(MemberMid);
        (void)ActivateTask(MemberHigh);
        (void)Schedule();
        (void)ActivateTask(MemberHigh);
        MARK('l');
        break;
    case 5:
        carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        MARK('l');
        break;
    case 6:
        (void)ActivateTask(Above);
        MARK('l');
        break;
    case 7:
        (void)ActivateTask(MemberHigh);
        ChainTask(Between);
        MARK('!');
        break;
    default:
        break;
    }
    TerminateTask();
}

TASK(Between)
{
    MARK('b');
    TerminateTask();
}

TASK(MemberMid)
{
    MARK('m');
    if (how == 9u) {
        (void)ActivateTask(Alone);
        (void)ActivateTask(MemberLow);
        (void)ActivateTask(Between);
        (void)ActivateTask(MemberHigh);
        MARK('m');
    }
    TerminateTask();
}

TASK(MemberHigh)
{
    MARK('h');
    TerminateTask();
}

TASK(EqualHigh)
{
    MARK('e');
    TerminateTask();
}

TASK(Above)
{
    MARK('a');
    if (how == 6u) {
        /* Members become ready behind the member that is preempted. */
        (void)ActivateTask(MemberMid);
        (void)ActivateTask(MemberHigh);
        MARK('a');
    }
    TerminateTask();
}

TASK(Alone)
{
    MARK('o');
    if (how == 8u) {
        (void)ActivateTask(MemberHigh);
        (void)ActivateTask(Between);
        MARK('o');
        /* Its ceiling is its own priority. */
        (void)ActivateTask(MemberLow);
        MARK('o');
    }
    TerminateTask();
}
