/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

ALARMCALLBACK(OnAlarm)
{
    MARK('c');
}

TASK(Main)
{
    TickType ticks = 0;
    EXPECT_IS("an-increment-of-zero", SetRelAlarm(OfSoft, 0, 0), E_OS_VALUE);
    EXPECT_IS("an-increment-of-zero-with-a-cycle", SetRelAlarm(OfSoft, 0, 10), E_OS_VALUE);
    EXPECT_IS("an-increment-above-maxallowedvalue", SetRelAlarm(OfSoft, 101, 0), E_OS_VALUE);
    EXPECT_IS("the-largest-increment-of-all", SetRelAlarm(OfSoft, 0xFFFFFFFFu, 0), E_OS_VALUE);
    EXPECT_IS("a-cycle-below-mincycle", SetRelAlarm(OfSoft, 1, 4), E_OS_VALUE);
    EXPECT_IS("a-cycle-of-one", SetRelAlarm(OfSoft, 1, 1), E_OS_VALUE);
    EXPECT_IS("a-cycle-above-maxallowedvalue", SetRelAlarm(OfSoft, 1, 101), E_OS_VALUE);
    EXPECT_IS("an-alarm-refused-is-not-in-use", GetAlarm(OfSoft, &ticks), E_OS_NOFUNC);
    EXPECT_IS("an-increment-below-mincycle-is-no-error", SetRelAlarm(OfSoft, 1, 5), E_OK);
    EXPECT_IS("an-alarm-in-use-set-relatively", SetRelAlarm(OfSoft, 1, 5), E_OS_STATE);
    EXPECT_IS("an-alarm-in-use-set-absolutely", SetAbsAlarm(OfSoft, 1, 5), E_OS_STATE);
    EXPECT_IS("it-is-cancelled", CancelAlarm(OfSoft), E_OK);
    EXPECT_IS("it-is-cancelled-twice", CancelAlarm(OfSoft), E_OS_NOFUNC);
    EXPECT_IS("the-largest-increment-and-cycle", SetRelAlarm(OfSoft, 100, 100), E_OK);
    (void)CancelAlarm(OfSoft);

    EXPECT_IS("a-start-above-maxallowedvalue", SetAbsAlarm(OfSoft, 101, 0), E_OS_VALUE);
    EXPECT_IS("the-largest-start-of-all", SetAbsAlarm(OfSoft, 0xFFFFFFFFu, 0), E_OS_VALUE);
    EXPECT_IS("an-absolute-alarms-cycle-below-mincycle", SetAbsAlarm(OfSoft, 1, 4), E_OS_VALUE);
    EXPECT_IS("an-absolute-alarms-cycle-above-maxallowedvalue", SetAbsAlarm(OfSoft, 1, 101), E_OS_VALUE);
    EXPECT_IS("an-absolute-alarm-refused-is-not-in-use", CancelAlarm(OfSoft), E_OS_NOFUNC);
    EXPECT_IS("a-start-of-zero-is-no-error", SetAbsAlarm(OfSoft, 0, 5), E_OK);
    (void)CancelAlarm(OfSoft);
    EXPECT_IS("a-start-at-maxallowedvalue", SetAbsAlarm(OfSoft, 100, 100), E_OK);
    (void)CancelAlarm(OfSoft);

    EXPECT_IS("hardware-an-increment-of-zero", SetRelAlarm(OfClock, 0, 0), E_OS_VALUE);
    EXPECT_IS("hardware-an-increment-above-maxallowedvalue", SetRelAlarm(OfClock, 1001, 0), E_OS_VALUE);
    EXPECT_IS("hardware-a-cycle-below-mincycle", SetRelAlarm(OfClock, 10, 2), E_OS_VALUE);
    EXPECT_IS("hardware-a-cycle-above-maxallowedvalue", SetRelAlarm(OfClock, 10, 1001), E_OS_VALUE);
    EXPECT_IS("hardware-a-start-above-maxallowedvalue", SetAbsAlarm(OfClock, 1001, 0), E_OS_VALUE);
    EXPECT_IS("hardware-an-absolute-cycle-below-mincycle", SetAbsAlarm(OfClock, 10, 1), E_OS_VALUE);
    EXPECT_IS("hardware-an-alarm-refused-is-not-in-use", GetAlarm(OfClock, &ticks), E_OS_NOFUNC);
    EXPECT_IS("hardware-the-least-cycle", SetRelAlarm(OfClock, 1000, 3), E_OK);
    EXPECT_IS("hardware-an-alarm-in-use", SetAbsAlarm(OfClock, 10, 0), E_OS_STATE);
    EXPECT_IS("hardware-it-is-cancelled", CancelAlarm(OfClock), E_OK);
    EXPECT_IS("hardware-it-is-cancelled-twice", CancelAlarm(OfClock), E_OS_NOFUNC);

    EXPECT_IS("32-bits-an-increment-of-zero", SetRelAlarm(OfWhole, 0, 0), E_OS_VALUE);
    EXPECT_IS("32-bits-the-largest-increment-and-cycle", SetRelAlarm(OfWhole, 0xFFFFFFFFu, 0xFFFFFFFFu), E_OK);
    EXPECT_IS("32-bits-it-is-cancelled", CancelAlarm(OfWhole), E_OK);
    EXPECT_IS("32-bits-the-largest-start", SetAbsAlarm(OfWhole, 0xFFFFFFFFu, 1), E_OK);
    EXPECT_MARKS("nothing-expired", "");
    FINISH();
}
