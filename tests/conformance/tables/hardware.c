/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static TickType now(void)
{
    TickType value = 99u;
    (void)GetCounterValue(Clock, &value);
    return value;
}

/* Go to the next tick so many times. */
static void pass(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        const TickType before = now();
        while (now() == before) {
            carillon_work(CARILLON_CLOCK_HZ / 20000u);
        }
        MARK('.');
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
    TickType value = 0;
    TickType elapsed = 99u;
    (void)ActivateTask(B);
    EXPECT_IS("a-table-that-starts-relatively-runs", status_of(Relative), SCHEDULETABLE_RUNNING);
    EXPECT_IS("one-that-starts-absolutely-with-the-counter-is-synchronous", status_of(Absolute),
              SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    EXPECT_IS("one-of-another-mode-is-stopped", status_of(Never), SCHEDULETABLE_STOPPED);
    EXPECT_IS("one-that-starts-synchronously-waits", status_of(Waits), SCHEDULETABLE_WAITING);
    EXPECT_IS("get-counter-value-returns-ok", GetCounterValue(Clock, &value), E_OK);
    EXPECT_IS("the-counter-begins-with-0", value, 0);
    pass(8);
    EXPECT_MARKS("they-have-their-points", "..a..b..a..");
    EXPECT_IS("and-the-counter-has-counted", now(), 8);
    EXPECT_IS("get-elapsed-value-returns-ok", GetElapsedValue(Clock, &value, &elapsed), E_OK);
    EXPECT_IS("what-has-elapsed", elapsed, 8);
    EXPECT_IS("and-the-value-of-now", value, 8);
    EXPECT_IS("without-a-tick", GetElapsedValue(Clock, &value, &elapsed), E_OK);
    EXPECT_IS("nothing-has-elapsed", elapsed, 0);
    value = 9;
    EXPECT_IS("from-the-next-value-on", GetElapsedCounterValue(Clock, &value, &elapsed), E_OK);
    EXPECT_IS("all-but-one-tick-of-a-turn-have", elapsed, 19);
    EXPECT_IS("the-relative-one-has-ended", status_of(Relative), SCHEDULETABLE_STOPPED);
    pass(11);
    EXPECT_IS("maxallowedvalue", now(), 19);
    pass(1);
    EXPECT_IS("then-0", now(), 0);
    (void)GetElapsedValue(Clock, &value, &elapsed);
    EXPECT_IS("what-has-elapsed-wraps", elapsed, 12);
    pass(7);
    EXPECT_MARKS("and-so-do-the-points", "................b..a.");
    (void)StopScheduleTable(Absolute);

    EXPECT_IS("a-table-is-started-again", StartScheduleTableRel(Relative, 1), E_OK);
    EXPECT_IS("the-waiting-one-is-told-the-time", SyncScheduleTable(Waits, 6), E_OK);
    pass(9);
    EXPECT_MARKS("both-have-their-points", ".a..a.....b.");
    EXPECT_IS("synchronising-the-running-one", SyncScheduleTable(Waits, 3), E_OK);
    EXPECT_IS("which-is-ahead", status_of(Waits), SCHEDULETABLE_RUNNING);
    pass(17);
    EXPECT_MARKS("its-next-turn-is-later", "....a.....b.......a.");
    EXPECT_IS("and-it-is-synchronous-again", status_of(Waits), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    FINISH();
}

TASK(A)
{
    MARK('a');
    TerminateTask();
}

TASK(B)
{
    for (;;) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
        MARK('b');
    }
}
