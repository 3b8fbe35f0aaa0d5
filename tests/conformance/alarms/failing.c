/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t errors;
static volatile StatusType last;

void ErrorHook(StatusType error)
{
    errors++;
    last = error;
}

TASK(Main)
{
    (void)SetRelAlarm(ToLow, 1, 1);
    EXPECT_IS("the-first-activation-returns-ok", IncrementCounter(Soft), E_OK);
    EXPECT_IS("no-error-so-far", errors, 0);
    EXPECT_IS("an-alarm-that-fails-is-no-error-of-increment-counter", IncrementCounter(Soft), E_OK);
    EXPECT_IS("an-alarm-over-the-limit-calls-the-error-hook", errors, 1);
    EXPECT_IS("with-the-limit-as-error", last, E_OS_LIMIT);
    (void)IncrementCounter(Soft);
    EXPECT_IS("a-cyclic-alarm-goes-on-after-an-error", errors, 2);
    EXPECT_IS("and-can-be-cancelled", CancelAlarm(ToLow), E_OK);

    last = E_OK;
    (void)SetRelAlarm(AlsoToLow, 2, 3);
    PASS_MS(6);
    EXPECT_IS("alarms-of-a-hardware-counter-call-the-error-hook-too", errors, 4);
    EXPECT_IS("with-the-same-error", last, E_OS_LIMIT);
    EXPECT_IS("and-go-on-too", CancelAlarm(AlsoToLow), E_OK);
    EXPECT_IS("a-cancelled-alarm-is-an-error-of-its-own", CancelAlarm(AlsoToLow), E_OS_NOFUNC);
    EXPECT_IS("of-which-the-hook-hears", errors, 5);
    EXPECT_IS("with-its-own-code", last, E_OS_NOFUNC);
    TerminateTask();
}

TASK(Low)
{
    EXPECT_IS("the-task-runs-once-for-its-one-activation", errors, 5);
    FINISH();
}
