/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;
static StatusType status;

ISR(Signal)
{
    MARK('s');
    (void)ActivateTask(Above);
}

TASK(Main)
{
    (void)ActivateTask(Member);
    EXPECT_MARKS("releasing-a-resource-inside-a-group-falls-back-to-the-groups-ceiling", "gaubh");

    how = 1;
    (void)ActivateTask(Member);
    EXPECT_MARKS("a-lower-resource-inside-a-group-lowers-nothing", "gabhl");

    how = 2;
    (void)ActivateTask(Member);
    EXPECT_IS("schedule-between-resources-returns-ok", status, E_OK);
    EXPECT_MARKS("after-schedule-a-member-takes-resources-as-before", "ghaub");

    how = 3;
    (void)ActivateTask(Fixed);
    MARK('m');
    EXPECT_MARKS("a-non-preemptable-task-takes-and-releases-resources-without-rescheduling", "ffsfAum");
    FINISH();
}

TASK(Member)
{
    MARK('g');
    if (how == 0u) {
        (void)GetResource(High);
        (void)ActivateTask(MemberHigh);
        (void)ActivateTask(User);
        MARK('a');
        (void)ReleaseResource(High);
        MARK('b');
    } else if (how == 1u) {
        (void)GetResource(Low);
        (void)ActivateTask(MemberHigh);
        (void)ActivateTask(UserLow);
        MARK('a');
        (void)ReleaseResource(Low);
        MARK('b');
    } else {
        (void)ActivateTask(MemberHigh);
        (void)GetResource(Low);
        (void)ReleaseResource(Low);
        status = Schedule();
        (void)GetResource(High);
        (void)ActivateTask(User);
        MARK('a');
        (void)ReleaseResource(High);
        MARK('b');
    }
    TerminateTask();
}

TASK(MemberHigh)
{
    MARK('h');
    TerminateTask();
}

TASK(User)
{
    MARK('u');
    TerminateTask();
}

TASK(UserLow)
{
    MARK('l');
    TerminateTask();
}

TASK(Above)
{
    MARK('A');
    TerminateTask();
}

TASK(Fixed)
{
    MARK('f');
    (void)GetResource(High);
    (void)ActivateTask(User);
    MARK('f');
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    (void)ReleaseResource(High);
    MARK('f');
    TerminateTask();
}
