/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;
static StatusType statuses[4];

static void lower(void)
{
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
}

static void upper(void)
{
    carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
}

ISR(Lower)
{
    MARK('<');
    if (how == 1u) {
        statuses[0] = GetResource(Both);
        upper();
        MARK('=');
        statuses[1] = ReleaseResource(Both);
    } else if (how == 2u) {
        statuses[2] = GetResource(LowerOnly);
        upper();
        MARK('=');
        statuses[3] = ReleaseResource(LowerOnly);
    } else if (how == 3u) {
        (void)GetResource(LowerOnly);
        (void)GetResource(Both);
        upper();
        MARK('=');
        (void)ReleaseResource(Both);
        MARK('-');
        (void)ReleaseResource(LowerOnly);
    } else if (how == 4u) {
        (void)ActivateTask(Highest);
    }
    MARK('>');
}

ISR(Upper)
{
    MARK('[');
    MARK(']');
}

TASK(Main)
{
    (void)GetResource(Both);
    lower();
    upper();
    MARK('m');
    (void)ReleaseResource(Both);
    MARK('m');
    EXPECT_MARKS("a-resource-holds-every-isr-up-to-its-ceiling-back", "m[]<>m");

    (void)GetResource(LowerOnly);
    lower();
    MARK('m');
    upper();
    MARK('m');
    (void)ReleaseResource(LowerOnly);
    MARK('m');
    EXPECT_MARKS("an-isr-above-the-ceiling-interrupts", "m[]m<>m");

    (void)GetResource(LowerOnly);
    (void)ActivateTask(Highest);
    (void)ActivateTask(High);
    MARK('m');
    (void)ReleaseResource(LowerOnly);
    MARK('m');
    EXPECT_MARKS("at-the-ceiling-of-an-isr-no-task-preempts", "mthm");

    (void)GetResource(Tasks);
    lower();
    MARK('m');
    (void)GetResource(LowerOnly);
    lower();
    (void)GetResource(Both);
    lower();
    upper();
    (void)ActivateTask(High);
    MARK('a');
    (void)ReleaseResource(Both);
    MARK('b');
    (void)ReleaseResource(LowerOnly);
    MARK('c');
    (void)ReleaseResource(Tasks);
    MARK('d');
    EXPECT_MARKS("nested-resources-of-tasks-and-isrs-fall-back-one-by-one", "<>ma[]b<>chd");

    how = 1;
    lower();
    MARK('m');
    EXPECT_MARKS("an-isr-takes-a-resource-shared-with-a-higher-one", "<=[]>m");
    EXPECT_IS("taking-in-an-isr-returns-ok", statuses[0], E_OK);
    EXPECT_IS("releasing-in-an-isr-returns-ok", statuses[1], E_OK);

    how = 2;
    lower();
    MARK('m');
    EXPECT_MARKS("an-isr-that-holds-a-resource-with-its-own-ceiling-is-interrupted-by-a-higher-one", "<[]=>m");
    EXPECT_IS("taking-with-its-own-ceiling-returns-ok", statuses[2], E_OK);
    EXPECT_IS("releasing-with-its-own-ceiling-returns-ok", statuses[3], E_OK);

    how = 3;
    lower();
    MARK('m');
    EXPECT_MARKS("resources-nest-in-an-isr", "<=[]->m");

    how = 4;
    (void)GetResource(LowerOnly);
    lower();
    MARK('m');
    (void)ReleaseResource(LowerOnly);
    MARK('m');
    EXPECT_MARKS("a-task-that-the-held-isr-readied-runs-before-the-release-returns", "m<>tm");

    (void)GetResource(Tasks);
    lower();
    MARK('m');
    (void)ReleaseResource(Tasks);
    MARK('m');
    EXPECT_MARKS("a-resource-of-tasks-alone-holds-no-isr-back", "<>tmm");

    (void)ActivateTask(Fixed);
    MARK('m');
    EXPECT_MARKS("a-non-preemptable-task-holds-an-isr-back-by-a-resource", "ff<>ftm");
    FINISH();
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}

TASK(Highest)
{
    MARK('t');
    TerminateTask();
}

TASK(Fixed)
{
    MARK('f');
    (void)GetResource(LowerOnly);
    lower();
    MARK('f');
    (void)ReleaseResource(LowerOnly);
    MARK('f');
    TerminateTask();
}
