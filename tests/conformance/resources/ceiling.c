/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;
static StatusType statuses[4];

static void ready_all(void)
{
    (void)ActivateTask(Two);
    (void)ActivateTask(Three);
    (void)ActivateTask(Four);
}

ISR(Signal)
{
    MARK('s');
    (void)ActivateTask(Two);
    (void)ActivateTask(Four);
    (void)ActivateTask(Five);
}

TASK(Main)
{
    EXPECT_IS("taking-a-resource-returns-ok", GetResource(Low2), E_OK);
    (void)ActivateTask(Two);
    MARK('m');
    (void)ActivateTask(Three);
    MARK('m');
    EXPECT_IS("releasing-a-resource-returns-ok", ReleaseResource(Low2), E_OK);
    MARK('m');
    EXPECT_MARKS("tasks-up-to-the-ceiling-wait-and-those-above-run", "m3m2m");

    (void)GetResource(Mid3);
    ready_all();
    MARK('m');
    (void)ReleaseResource(Mid3);
    MARK('m');
    EXPECT_MARKS("what-waited-for-the-ceiling-runs-by-priority-at-the-release", "4m32m");

    (void)GetResource(High4);
    ready_all();
    (void)ActivateTask(Equal4);
    (void)ActivateTask(Five);
    MARK('m');
    (void)ReleaseResource(High4);
    EXPECT_MARKS("at-the-highest-ceiling-only-a-task-above-it-runs", "5m4e32");

    (void)GetResource(Low2);
    (void)GetResource(Mid3);
    (void)GetResource(High4);
    ready_all();
    MARK('a');
    (void)ReleaseResource(High4);
    MARK('b');
    (void)ReleaseResource(Mid3);
    MARK('c');
    (void)ReleaseResource(Low2);
    MARK('d');
    EXPECT_MARKS("each-release-of-nested-resources-falls-back-to-the-ceiling-below", "a4b3c2d");

    (void)GetResource(High4);
    (void)GetResource(Low2);
    ready_all();
    MARK('a');
    (void)ReleaseResource(Low2);
    MARK('b');
    (void)ReleaseResource(High4);
    MARK('c');
    EXPECT_MARKS("a-lower-ceiling-inside-a-higher-one-lowers-nothing", "ab432c");

    (void)GetResource(Mid3);
    (void)ReleaseResource(Mid3);
    (void)GetResource(Mid3);
    (void)GetResource(Low2);
    (void)ActivateTask(Three);
    (void)ReleaseResource(Low2);
    (void)GetResource(Low2);
    (void)ReleaseResource(Low2);
    MARK('a');
    (void)ReleaseResource(Mid3);
    EXPECT_MARKS("a-resource-can-be-taken-again-after-its-release", "a3");

    (void)GetResource(Mid3);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('m');
    (void)ReleaseResource(Mid3);
    MARK('m');
    EXPECT_MARKS("an-isr-interrupts-a-task-with-a-resource-and-tasks-above-the-ceiling-run-at-its-end", "s54m2m");

    how = 1;
    (void)ActivateTask(Two);
    EXPECT_MARKS("a-task-preempted-with-a-resource-goes-on-before-tasks-at-its-ceiling", "252t32");
    EXPECT_IS("taking-in-the-second-task", statuses[0], E_OK);
    EXPECT_IS("releasing-in-the-second-task", statuses[1], E_OK);

    how = 2;
    (void)ActivateTask(Three);
    EXPECT_MARKS("taking-a-resource-with-ones-own-priority-as-ceiling-changes-nothing-for-higher-tasks", "34x3");

    how = 3;
    (void)ActivateTask(Waiter);
    MARK('m');
    (void)SetEvent(Waiter, Go);
    MARK('m');
    EXPECT_MARKS("an-extended-task-takes-resources-before-and-after-waiting", "w4mw4m");
    FINISH();
}

TASK(Two)
{
    MARK('2');
    if (how == 1u) {
        how = 10;
        /* Five runs above and readies tasks at the ceiling, Low2's, which is Two's own priority. */
        statuses[0] = GetResource(Low2);
        (void)ActivateTask(Five);
        MARK('2');
        statuses[1] = ReleaseResource(Low2);
        MARK('t');
        (void)ActivateTask(Three);
    }
    TerminateTask();
}

TASK(Three)
{
    MARK('3');
    if (how == 2u) {
        how = 0;
        (void)GetResource(Mid3);
        (void)ActivateTask(Four);
        MARK('x');
        (void)ActivateTask(Three);
        (void)ReleaseResource(Mid3);
    }
    TerminateTask();
}

TASK(Four)
{
    MARK('4');
    (void)GetResource(High4);
    (void)ReleaseResource(High4);
    TerminateTask();
}

TASK(Equal4)
{
    MARK('e');
    TerminateTask();
}

TASK(Five)
{
    MARK('5');
    if (how == 10u) {
        (void)ActivateTask(Two);
    }
    TerminateTask();
}

TASK(Waiter)
{
    (void)GetResource(High4);
    (void)ActivateTask(Four);
    MARK('w');
    (void)ReleaseResource(High4);
    (void)WaitEvent(Go);
    (void)GetResource(High4);
    (void)ActivateTask(Four);
    MARK('w');
    (void)ReleaseResource(High4);
    TerminateTask();
}
