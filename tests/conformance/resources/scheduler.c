/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile bool locked;

ISR(Signal)
{
    MARK('s');
    (void)ActivateTask(High);
    (void)SetEvent(Waiter, Go);
}

TASK(Main)
{
    (void)ActivateTask(Waiter);
    EXPECT_IS("taking-the-scheduler-returns-ok", GetResource(RES_SCHEDULER), E_OK);
    (void)ActivateTask(Mid);
    (void)ActivateTask(Highest);
    (void)ActivateTask(High);
    (void)SetEvent(Waiter, Go);
    MARK('m');
    EXPECT_IS("releasing-the-scheduler-returns-ok", ReleaseResource(RES_SCHEDULER), E_OK);
    MARK('m');
    EXPECT_MARKS("no-task-preempts-while-the-scheduler-is-taken", "wmthwim");

    (void)GetResource(RES_SCHEDULER);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('m');
    (void)ReleaseResource(RES_SCHEDULER);
    MARK('m');
    EXPECT_MARKS("isrs-are-served-while-the-scheduler-is-taken", "smhwm");

    (void)GetResource(Bus);
    (void)GetResource(RES_SCHEDULER);
    (void)ActivateTask(Mid);
    (void)ActivateTask(High);
    MARK('a');
    (void)ReleaseResource(RES_SCHEDULER);
    MARK('b');
    (void)ReleaseResource(Bus);
    MARK('c');
    EXPECT_MARKS("the-scheduler-inside-a-resource", "ahbic");

    (void)GetResource(RES_SCHEDULER);
    (void)GetResource(Bus);
    (void)ActivateTask(Mid);
    (void)ActivateTask(High);
    MARK('a');
    (void)ReleaseResource(Bus);
    MARK('b');
    (void)ReleaseResource(RES_SCHEDULER);
    MARK('c');
    EXPECT_MARKS("a-resource-inside-the-scheduler", "abhic");

    locked = true;
    (void)ActivateTask(High);
    EXPECT_MARKS("a-higher-task-takes-the-scheduler-too", "hHt");
    FINISH();
}

TASK(Mid)
{
    MARK('i');
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    if (locked) {
        (void)GetResource(RES_SCHEDULER);
        (void)ActivateTask(Highest);
        MARK('H');
        (void)ReleaseResource(RES_SCHEDULER);
    }
    TerminateTask();
}

TASK(Highest)
{
    MARK('t');
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
