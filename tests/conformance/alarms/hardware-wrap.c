/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

ALARMCALLBACK(OnCall)
{
    MARK('c');
}

ALARMCALLBACK(OnSync)
{
}

/* Just after the counter has reached a value. */
static void to(TickType value)
{
    TickType left = 0;
    (void)SetAbsAlarm(Sync, value, 0);
    while (GetAlarm(Sync, &left) == E_OK) {
        carillon_work(CARILLON_CLOCK_HZ / 20000u);
    }
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
    TickType left = 0;
    to(0);
    EXPECT_IS("an-absolute-alarm-at-the-current-value-is-accepted", SetAbsAlarm(ToHigh, 0, 0), E_OK);
    EXPECT_IS("get-alarm-of-a-whole-turn", GetAlarm(ToHigh, &left), E_OK);
    EXPECT_IS("it-is-a-whole-turn-away", left, 5);
    pass(6);
    EXPECT_MARKS("it-expires-when-the-value-is-reached-again", "....h..");

    to(3);
    (void)SetAbsAlarm(ToHigh, 2, 0);
    (void)GetAlarm(ToHigh, &left);
    EXPECT_IS("the-distance-to-a-value-that-was-passed-goes-through-zero", left, 4);
    pass(5);
    EXPECT_MARKS("it-expires-after-the-wrap", "...h..");

    to(3);
    (void)SetRelAlarm(ToHigh, 4, 0);
    pass(5);
    EXPECT_MARKS("a-relative-alarm-goes-through-the-wrap", "...h..");

    to(3);
    (void)SetAbsAlarm(ToHigh, 0, 3);
    pass(9);
    (void)CancelAlarm(ToHigh);
    EXPECT_MARKS("a-cycle-goes-through-the-wrap-without-a-gap", ".h...h...h..");

    to(4);
    (void)SetRelAlarm(ToHigh, 3, 4);
    (void)SetAbsAlarm(ToCall, 1, 0);
    pass(8);
    (void)CancelAlarm(ToHigh);
    EXPECT_MARKS("two-alarms-beyond-the-wrap-expire-in-order", ".c.h....h..");

    to(2);
    (void)SetRelAlarm(ToHigh, 1, 1);
    (void)SetRelAlarm(ToCall, 2, 4);
    pass(5);
    (void)CancelAlarm(ToHigh);
    (void)CancelAlarm(ToCall);
    EXPECT_IS("an-alarm-of-every-tick-loses-none", conformance_marked, 11);
    conformance_marked = 0;
    FINISH();
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}
