/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

ALARMCALLBACK(OnCall)
{
    MARK('c');
}

ALARMCALLBACK(OnSoft)
{
    MARK('S');
}

/* Just after a tick, so that what follows lies between two ticks: an alarm of one tick waits for it. */
static void to_a_tick(void)
{
    TickType left = 0;
    (void)SetRelAlarm(ToCall, 2, 0);
    while (GetAlarm(ToCall, &left) == E_OK) {
        carillon_work(CARILLON_CLOCK_HZ / 20000u);
    }
    conformance_marked = 0;
}

/* The counter's value, below 10000: an absolute alarm at 0 says how far it is away. */
static TickType now(void)
{
    TickType left = 0;
    (void)SetAbsAlarm(ToCall, 0, 0);
    (void)GetAlarm(ToCall, &left);
    (void)CancelAlarm(ToCall);
    return 10000u - left;
}

static void pass(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        PASS_MS(1);
        MARK('.');
    }
}

TASK(Main)
{
    AlarmBaseType base = {0, 0, 0};
    TickType left = 0;
    (void)ActivateTask(Waiter);
    EXPECT_IS("get-alarm-base-returns-ok", GetAlarmBase(ToHigh, &base), E_OK);
    EXPECT_IS("maxallowedvalue", base.maxallowedvalue, 9999);
    EXPECT_IS("ticksperbase", base.ticksperbase, 7);
    EXPECT_IS("mincycle", base.mincycle, 2);
    EXPECT_IS("an-alarm-not-in-use-has-no-ticks-left", GetAlarm(ToHigh, &left), E_OS_NOFUNC);
    EXPECT_IS("an-alarm-not-in-use-cannot-be-cancelled", CancelAlarm(ToHigh), E_OS_NOFUNC);

    to_a_tick();
    EXPECT_IS("set-rel-alarm-returns-ok", SetRelAlarm(ToHigh, 3, 0), E_OK);
    EXPECT_IS("get-alarm-returns-ok", GetAlarm(ToHigh, &left), E_OK);
    EXPECT_IS("the-ticks-left-are-the-increment", left, 3);
    EXPECT_IS("an-alarm-in-use-cannot-be-set-relatively", SetRelAlarm(ToHigh, 3, 0), E_OS_STATE);
    EXPECT_IS("an-alarm-in-use-cannot-be-set-absolutely", SetAbsAlarm(ToHigh, 3, 0), E_OS_STATE);
    pass(5);
    EXPECT_MARKS("a-one-shot-alarm-activates-its-task-once-at-its-tick", "..h...");
    EXPECT_IS("after-its-expiry-it-is-not-in-use", GetAlarm(ToHigh, &left), E_OS_NOFUNC);

    to_a_tick();
    (void)SetRelAlarm(ToHigh, 2, 3);
    pass(10);
    EXPECT_MARKS("a-cyclic-alarm-activates-its-task-each-cycle", ".h...h...h...");
    EXPECT_IS("a-cyclic-alarm-stays-in-use", GetAlarm(ToHigh, &left), E_OK);
    EXPECT_IS("its-ticks-left-are-less-than-the-cycle", left, 1);
    EXPECT_IS("cancel-alarm-returns-ok", CancelAlarm(ToHigh), E_OK);
    pass(4);
    EXPECT_MARKS("a-cancelled-alarm-does-not-expire", "....");

    to_a_tick();
    (void)SetRelAlarm(ToWaiter, 1, 4);
    pass(7);
    (void)CancelAlarm(ToWaiter);
    EXPECT_MARKS("a-cyclic-alarm-sets-its-event", "w....w...");

    to_a_tick();
    (void)SetRelAlarm(ToCall, 3, 2);
    pass(6);
    (void)CancelAlarm(ToCall);
    EXPECT_MARKS("a-cyclic-alarm-calls-its-callback", "..c..c..");

    to_a_tick();
    (void)SetRelAlarm(SoftToCall, 2, 2);
    (void)SetRelAlarm(ToSoft, 2, 2);
    pass(9);
    (void)CancelAlarm(ToSoft);
    (void)CancelAlarm(SoftToCall);
    EXPECT_MARKS("a-cyclic-alarm-drives-a-software-counter", "...S....S..");

    to_a_tick();
    (void)SetRelAlarm(ToHigh, 2, 0);
    (void)SetRelAlarm(ToWaiter, 3, 0);
    (void)SetRelAlarm(ToCall, 5, 0);
    pass(6);
    EXPECT_MARKS("alarms-set-in-ascending-order-expire-each-at-its-tick", ".h.w..c..");
    to_a_tick();
    (void)SetRelAlarm(ToCall, 5, 0);
    (void)SetRelAlarm(ToWaiter, 3, 0);
    (void)SetRelAlarm(ToHigh, 2, 0);
    pass(6);
    EXPECT_MARKS("alarms-set-in-descending-order-expire-each-at-its-tick", ".h.w..c..");
    to_a_tick();
    (void)SetRelAlarm(ToHigh, 2, 0);
    (void)SetRelAlarm(ToCall, 4, 0);
    (void)SetRelAlarm(ToWaiter, 3, 0);
    pass(1);
    EXPECT_IS("the-first-of-several-is-cancelled", CancelAlarm(ToHigh), E_OK);
    pass(4);
    EXPECT_MARKS("the-others-expire-in-time", "..w.c..");

    to_a_tick();
    left = now();
    pass(2);
    EXPECT_IS("the-counter-counts", now() - left, 2);

    to_a_tick();
    EXPECT_IS("set-abs-alarm-returns-ok", SetAbsAlarm(ToHigh, now() + 3u, 0), E_OK);
    EXPECT_IS("get-alarm-of-an-absolute-alarm", GetAlarm(ToHigh, &left), E_OK);
    EXPECT_IS("the-ticks-left-are-the-distance", left, 3);
    pass(5);
    EXPECT_MARKS("an-absolute-alarm-expires-when-the-counter-reaches-it", "..h...");

    to_a_tick();
    (void)SetAbsAlarm(ToHigh, now() - 1u, 0);
    (void)GetAlarm(ToHigh, &left);
    EXPECT_IS("an-absolute-alarm-that-was-passed-is-a-turn-away", left, 9999);
    (void)CancelAlarm(ToHigh);

    to_a_tick();
    (void)SetAbsAlarm(ToHigh, now() + 2u, 3);
    pass(9);
    (void)CancelAlarm(ToHigh);
    EXPECT_MARKS("an-absolute-alarm-may-be-cyclic", ".h...h...h..");
    FINISH();
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}

TASK(Waiter)
{
    (void)WaitEvent(Go);
    for (;;) {
        (void)ClearEvent(Go);
        MARK('w');
        (void)WaitEvent(Go);
    }
}
