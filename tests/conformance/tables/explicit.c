/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static void advance(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        (void)IncrementCounter(Wide);
        MARK('.');
    }
}

static ScheduleTableStatusType status_of(ScheduleTableType table)
{
    ScheduleTableStatusType status = 99u;
    (void)GetScheduleTableStatus(table, &status);
    return status;
}

static void waiting(void)
{
    EXPECT_IS("starting-synchronously-returns-ok", StartScheduleTableSynchron(Fixed), E_OK);
    EXPECT_IS("then-the-table-waits", status_of(Fixed), SCHEDULETABLE_WAITING);
    EXPECT_IS("a-waiting-table-cannot-be-started-synchronously", StartScheduleTableSynchron(Fixed), E_OS_STATE);
    EXPECT_IS("nor-relatively", StartScheduleTableRel(Fixed, 1), E_OS_STATE);
    EXPECT_IS("nor-absolutely", StartScheduleTableAbs(Fixed, 1), E_OS_STATE);
    EXPECT_IS("nor-be-set-asynchronous", SetScheduleTableAsync(Fixed), E_OS_STATE);
    advance(15);
    EXPECT_MARKS("nothing-comes-of-it", "...............");
    EXPECT_IS("synchronising-returns-ok", SyncScheduleTable(Fixed, 7), E_OK);
    EXPECT_IS("then-it-is-synchronous", status_of(Fixed), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    advance(4);
    EXPECT_MARKS("it-begins-duration-less-the-value-later", "..a..");
    EXPECT_IS("a-waiting-table-can-be-stopped",
              StopScheduleTable(Fixed) + StartScheduleTableSynchron(Fixed) + StopScheduleTable(Fixed), E_OK);
    EXPECT_IS("a-stopped-table-is-not-synchronised", SyncScheduleTable(Fixed, 7), E_OS_STATE);
    EXPECT_IS("nor-set-asynchronous", SetScheduleTableAsync(Fixed), E_OS_STATE);
    (void)StartScheduleTableSynchron(Sync);
    (void)SyncScheduleTable(Sync, 0);
    advance(26);
    EXPECT_MARKS("the-value-0-is-a-whole-duration-before-the-begin", "........................a..");
    (void)StopScheduleTable(Sync);
    (void)StartScheduleTableSynchron(Fixed);
    EXPECT_IS("a-waiting-table-may-have-a-next-one", NextScheduleTable(Fixed, Follows), E_OK);
    (void)SyncScheduleTable(Fixed, 9);
    advance(12);
    EXPECT_MARKS("which-follows-it", "a...........b.");
    EXPECT_IS("and-is-as-synchronous", status_of(Follows), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    (void)StopScheduleTable(Follows);
}

/* Start the table Sync, and go to its position 10, just between its points. */
static void begin(void)
{
    (void)StopScheduleTable(Sync);
    (void)StartScheduleTableRel(Sync, 1);
    advance(11);
}

static void adjusting(void)
{
    begin();
    EXPECT_IS("a-started-table-is-not-synchronous", status_of(Sync), SCHEDULETABLE_RUNNING);
    advance(10);
    EXPECT_IS("nor-does-it-become-so", status_of(Sync), SCHEDULETABLE_RUNNING);
    EXPECT_MARKS("it-runs-as-others-do", ".....a..........b......");

    begin();
    (void)SyncScheduleTable(Sync, 10);
    EXPECT_IS("without-a-deviation-it-is-synchronous", status_of(Sync), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    (void)SyncScheduleTable(Sync, 11);
    EXPECT_IS("with-one-of-the-precision-behind-it-is-too", status_of(Sync), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    (void)SyncScheduleTable(Sync, 12);
    EXPECT_IS("with-more-it-is-not", status_of(Sync), SCHEDULETABLE_RUNNING);
    (void)SyncScheduleTable(Sync, 9);
    EXPECT_IS("with-one-of-the-precision-ahead-it-is", status_of(Sync), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    (void)SyncScheduleTable(Sync, 8);
    EXPECT_IS("with-more-ahead-it-is-not", status_of(Sync), SCHEDULETABLE_RUNNING);
    EXPECT_MARKS("so-far", ".....a......");

    begin();
    (void)SyncScheduleTable(Sync, 13);
    advance(4);
    EXPECT_IS("until-the-next-point-it-is-not-synchronous", status_of(Sync), SCHEDULETABLE_RUNNING);
    advance(1);
    EXPECT_MARKS("the-delay-that-runs-is-not-changed", ".....a..........b.");
    EXPECT_IS("nor-at-the-point-which-plans-a-shorter-delay", status_of(Sync), SCHEDULETABLE_RUNNING);
    advance(2);
    EXPECT_IS("nor-before-the-end-which-comes-earlier", status_of(Sync), SCHEDULETABLE_RUNNING);
    advance(1);
    EXPECT_IS("from-there-on-what-is-left-is-within-the-precision", status_of(Sync),
              SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    advance(5);
    EXPECT_MARKS("behind-the-next-delay-is-shorter-by-max-shorten", ".......a.");
    advance(9);
    EXPECT_MARKS("and-the-one-after-it-by-the-rest", "........b.");
    advance(10);
    EXPECT_MARKS("then-they-are-as-long-as-ever", ".........a.");

    begin();
    (void)SyncScheduleTable(Sync, 4);
    advance(18);
    EXPECT_MARKS("ahead-the-next-delay-is-longer-by-max-lengthen", ".....a..........b.............a.");
    advance(13);
    EXPECT_MARKS("and-so-is-the-one-after-it", "............b.");
    advance(10);
    EXPECT_MARKS("as-long-as-it-is-ahead", ".........a.");

    begin();
    (void)SyncScheduleTable(Sync, 0);
    advance(13);
    EXPECT_MARKS("half-a-duration-is-behind", ".....a..........b........a.");
    begin();
    (void)SyncScheduleTable(Sync, 19);
    advance(13);
    EXPECT_MARKS("less-than-half-of-it-behind-is-behind", ".....a..........b........a.");
    begin();
    (void)SyncScheduleTable(Sync, 1);
    advance(18);
    EXPECT_MARKS("less-than-half-of-it-ahead-is-ahead", ".....a..........b.............a.");
}

static void followed(void)
{
    begin();
    (void)SyncScheduleTable(Sync, 4);
    (void)NextScheduleTable(Sync, Follows);
    advance(11);
    EXPECT_MARKS("a-next-table-begins-exactly-final-delay-after-the-last-point", ".....a..........b......b.");
    advance(7);
    EXPECT_MARKS("and-is-adjusted-from-its-first-point-on", "......b.");
    (void)StopScheduleTable(Follows);
}

static void asynchronous(void)
{
    begin();
    (void)SyncScheduleTable(Sync, 10);
    EXPECT_IS("setting-a-table-asynchronous-returns-ok", SetScheduleTableAsync(Sync), E_OK);
    EXPECT_IS("then-it-is-not-synchronous", status_of(Sync), SCHEDULETABLE_RUNNING);
    EXPECT_IS("and-may-be-set-again", SetScheduleTableAsync(Sync), E_OK);
    (void)SyncScheduleTable(Sync, 13);
    (void)SetScheduleTableAsync(Sync);
    advance(15);
    EXPECT_MARKS("its-points-come-without-adjustment", ".....a..........b..........a.");
    EXPECT_IS("and-it-stays-asynchronous", status_of(Sync), SCHEDULETABLE_RUNNING);
    (void)SyncScheduleTable(Sync, 5);
    EXPECT_IS("until-it-is-synchronised-anew", status_of(Sync), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    (void)StopScheduleTable(Sync);

    (void)StartScheduleTableRel(Fixed, 1);
    (void)SyncScheduleTable(Fixed, 5);
    advance(11);
    EXPECT_MARKS("without-limits-nothing-is-adjusted", "a..........a.");
    EXPECT_IS("and-the-table-not-synchronous", status_of(Fixed), SCHEDULETABLE_RUNNING);
    EXPECT_IS("a-table-that-is-ahead-may-be-followed", NextScheduleTable(Fixed, Follows), E_OK);
    EXPECT_IS("what-is-next-is-not-synchronised", SyncScheduleTable(Follows, 0), E_OS_STATE);
    EXPECT_IS("nor-what-is-next-set-asynchronous", SetScheduleTableAsync(Follows), E_OS_STATE);
    (void)SyncScheduleTable(Fixed, 7);
    advance(11);
    EXPECT_MARKS("the-first-point-of-what-follows-is-not-adjusted", "..........b.");
    advance(6);
    EXPECT_IS("and-it-goes-on-synchronising", status_of(Follows), SCHEDULETABLE_RUNNING);
    advance(1);
    EXPECT_MARKS("its-second-one-is", "......b.");
    EXPECT_IS("and-plans-what-is-left", status_of(Follows), SCHEDULETABLE_RUNNING);
    advance(6);
    EXPECT_MARKS("which-the-next-turn-has-caught-up-with", ".....b.");
    EXPECT_IS("so-that-it-is-synchronous", status_of(Follows), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
}

TASK(Main)
{
    waiting();
    adjusting();
    followed();
    asynchronous();
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
