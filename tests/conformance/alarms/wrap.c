/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

ALARMCALLBACK(OnFive)
{
    MARK('5');
}

ALARMCALLBACK(OnAlso)
{
    MARK('a');
}

ALARMCALLBACK(OnTwo)
{
    MARK('2');
}

ALARMCALLBACK(OnWhole)
{
    MARK('W');
}

static void advance(CounterType counter, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        (void)IncrementCounter(counter);
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
    /* Five is 0. */
    EXPECT_IS("an-absolute-alarm-at-the-current-value-is-accepted", SetAbsAlarm(OfFive, 0, 0), E_OK);
    EXPECT_IS("it-is-a-whole-turn-away", left_of(OfFive), 5);
    advance(Five, 6);
    EXPECT_MARKS("it-expires-when-the-value-is-reached-again", "....5..");
    /* 1. */
    (void)SetAbsAlarm(OfFive, 4, 0);
    advance(Five, 4);
    EXPECT_MARKS("an-absolute-alarm-at-maxallowedvalue", "..5..");
    /* 0. */
    advance(Five, 3);
    (void)SetAbsAlarm(OfFive, 2, 0);
    EXPECT_IS("the-distance-to-a-value-that-was-passed-goes-through-zero", left_of(OfFive), 4);
    advance(Five, 5);
    EXPECT_MARKS("an-absolute-alarm-that-was-passed-expires-after-the-wrap", "......5..");
    /* 3. */
    (void)SetRelAlarm(OfFive, 4, 0);
    advance(Five, 5);
    EXPECT_MARKS("a-relative-alarm-goes-through-the-wrap", "...5..");
    /* 3. */
    (void)SetAbsAlarm(OfFive, 0, 3);
    advance(Five, 11);
    EXPECT_MARKS("a-cycle-goes-through-the-wrap-without-a-gap", ".5...5...5...5.");
    (void)CancelAlarm(OfFive);
    /* 4. */
    (void)SetRelAlarm(OfFive, 1, 4);
    (void)SetAbsAlarm(AlsoOfFive, 0, 4);
    advance(Five, 9);
    (void)CancelAlarm(OfFive);
    (void)CancelAlarm(AlsoOfFive);
    EXPECT_IS("two-alarms-that-expire-together-both-run", conformance_marked, 15);
    conformance_marked = 0;

    (void)SetRelAlarm(OfTwo, 1, 1);
    advance(Two, 5);
    EXPECT_MARKS("a-counter-of-two-values", "2.2.2.2.2.");
    (void)CancelAlarm(OfTwo);
    (void)SetAbsAlarm(OfTwo, 1, 0);
    EXPECT_IS("at-its-current-value-a-turn-of-two", left_of(OfTwo), 2);
    advance(Two, 3);
    EXPECT_MARKS("a-turn-of-two", ".2..");

    EXPECT_IS("an-increment-of-32-bits", SetRelAlarm(OfWhole, 0xFFFFFFFFu, 0), E_OK);
    EXPECT_IS("the-ticks-left-of-it", left_of(OfWhole), 0xFFFFFFFFu);
    advance(Whole, 3);
    EXPECT_IS("the-ticks-left-after-three", left_of(OfWhole), 0xFFFFFFFCu);
    (void)CancelAlarm(OfWhole);
    EXPECT_IS("an-absolute-alarm-behind-in-32-bits", SetAbsAlarm(OfWhole, 1, 0), E_OK);
    EXPECT_IS("the-ticks-left-to-it", left_of(OfWhole), 0xFFFFFFFEu);
    (void)CancelAlarm(OfWhole);
    (void)SetAbsAlarm(OfWhole, 5, 0xFFFFFFFFu);
    advance(Whole, 2);
    EXPECT_IS("a-cycle-of-32-bits", left_of(OfWhole), 0xFFFFFFFFu);
    EXPECT_MARKS("its-first-expiry", "....W.");
    FINISH();
}
