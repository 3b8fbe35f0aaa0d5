/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

ISR(Signal)
{
    MARK('s');
    (void)ActivateTask(High);
    MARK('s');
}

TASK(Main)
{
    (void)ActivateTask(Waiter);
    EXPECT_MARKS("a-higher-task-runs-when-activated", "w");
    (void)SetEvent(Waiter, Go);
    EXPECT_MARKS("a-higher-task-runs-when-its-event-is-set", "w");

    (void)GetResource(Bus);
    (void)ActivateTask(High);
    MARK('m');
    (void)ReleaseResource(Bus);
    MARK('m');
    EXPECT_MARKS("a-higher-task-runs-when-the-resource-is-released", "mhm");

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('m');
    EXPECT_MARKS("a-higher-task-runs-at-the-end-of-the-isr", "sshm");

    (void)SetRelAlarm(ToHigh, 1, 0);
    (void)SetRelAlarm(ToWaiter, 2, 0);
    (void)IncrementCounter(Soft);
    MARK('m');
    EXPECT_MARKS("a-higher-task-runs-when-an-alarm-activates-it", "hm");
    (void)IncrementCounter(Soft);
    MARK('m');
    EXPECT_MARKS("a-higher-task-runs-when-an-alarm-sets-its-event", "wm");

    (void)ActivateTask(Equal);
    (void)ActivateTask(Low);
    (void)ActivateTask(Equal2);
    (void)ActivateTask(Equal);
    MARK('m');
    EXPECT_IS("schedule-returns-ok", Schedule(), E_OK);
    MARK('m');
    (void)ActivateTask(High);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('m');
    EXPECT_MARKS("equal-and-lower-tasks-wait-also-after-others-preempted", "mmhsshm");
    TerminateTask();
}

TASK(Equal)
{
    MARK('e');
    (void)ActivateTask(High);
    MARK('e');
    TerminateTask();
}

TASK(Equal2)
{
    MARK('f');
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('f');
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}

TASK(Waiter)
{
    MARK('w');
    for (;;) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
        MARK('w');
    }
}

TASK(Low)
{
    EXPECT_MARKS("a-preempted-task-goes-on-before-equal-ones-that-were-activated-first", "ehefsshfehe");
    FINISH();
}
