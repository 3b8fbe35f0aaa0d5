/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;

ISR(Signal)
{
    MARK('s');
    (void)SetEvent(Waiter, Go);
    (void)ActivateTask(Full);
}

TASK(Main)
{
    (void)ActivateTask(Waiter);
    (void)ActivateTask(Fixed);
    MARK('m');
    EXPECT_MARKS("a-non-preemptable-task-preempts-a-preemptable-one-and-is-not-preempted", "wffum");

    how = 1;
    (void)ActivateTask(Full);
    MARK('m');
    EXPECT_MARKS("a-preemptable-task-is-preempted-by-a-higher-non-preemptable-one", "uHHufm");

    how = 2;
    (void)ActivateTask(Fixed);
    MARK('m');
    EXPECT_MARKS("what-an-isr-readied-waits-for-the-end-of-the-non-preemptable-task", "fsfwum");

    how = 3;
    (void)ActivateTask(Fixed);
    MARK('m');
    EXPECT_MARKS("schedule-in-a-non-preemptable-task-lets-higher-ones-of-both-kinds-run", "ffwHHuffm");

    (void)ActivateTask(Low);
    MARK('m');
    TerminateTask();
}

TASK(Fixed)
{
    MARK('f');
    if (how == 0u) {
        (void)ActivateTask(Full);
        MARK('f');
    } else if (how == 2u) {
        carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        MARK('f');
    } else if (how == 3u) {
        (void)ActivateTask(Higher);
        (void)ActivateTask(Full);
        (void)SetEvent(Waiter, Go);
        MARK('f');
        (void)Schedule();
        MARK('f');
        MARK('f');
    }
    TerminateTask();
}

TASK(Full)
{
    MARK('u');
    if (how == 1u) {
        (void)ActivateTask(Fixed);
        (void)ActivateTask(Higher);
        MARK('u');
    }
    TerminateTask();
}

TASK(Higher)
{
    MARK('H');
    (void)ActivateTask(Full);
    MARK('H');
    TerminateTask();
}

TASK(Waiter)
{
    for (;;) {
        MARK('w');
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
    }
}

TASK(Low)
{
    EXPECT_MARKS("a-lower-task-waits-whatever-its-kind", "m");
    (void)ActivateTask(Main);
    (void)ActivateTask(Full);
    (void)SetEvent(Waiter, Go);
    EXPECT_MARKS("the-lowest-task-if-non-preemptable-is-not-preempted-by-any", "");
    FINISH();
}
