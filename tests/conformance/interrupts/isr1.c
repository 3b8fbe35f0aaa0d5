/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;

static void first(void)
{
    carillon_port_pend(CARILLON_ISR_SOURCE_First);
}

static void second(void)
{
    carillon_port_pend(CARILLON_ISR_SOURCE_Second);
}

ISR(First)
{
    MARK('1');
    if (how == 1u) {
        second();
    } else if (how == 2u) {
        DisableAllInterrupts();
        MARK('d');
        EnableAllInterrupts();
    } else if (how == 3u) {
        SuspendAllInterrupts();
        SuspendOSInterrupts();
        second();
        MARK('d');
        ResumeOSInterrupts();
        ResumeAllInterrupts();
    }
    MARK('.');
}

ISR(Second)
{
    MARK('2');
    if (how == 4u) {
        first();
        (void)ActivateTask(High);
    } else if (how == 5u) {
        SuspendAllInterrupts();
        first();
        MARK('s');
        ResumeAllInterrupts();
        MARK('r');
        SuspendOSInterrupts();
        first();
        MARK('t');
        ResumeOSInterrupts();
        DisableAllInterrupts();
        first();
        MARK('u');
        EnableAllInterrupts();
    }
    MARK(',');
}

TASK(Main)
{
    MARK('m');
    first();
    MARK('m');
    EXPECT_MARKS("category-1-is-served-before-the-request-returns", "m1.m");

    how = 1;
    first();
    MARK('m');
    EXPECT_MARKS("category-2-waits-for-the-end-of-category-1", "1.2,m");

    how = 2;
    first();
    EXPECT_MARKS("category-1-may-disable-and-enable-all-interrupts", "1d.");

    how = 3;
    first();
    EXPECT_MARKS("category-1-may-suspend-and-resume-interrupts", "1d.2,");

    how = 4;
    second();
    MARK('m');
    EXPECT_MARKS("category-1-interrupts-category-2", "21.,hm");

    how = 5;
    second();
    EXPECT_MARKS("category-2-may-use-every-interrupt-service", "2s1.r1.tu1.,");

    how = 0;
    SuspendOSInterrupts();
    second();
    MARK('m');
    first();
    MARK('m');
    ResumeOSInterrupts();
    EXPECT_MARKS("suspending-os-interrupts-holds-category-2-alone-back", "m1.m2,");

    SuspendAllInterrupts();
    second();
    first();
    MARK('m');
    ResumeAllInterrupts();
    EXPECT_MARKS("suspending-all-interrupts-holds-both-back-and-category-1-is-served-first", "m1.2,");

    DisableAllInterrupts();
    second();
    first();
    MARK('m');
    EnableAllInterrupts();
    EXPECT_MARKS("disabling-all-interrupts-holds-both-back-and-category-1-is-served-first", "m1.2,");

    SuspendAllInterrupts();
    SuspendOSInterrupts();
    first();
    MARK('m');
    ResumeOSInterrupts();
    MARK('n');
    ResumeAllInterrupts();
    EXPECT_MARKS("suspending-os-interrupts-inside-all-holds-category-1-back", "mn1.");

    DisableAllInterrupts();
    SuspendOSInterrupts();
    first();
    MARK('m');
    ResumeOSInterrupts();
    MARK('n');
    EnableAllInterrupts();
    EXPECT_MARKS("suspending-os-interrupts-while-all-are-disabled-holds-category-1-back", "mn1.");

    (void)GetResource(Bus);
    second();
    first();
    MARK('m');
    (void)ReleaseResource(Bus);
    EXPECT_MARKS("a-resource-shared-with-category-2-leaves-category-1-alone", "1.m2,");

    (void)GetResource(RES_SCHEDULER);
    second();
    first();
    MARK('m');
    (void)ReleaseResource(RES_SCHEDULER);
    EXPECT_MARKS("the-scheduler-as-a-resource-holds-no-interrupt-back", "2,1.m");

    (void)ActivateTask(Fixed);
    EXPECT_MARKS("category-1-interrupts-a-non-preemptable-task", "f1.f");
    FINISH();
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}

TASK(Fixed)
{
    MARK('f');
    first();
    MARK('f');
    TerminateTask();
}
