/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;

ISR(Signal)
{
    MARK('s');
    (void)ActivateTask(C);
    (void)SetEvent(B, Go);
    (void)ActivateTask(C);
    (void)SetEvent(A, Go);
}

TASK(Main)
{
    (void)ActivateTask(A);
    (void)ActivateTask(B);
    EXPECT_MARKS("two-equal-extended-tasks-wait", "ab");

    how = 1;
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("tasks-released-from-waiting-queue-with-activated-ones-in-the-order-of-the-calls", "scbca");

    how = 2;
    (void)SetEvent(A, Go);
    EXPECT_MARKS("a-released-task-comes-after-equal-ones-that-became-ready-before", "acba");

    how = 3;
    (void)ActivateTask(High);
    EXPECT_MARKS("a-task-released-first-runs-first", "hbac");

    how = 4;
    (void)SetEvent(A, Go);
    EXPECT_MARKS("setting-an-event-for-an-equal-waiting-task-does-not-preempt", "aaba");
    FINISH();
}

TASK(High)
{
    MARK('h');
    if (how == 3u) {
        (void)SetEvent(B, Go);
        (void)SetEvent(A, Go);
        (void)ActivateTask(C);
        /* Setting it again moves nobody. */
        (void)SetEvent(B, Go);
    }
    TerminateTask();
}

TASK(A)
{
    MARK('a');
    for (;;) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
        MARK('a');
        if (how == 2u) {
            /* A waits and C releases it while B is ready. */
            how = 20;
            (void)ActivateTask(C);
            (void)SetEvent(B, Go);
        } else if (how == 4u) {
            (void)SetEvent(B, Go);
            MARK('a');
            (void)WaitEvent(Stop);
            MARK('a');
        }
    }
}

TASK(B)
{
    MARK('b');
    for (;;) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
        MARK('b');
        if (how == 4u) {
            (void)SetEvent(A, Stop);
        }
    }
}

TASK(C)
{
    MARK('c');
    if (how == 20u) {
        how = 0;
        (void)SetEvent(A, Go);
    }
    TerminateTask();
}
