/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static StatusType in_isr[3];

static void advance(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        (void)IncrementCounter(Ten);
        MARK('.');
    }
}

static ScheduleTableStatusType status_of(ScheduleTableType table)
{
    ScheduleTableStatusType status = 99u;
    (void)GetScheduleTableStatus(table, &status);
    return status;
}

ISR(Signal)
{
    ScheduleTableStatusType status = 99u;
    in_isr[0] = StartScheduleTableRel(Once, 1);
    in_isr[1] = GetScheduleTableStatus(Once, &status);
    in_isr[2] = StopScheduleTable(Once);
}

static void once(void)
{
    ScheduleTableStatusType status = 99u;
    EXPECT_IS("get-schedule-table-status-returns-ok", GetScheduleTableStatus(Once, &status), E_OK);
    EXPECT_IS("a-table-is-stopped-at-first", status, SCHEDULETABLE_STOPPED);
    EXPECT_IS("starting-returns-ok", StartScheduleTableRel(Once, 1), E_OK);
    EXPECT_IS("a-started-table-runs-at-once", status_of(Once), SCHEDULETABLE_RUNNING);
    EXPECT_IS("it-cannot-be-started-relatively", StartScheduleTableRel(Once, 1), E_OS_STATE);
    EXPECT_IS("nor-absolutely", StartScheduleTableAbs(Once, 1), E_OS_STATE);
    advance(8);
    EXPECT_MARKS("points-come-at-offset-and-initial-offset-and-their-delays", "..a...b...");
    EXPECT_IS("it-runs-until-final-delay-after-the-last-point", status_of(Once), SCHEDULETABLE_RUNNING);
    advance(1);
    EXPECT_IS("then-it-is-stopped", status_of(Once), SCHEDULETABLE_STOPPED);
    EXPECT_IS("a-stopped-table-cannot-be-stopped", StopScheduleTable(Once), E_OS_NOFUNC);
    advance(6);
    EXPECT_MARKS("and-no-point-comes-again", ".......");

    (void)StartScheduleTableRel(Once, 2);
    advance(5);
    EXPECT_IS("stopping-returns-ok", StopScheduleTable(Once), E_OK);
    EXPECT_IS("a-stopped-tables-status", status_of(Once), SCHEDULETABLE_STOPPED);
    advance(4);
    EXPECT_MARKS("a-stopped-tables-points-do-not-come", "...a......");
    (void)StartScheduleTableRel(Once, 1);
    advance(9);
    EXPECT_MARKS("a-restart-is-from-the-beginning", "..a...b....");

    (void)StartScheduleTableRel(Short, 1);
    advance(3);
    EXPECT_IS("before-its-last-point-a-table-runs", status_of(Short), SCHEDULETABLE_RUNNING);
    advance(1);
    EXPECT_IS("with-final-delay-0-it-stops-in-the-last-points-tick", status_of(Short), SCHEDULETABLE_STOPPED);
    EXPECT_MARKS("initial-offset-0-is-the-offset-alone", "a...b.");
    /* The counter is 5 now: 42 ticks and more. */
}

static void turning(void)
{
    (void)StartScheduleTableRel(Turning, 1);
    advance(13);
    EXPECT_MARKS("a-repeating-table-goes-on-after-final-delay-and-initial-offset", ".a..w..a..w..a..w..");
    EXPECT_IS("and-runs-on", status_of(Turning), SCHEDULETABLE_RUNNING);
    (void)StartScheduleTableRel(Short, 1);
    advance(5);
    EXPECT_MARKS("tables-of-one-counter-run-beside-each-other", "aa..w.b.a.");
    (void)StopScheduleTable(Turning);

    (void)StartScheduleTableRel(Both, 1);
    advance(3);
    EXPECT_MARKS("a-point-activates-tasks-before-it-sets-events", ".xga.sw.");
    EXPECT_IS("it-has-ended", status_of(Both), SCHEDULETABLE_STOPPED);

    EXPECT_IS("a-table-that-is-longer-than-a-turn-of-its-counter-starts", StartScheduleTableRel(Long, 1), E_OK);
    advance(8);
    EXPECT_MARKS("a-tick-before-its-first-point", "........");
    advance(9);
    EXPECT_MARKS("its-first-point", "a.........");
    advance(9);
    EXPECT_MARKS("its-second-point-comes-in-the-next-turn", "b.........");
    EXPECT_IS("it-runs-to-its-end", status_of(Long), SCHEDULETABLE_RUNNING);
    advance(1);
    EXPECT_IS("and-no-longer", status_of(Long), SCHEDULETABLE_STOPPED);
    EXPECT_MARKS("without-another-point", ".");

    EXPECT_IS("a-duration-of-32-bits", StartScheduleTableRel(OfWhole, 1), E_OK);
    for (uint32_t i = 0; i < 3u; i++) {
        (void)IncrementCounter(Whole);
    }
    EXPECT_MARKS("its-first-point-of-all", "b");
    EXPECT_IS("the-longest-offset-of-32-bits", StopScheduleTable(OfWhole) + StartScheduleTableRel(OfWhole, 0xFFFFFFFDu),
              E_OK);
}

