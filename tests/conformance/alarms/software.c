/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

ALARMCALLBACK(OnCall)
{
    MARK('c');
}

ALARMCALLBACK(OnLast)
{
    MARK('L');
}

static void advance(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        (void)IncrementCounter(Soft);
        MARK('.');
    }
}

static TickType left_of(AlarmType alarm)
{
    TickType left = 9999u;
    (void)GetAlarm(alarm, &left);
    return left;
}

TASK(Main)
{
    AlarmBaseType base = {0, 0, 0};
    TickType left = 0;
    (void)ActivateTask(Waiter);
    EXPECT_MARKS("the-waiting-task-waits", "w");

    EXPECT_IS("get-alarm-base-returns-ok", GetAlarmBase(ToHigh, &base), E_OK);
    EXPECT_IS("maxallowedvalue", base.maxallowedvalue, 99);
    EXPECT_IS("ticksperbase", base.ticksperbase, 10);
    EXPECT_IS("mincycle", base.mincycle, 3);
    EXPECT_IS("get-alarm-base-of-another-counter", GetAlarmBase(NextToLast, &base), E_OK);
    EXPECT_IS("maxallowedvalue-of-another-counter", base.maxallowedvalue, 9);
    EXPECT_IS("the-constant-maxallowedvalue", OSMAXALLOWEDVALUE_Soft, 99);
    EXPECT_IS("the-constant-ticksperbase", OSTICKSPERBASE_Soft, 10);
    EXPECT_IS("the-constant-mincycle", OSMINCYCLE_Soft, 3);

    EXPECT_IS("an-alarm-not-in-use-has-no-ticks-left", GetAlarm(ToHigh, &left), E_OS_NOFUNC);
    EXPECT_IS("an-alarm-not-in-use-cannot-be-cancelled", CancelAlarm(ToHigh), E_OS_NOFUNC);

    EXPECT_IS("increment-counter-returns-ok", IncrementCounter(Soft), E_OK);

    EXPECT_IS("set-rel-alarm-returns-ok", SetRelAlarm(ToHigh, 3, 0), E_OK);
    EXPECT_IS("get-alarm-returns-ok", GetAlarm(ToHigh, &left), E_OK);
    EXPECT_IS("the-ticks-left-are-the-increment", left, 3);
    EXPECT_IS("an-alarm-in-use-cannot-be-set-relatively", SetRelAlarm(ToHigh, 3, 0), E_OS_STATE);
    EXPECT_IS("an-alarm-in-use-cannot-be-set-absolutely", SetAbsAlarm(ToHigh, 3, 0), E_OS_STATE);
    advance(2);
    EXPECT_IS("a-tick-before-the-expiry-one-tick-is-left", left_of(ToHigh), 1);
    advance(3);
    EXPECT_MARKS("a-one-shot-alarm-activates-its-task-once", "..h...");
    EXPECT_IS("after-its-expiry-it-is-not-in-use", GetAlarm(ToHigh, &left), E_OS_NOFUNC);

    (void)SetRelAlarm(ToHigh, 2, 3);
    advance(2);
    EXPECT_IS("after-an-expiry-the-ticks-left-are-the-cycle", left_of(ToHigh), 3);
    advance(7);
    EXPECT_MARKS("a-cyclic-alarm-activates-its-task-each-cycle", ".h...h...h..");
    EXPECT_IS("a-cyclic-alarm-stays-in-use", SetRelAlarm(ToHigh, 2, 3), E_OS_STATE);
    EXPECT_IS("cancel-alarm-returns-ok", CancelAlarm(ToHigh), E_OK);
    EXPECT_IS("a-cancelled-alarm-is-not-in-use", CancelAlarm(ToHigh), E_OS_NOFUNC);
    advance(4);
    EXPECT_MARKS("a-cancelled-alarm-does-not-expire", "....");
    /* The counter is 19 now. */

    EXPECT_IS("set-abs-alarm-returns-ok", SetAbsAlarm(ToWaiter, 22, 0), E_OK);
    EXPECT_IS("the-ticks-left-are-the-distance", left_of(ToWaiter), 3);
    advance(4);
    EXPECT_MARKS("an-absolute-alarm-sets-its-event-when-the-counter-reaches-it", "..w..");
    (void)SetAbsAlarm(ToWaiter, 24, 4);
    advance(10);
    EXPECT_MARKS("an-absolute-alarm-may-be-cyclic", "w....w....w..");
    (void)CancelAlarm(ToWaiter);
    /* 33. */

    (void)SetRelAlarm(ToCall, 1, 3);
    (void)SetRelAlarm(ToHigh, 3, 0);
    (void)SetRelAlarm(ToWaiter, 2, 7);
    advance(8);
    (void)CancelAlarm(ToCall);
    (void)CancelAlarm(ToWaiter);
    EXPECT_MARKS("several-alarms-of-one-counter-expire-each-at-its-time", "c.w.h.c...c..");
    /* 41. */

    (void)SetRelAlarm(ToNext, 1, 3);
    (void)SetRelAlarm(NextToLast, 2, 1);
    (void)SetRelAlarm(LastToCall, 1, 2);
    advance(13);
    EXPECT_MARKS("counters-drive-counters", "...L......L....");
    (void)CancelAlarm(ToNext);
    (void)IncrementCounter(Next);
    EXPECT_MARKS("a-driven-counter-can-be-incremented-directly", "L");
    (void)IncrementCounter(Last);
    (void)IncrementCounter(Last);
    EXPECT_MARKS("and-the-last-of-them-too", "L");
    (void)CancelAlarm(NextToLast);
    (void)CancelAlarm(LastToCall);
    /* 54. */

    EXPECT_IS("the-longest-increment", SetRelAlarm(ToHigh, 99, 0), E_OK);
    EXPECT_IS("the-ticks-left-of-the-longest-increment", left_of(ToHigh), 99);
    for (uint32_t i = 0; i < 98u; i++) {
        (void)IncrementCounter(Soft);
    }
    EXPECT_MARKS("a-tick-before-the-longest-increment", "");
    (void)IncrementCounter(Soft);
    EXPECT_MARKS("at-the-longest-increment", "h");
    EXPECT_IS("the-longest-and-the-shortest-cycle", SetRelAlarm(ToHigh, 1, 99) + SetRelAlarm(ToCall, 1, 3), E_OK);
    (void)CancelAlarm(ToHigh);
    (void)CancelAlarm(ToCall);
    FINISH();
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}

TASK(Waiter)
{
    for (;;) {
        MARK('w');
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
    }
}
