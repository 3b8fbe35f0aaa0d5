/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static TaskStateType state_of(TaskType task)
{
    TaskStateType state = 99u;
    (void)GetTaskState(task, &state);
    return state;
}

ISR(Signal)
{
    MARK('s');
    (void)SetEvent(Low, Go);
    (void)SetEvent(High, Go);
}

TASK(Main)
{
    (void)ActivateTask(Low);
    EXPECT_MARKS("a-member-that-waits-gives-its-resource-up-to-a-higher-member", "llH");
    EXPECT_IS("the-lower-member-waits", state_of(Low), WAITING);
    EXPECT_IS("the-higher-member-waits", state_of(High), WAITING);

    MARK('m');
    (void)SetEvent(Low, Go);
    MARK('m');
    EXPECT_MARKS("a-member-that-goes-on-after-waiting-has-its-resource-again", "mllHom");

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('m');
    EXPECT_MARKS("members-released-by-an-isr-run-by-priority-and-waiting-for-a-set-event-keeps-the-resource",
                 "sHllHom");

    (void)ActivateTask(Fixed);
    EXPECT_MARKS("a-non-preemptable-task-gives-way-only-when-it-really-waits", "ffa");
    EXPECT_IS("the-non-preemptable-task-waits", state_of(Fixed), WAITING);
    (void)SetEvent(Fixed, Stop);
    MARK('m');
    EXPECT_MARKS("after-waiting-it-is-not-preemptable-again", "ffam");

    EXPECT_IS("the-lower-member-waits-at-the-end", state_of(Low), WAITING);
    (void)SetEvent(Low, Go);
    MARK('m');
    EXPECT_MARKS("a-member-that-terminates-after-waiting-gives-its-resource-up", "llHm");
    EXPECT_IS("the-lower-member-is-suspended", state_of(Low), SUSPENDED);
    FINISH();
}

TASK(Low)
{
    MARK('l');
    (void)ActivateTask(High);
    MARK('l');
    (void)WaitEvent(Go);
    (void)ClearEvent(Go);

    MARK('l');
    (void)SetEvent(High, Go);
    (void)ActivateTask(Outside);
    MARK('l');
    (void)WaitEvent(Go);
    (void)ClearEvent(Go);

    MARK('l');
    (void)SetEvent(Low, Stop);
    (void)SetEvent(High, Go);
    (void)ActivateTask(Outside);
    (void)WaitEvent(Stop);
    MARK('l');
    (void)ClearEvent(Stop);
    (void)WaitEvent(Go);

    MARK('l');
    (void)SetEvent(High, Go);
    MARK('l');
    TerminateTask();
}

TASK(High)
{
    for (;;) {
        MARK('H');
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
    }
}

TASK(Outside)
{
    MARK('o');
    TerminateTask();
}

TASK(Fixed)
{
    MARK('f');
    (void)ActivateTask(Above);
    (void)SetEvent(Fixed, Go);
    (void)WaitEvent(Go);
    MARK('f');
    (void)WaitEvent(Stop);
    MARK('f');
    (void)ActivateTask(Above);
    MARK('f');
    TerminateTask();
}

TASK(Above)
{
    MARK('a');
    TerminateTask();
}
