/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile bool works_long;

ALARMCALLBACK(OnSync)
{
}

/* Just after the counter has reached a value; forgets what happened meanwhile. */
static void to(TickType value)
{
    TickType left = 0;
    (void)SetAbsAlarm(Sync, value, 0);
    while (GetAlarm(Sync, &left) == E_OK) {
        carillon_work(CARILLON_CLOCK_HZ / 20000u);
    }
    conformance_marked = 0;
}

static void pass(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        PASS_MS(1);
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
    TickType left = 0;
    pass(16);
    EXPECT_MARKS("each-alarm-expires-at-its-start-and-then-each-cycle", ".a.b..c.a.b...a.b..c.a.b..");

    to(20);
    (void)GetResource(RES_SCHEDULER);
    /* They expire at 21, 22, 23, 26, 27, 29 and 30. */
    PASS_MS(10);
    MARK('m');
    (void)ReleaseResource(RES_SCHEDULER);
    MARK('m');
    EXPECT_MARKS("a-task-that-does-not-come-to-run-is-activated-once", "mcbam");

    /* A begins at 34 and works until 38.5: its expiry at 38 is over the limit, that at 42 is not. */
    to(32);
    works_long = true;
    pass(4);
    works_long = false;
    EXPECT_MARKS("an-expiry-while-the-task-runs-is-over-its-limit", ".abcA.b..");
    pass(2);
    EXPECT_MARKS("and-the-next-expiry-is-not", ".a.");

    to(48);
    EXPECT_IS("the-ticks-left-of-the-first", left_of(ToA), 2);
    EXPECT_IS("the-ticks-left-of-the-second", left_of(ToB), 3);
    EXPECT_IS("the-ticks-left-of-the-third", left_of(ToC), 5);
    EXPECT_IS("an-autostarted-alarm-is-in-use-relatively", SetRelAlarm(ToA, 5, 0), E_OS_STATE);
    EXPECT_IS("an-autostarted-alarm-is-in-use-absolutely", SetAbsAlarm(ToC, 5, 0), E_OS_STATE);
    EXPECT_IS("the-first-is-cancelled", CancelAlarm(ToA), E_OK);
    EXPECT_IS("the-first-is-cancelled-twice", CancelAlarm(ToA), E_OS_NOFUNC);
    EXPECT_IS("the-first-has-no-ticks-left", GetAlarm(ToA, &left), E_OS_NOFUNC);
    pass(4);
    EXPECT_MARKS("the-others-go-on", "..b..");
    EXPECT_IS("the-second-is-cancelled", CancelAlarm(ToB), E_OK);
    EXPECT_IS("the-third-is-cancelled", CancelAlarm(ToC), E_OK);
    pass(9);
    EXPECT_MARKS("cancelled-alarms-do-not-expire", ".........");

    to(70);
    EXPECT_IS("a-cancelled-alarm-is-set-anew", SetRelAlarm(ToA, 2, 3), E_OK);
    pass(6);
    EXPECT_MARKS("with-a-cycle-of-its-own", ".a...a..");
    EXPECT_IS("it-is-in-use-again", CancelAlarm(ToA), E_OK);

    to(80);
    EXPECT_IS("a-cancelled-alarm-is-set-absolutely", SetAbsAlarm(ToB, 83, 0), E_OK);
    pass(5);
    EXPECT_MARKS("for-one-expiry", "..b...");
    EXPECT_IS("after-which-it-is-not-in-use", CancelAlarm(ToB), E_OS_NOFUNC);

    to(90);
    (void)SetRelAlarm(ToA, 1, 1);
    (void)GetResource(RES_SCHEDULER);
    PASS_MS(3);
    MARK('m');
    (void)CancelAlarm(ToA);
    (void)ReleaseResource(RES_SCHEDULER);
    MARK('m');
    EXPECT_MARKS("an-alarm-that-is-cancelled-leaves-the-activation-that-it-made", "mam");
    FINISH();
}

TASK(A)
{
    MARK('a');
    if (works_long) {
        carillon_work(9u * (CARILLON_CLOCK_HZ / 2000u));
        MARK('A');
    }
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
