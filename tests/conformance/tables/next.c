/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static void advance(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        (void)IncrementCounter(Ten);
        MARK('.');
    }
}

static void to(TickType value)
{
    TickType now = 99u;
    while ((GetCounterValue(Ten, &now) == E_OK) && (now != value)) {
        (void)IncrementCounter(Ten);
    }
}

static ScheduleTableStatusType status_of(ScheduleTableType table)
{
    ScheduleTableStatusType status = 99u;
    (void)GetScheduleTableStatus(table, &status);
    return status;
}

TASK(Main)
{
    EXPECT_IS("nothing-follows-a-stopped-table", NextScheduleTable(First, Second), E_OS_NOFUNC);
    EXPECT_IS("which-leaves-the-other-one", status_of(Second), SCHEDULETABLE_STOPPED);
    (void)StartScheduleTableRel(First, 1);
    advance(3);
    EXPECT_IS("next-schedule-table-returns-ok", NextScheduleTable(First, Second), E_OK);
    EXPECT_IS("the-next-table-is-next", status_of(Second), SCHEDULETABLE_NEXT);
    EXPECT_IS("the-first-one-runs", status_of(First), SCHEDULETABLE_RUNNING);
    advance(3);
    EXPECT_IS("until-its-end", status_of(First), SCHEDULETABLE_RUNNING);
    advance(1);
    EXPECT_IS("at-its-end-it-stops", status_of(First), SCHEDULETABLE_STOPPED);
    EXPECT_IS("and-the-next-one-runs", status_of(Second), SCHEDULETABLE_RUNNING);
    advance(4);
    EXPECT_MARKS("its-first-point-is-final-delay-and-initial-offset-after-the-last-point", ".a...b....c...");
    EXPECT_IS("it-ends-as-it-does", status_of(Second), SCHEDULETABLE_STOPPED);

    (void)StartScheduleTableRel(First, 1);
    (void)NextScheduleTable(First, AtOnce);
    advance(12);
    EXPECT_MARKS("with-initial-offset-0-in-the-tick-of-the-end", ".a...b..c....c..");
    EXPECT_IS("a-table-that-has-followed-may-be-followed", NextScheduleTable(AtOnce, Second), E_OK);
    EXPECT_IS("which-does-not-run", NextScheduleTable(Second, Last), E_OS_NOFUNC);
    EXPECT_IS("nor-may-it-be-started-relatively", StartScheduleTableRel(Second, 1), E_OS_STATE);
    EXPECT_IS("nor-absolutely", StartScheduleTableAbs(Second, 1), E_OS_STATE);
    EXPECT_IS("nor-be-next-again", NextScheduleTable(AtOnce, Second), E_OS_STATE);
    EXPECT_IS("a-table-does-not-follow-itself", NextScheduleTable(AtOnce, AtOnce), E_OS_STATE);
    EXPECT_IS("another-one-takes-its-place", NextScheduleTable(AtOnce, Last), E_OK);
    EXPECT_IS("which-is-next", status_of(Last), SCHEDULETABLE_NEXT);
    EXPECT_IS("and-it-is-stopped", status_of(Second), SCHEDULETABLE_STOPPED);
    advance(6);
    EXPECT_MARKS("the-other-one-follows", "....b..");
    EXPECT_IS("the-one-that-repeated-has-stopped", status_of(AtOnce), SCHEDULETABLE_STOPPED);
    EXPECT_IS("and-so-has-what-followed", status_of(Last), SCHEDULETABLE_STOPPED);

    (void)StartScheduleTableRel(AtOnce, 1);
    (void)NextScheduleTable(AtOnce, First);
    EXPECT_IS("the-next-table-can-be-stopped", StopScheduleTable(First), E_OK);
    EXPECT_IS("then-it-is-stopped", status_of(First), SCHEDULETABLE_STOPPED);
    advance(6);
    EXPECT_MARKS("and-does-not-follow", "c....c..");
    (void)NextScheduleTable(AtOnce, First);
    EXPECT_IS("stopping-the-running-table", StopScheduleTable(AtOnce), E_OK);
    EXPECT_IS("stops-the-next-one", status_of(First), SCHEDULETABLE_STOPPED);
    (void)StartScheduleTableRel(AtOnce, 1);
    advance(6);
    EXPECT_MARKS("which-is-forgotten-when-the-first-is-started-anew", "c....c..");
    (void)StopScheduleTable(AtOnce);

    (void)StartScheduleTableRel(Second, 1);
    (void)NextScheduleTable(Second, Last);
    advance(1);
    EXPECT_IS("what-is-next-may-be-one-of-a-row", NextScheduleTable(Last, First), E_OS_NOFUNC);
    advance(3);
    EXPECT_IS("once-it-runs-it-has-a-next-one", NextScheduleTable(Last, First), E_OK);
    advance(4);
    EXPECT_MARKS("single-shot-tables-are-followed-too", "..c...b.a..");
    EXPECT_IS("final-delay-0-is-followed", status_of(First), SCHEDULETABLE_RUNNING);
    (void)StopScheduleTable(First);

    to(0);
    (void)StartScheduleTableAbs(Implicit, 1);
    EXPECT_IS("tables-of-the-global-time-follow-each-other", NextScheduleTable(Implicit, Other), E_OK);
    advance(10);
    EXPECT_MARKS("the-first-of-them", "...a.......");
    advance(1);
    EXPECT_IS("the-second-is-synchronous", status_of(Other), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    EXPECT_IS("and-the-first-stopped", status_of(Implicit), SCHEDULETABLE_STOPPED);
    advance(5);
    EXPECT_MARKS("and-has-its-point", ".....b.");
    FINISH();
}

TASK(A)
{
    MARK('a');
    TerminateTask();
}

TASK(B)
{
    MARK('b');
    TerminateTask();
}

TASK(C)
{
    MARK('c');
    TerminateTask();
}
