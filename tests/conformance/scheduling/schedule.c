/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static StatusType status;

static void deep_schedule(uint8_t depth)
{
    volatile uint32_t local[2] = {depth, depth};
    if (depth == 0u) {
        status = Schedule();
    } else {
        deep_schedule((uint8_t)(depth - 1u));
    }
    if (local[0] + local[1] != 2u * (uint32_t)depth) {
        MARK('!');
    }
}

TASK(Main)
{
    (void)ActivateTask(Full);
    EXPECT_IS("schedule-in-a-preemptable-task-returns-ok", status, E_OK);
    EXPECT_MARKS("schedule-in-a-preemptable-task-lets-no-equal-task-run", "uuff");

    (void)ActivateTask(Grouped);
    EXPECT_IS("schedule-in-a-task-with-an-internal-resource-returns-ok", status, E_OK);
    EXPECT_MARKS("schedule-gives-the-internal-resource-up-to-higher-tasks", "gMdggd");

    status = 99u;
    (void)ActivateTask(Fixed);
    EXPECT_MARKS("schedule-in-a-non-preemptable-task-lets-every-higher-one-run", "ffMddf");

    (void)ActivateTask(Extended);
    EXPECT_IS("schedule-from-nested-calls-returns-ok", status, E_OK);
    EXPECT_MARKS("schedule-from-nested-calls-of-an-extended-task", "xdx");
    FINISH();
}

TASK(Full)
{
    MARK('u');
    (void)ActivateTask(Fixed);
    status = Schedule();
    MARK('u');
    TerminateTask();
}

TASK(Fixed)
{
    MARK('f');
    if (status == 99u) {
        (void)ActivateTask(Mid);
        (void)ActivateTask(Member);
        (void)ActivateTask(Mid);
        MARK('f');
        status = Schedule();
    }
    MARK('f');
    TerminateTask();
}

TASK(Grouped)
{
    MARK('g');
    (void)ActivateTask(Mid);
    (void)ActivateTask(Member);
    status = Schedule();
    MARK('g');
    /* Taken again: neither Mid nor Member preempts. */
    (void)ActivateTask(Mid);
    MARK('g');
    (void)TerminateTask();
}

TASK(Member)
{
    MARK('M');
    TerminateTask();
}

TASK(Mid)
{
    MARK('d');
    TerminateTask();
}

TASK(Extended)
{
    MARK('x');
    (void)ActivateTask(Mid);
    deep_schedule(5);
    MARK('x');
    TerminateTask();
}