/* When the counter reads a value. */
static void to(TickType value)
{
    TickType now = 99u;
    while ((GetCounterValue(Ten, &now) == E_OK) && (now != value)) {
        (void)IncrementCounter(Ten);
    }
}

static void absolute(void)
{
    to(5);
    EXPECT_IS("starting-absolutely-returns-ok", StartScheduleTableAbs(Once, 7), E_OK);
    EXPECT_IS("it-runs-before-its-start", status_of(Once), SCHEDULETABLE_RUNNING);
    advance(10);
    EXPECT_MARKS("the-first-point-comes-initial-offset-after-the-start", "...a...b....");
    to(5);
    (void)StartScheduleTableAbs(Once, 5);
    advance(12);
    EXPECT_MARKS("a-start-at-the-current-value-is-a-turn-later", "...........a.");
    (void)StopScheduleTable(Once);
    to(5);
    (void)StartScheduleTableAbs(Once, 4);
    advance(1);
    EXPECT_MARKS("the-first-point-skips-a-match-before-the-start", ".");
    advance(9);
    EXPECT_MARKS("until-the-start-is-reached", ".........");
    advance(1);
    EXPECT_MARKS("and-its-offset-passed", "a.");
    (void)StopScheduleTable(Once);
    to(9);
    EXPECT_IS("a-start-at-0-is-after-the-wrap", StartScheduleTableAbs(Short, 0), E_OK);
    advance(4);
    EXPECT_MARKS("the-points-after-the-wrap", "a...b.");
    to(0);
    EXPECT_IS("a-start-at-maxallowedvalue", StartScheduleTableAbs(Short, 9), E_OK);
    advance(9);
    EXPECT_MARKS("the-point-at-maxallowedvalue", "........a.");
    (void)StopScheduleTable(Short);
}

static void implicit(void)
{
    to(1);
    EXPECT_IS("a-table-whose-counter-is-the-global-time-starts", StartScheduleTableAbs(Global, 0), E_OK);
    EXPECT_IS("it-is-synchronous-at-once", status_of(Global), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    advance(11);
    EXPECT_MARKS("it-comes-when-the-counter-reads-the-points-offset", "..........a.");
    advance(15);
    EXPECT_MARKS("turn-by-turn", "....b.....a.....b.");
    EXPECT_IS("and-stays-synchronous", status_of(Global), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    EXPECT_IS("until-it-is-stopped", StopScheduleTable(Global), E_OK);
    EXPECT_IS("and-has-stopped", status_of(Global), SCHEDULETABLE_STOPPED);
}

TASK(Main)
{
    (void)ActivateTask(W);
    once();
    turning();
    absolute();
    implicit();
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_IS("an-isr-starts-a-table", in_isr[0], E_OK);
    EXPECT_IS("and-asks-for-its-status", in_isr[1], E_OK);
    EXPECT_IS("and-stops-it", in_isr[2], E_OK);
    EXPECT_IS("it-is-stopped", status_of(Once), SCHEDULETABLE_STOPPED);
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

TASK(W)
{
    for (;;) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
        MARK('w');
    }
}

TASK(X)
{
    MARK('x');
    (void)WaitEvent(Go);
    MARK('g');
    (void)WaitEvent(Stop);
    MARK('s');
    TerminateTask();
}
