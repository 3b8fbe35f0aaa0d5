/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static StatusType statuses[12];

ISR(Lower)
{
    statuses[0] = GetResource(Interrupt);
    statuses[1] = GetResource(Interrupt);
    statuses[2] = ReleaseResource(Interrupt);
    statuses[3] = ReleaseResource(Interrupt);
    statuses[4] = GetResource(Bus);
    statuses[5] = GetResource(RES_SCHEDULER);
}

ISR(Upper)
{
    statuses[0] = GetResource(Interrupt);
    statuses[1] = ReleaseResource(Interrupt);
}

TASK(Main)
{
    EXPECT_IS("releasing-what-is-not-taken", ReleaseResource(Bus), E_OS_NOFUNC);
    EXPECT_IS("releasing-the-scheduler-that-is-not-taken", ReleaseResource(RES_SCHEDULER), E_OS_NOFUNC);
    (void)GetResource(Bus);
    EXPECT_IS("taking-twice", GetResource(Bus), E_OS_ACCESS);
    EXPECT_IS("taking-the-linked-one-is-no-error", GetResource(Again), E_OK);
    EXPECT_IS("taking-the-linked-one-twice", GetResource(Again), E_OS_ACCESS);
    EXPECT_IS("releasing-the-one-behind-before-the-linked-one", ReleaseResource(Bus), E_OS_NOFUNC);
    EXPECT_IS("releasing-the-linked-one", ReleaseResource(Again), E_OK);
    EXPECT_IS("releasing-the-linked-one-twice", ReleaseResource(Again), E_OS_NOFUNC);
    EXPECT_IS("taking-another", GetResource(Line), E_OK);
    EXPECT_IS("releasing-in-the-wrong-order", ReleaseResource(Bus), E_OS_NOFUNC);
    EXPECT_IS("releasing-the-last", ReleaseResource(Line), E_OK);
    EXPECT_IS("releasing-the-first", ReleaseResource(Bus), E_OK);
    EXPECT_IS("releasing-twice", ReleaseResource(Bus), E_OS_NOFUNC);
    (void)GetResource(RES_SCHEDULER);
    EXPECT_IS("taking-the-scheduler-twice", GetResource(RES_SCHEDULER), E_OS_ACCESS);
    (void)ReleaseResource(RES_SCHEDULER);

    (void)GetResource(Bus);
    EXPECT_IS("terminating-with-a-resource", TerminateTask(), E_OS_RESOURCE);
    EXPECT_IS("chaining-with-a-resource", ChainTask(High), E_OS_RESOURCE);
    EXPECT_IS("chaining-to-oneself-with-a-resource", ChainTask(Main), E_OS_RESOURCE);
    EXPECT_IS("schedule-with-a-resource", Schedule(), E_OS_RESOURCE);
    (void)ReleaseResource(Bus);
    (void)GetResource(RES_SCHEDULER);
    EXPECT_IS("terminating-with-the-scheduler", TerminateTask(), E_OS_RESOURCE);
    EXPECT_IS("schedule-with-the-scheduler", Schedule(), E_OS_RESOURCE);
    (void)ReleaseResource(RES_SCHEDULER);
    (void)GetResource(Interrupt);
    EXPECT_IS("terminating-with-a-resource-of-an-isr", TerminateTask(), E_OS_RESOURCE);
    (void)ReleaseResource(Interrupt);

    (void)ActivateTask(High);
    EXPECT_IS("taking-a-resource-with-a-ceiling-below-ones-priority", statuses[6], E_OS_ACCESS);
    EXPECT_IS("releasing-a-resource-that-nobody-holds-in-a-higher-task", statuses[7], E_OS_NOFUNC);
    (void)GetResource(Bus);
    (void)ActivateTask(High);
    (void)ReleaseResource(Bus);
    EXPECT_IS("releasing-a-lower-tasks-resource-with-a-ceiling-below-ones-priority", statuses[0], E_OS_ACCESS);

    (void)ActivateTask(Fixed);
    EXPECT_IS("schedule-with-a-resource-in-a-non-preemptable-task", statuses[8], E_OS_RESOURCE);
    EXPECT_IS("terminating-with-a-resource-in-a-non-preemptable-task", statuses[9], E_OS_RESOURCE);

    (void)ActivateTask(Waiter);
    EXPECT_IS("waiting-with-a-resource", statuses[10], E_OS_RESOURCE);
    EXPECT_IS("waiting-with-a-resource-for-an-event-that-is-set", statuses[11], E_OS_RESOURCE);

    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    EXPECT_IS("an-isr-takes-its-resource", statuses[0], E_OK);
    EXPECT_IS("an-isr-takes-it-twice", statuses[1], E_OS_ACCESS);
    EXPECT_IS("an-isr-releases-it", statuses[2], E_OK);
    EXPECT_IS("an-isr-releases-it-twice", statuses[3], E_OS_NOFUNC);
    EXPECT_IS("an-isr-takes-a-resource-of-tasks", statuses[4], E_OS_ACCESS);
    EXPECT_IS("an-isr-takes-the-scheduler", statuses[5], E_OS_ACCESS);
    carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
    EXPECT_IS("an-isr-takes-a-resource-of-lower-isrs", statuses[0], E_OS_ACCESS);
    EXPECT_IS("an-isr-releases-what-it-has-not-taken", statuses[1], E_OS_NOFUNC);

    EXPECT_IS("after-all-errors-the-resources-are-free", GetResource(Bus) + GetResource(Line), E_OK);
    EXPECT_IS("and-can-be-released", ReleaseResource(Line) + ReleaseResource(Bus), E_OK);
    FINISH();
}

TASK(High)
{
    statuses[6] = GetResource(Bus);
    statuses[7] = ReleaseResource(Line);
    statuses[0] = ReleaseResource(Bus);
    TerminateTask();
}

TASK(Mid)
{
    TerminateTask();
}

TASK(Fixed)
{
    (void)GetResource(Line);
    statuses[8] = Schedule();
    statuses[9] = TerminateTask();
    (void)ReleaseResource(Line);
    TerminateTask();
}

TASK(Waiter)
{
    (void)GetResource(Line);
    statuses[10] = WaitEvent(Go);
    (void)SetEvent(Waiter, Go);
    statuses[11] = WaitEvent(Go);
    (void)ReleaseResource(Line);
    TerminateTask();
}
