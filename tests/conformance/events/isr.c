/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;
static TaskStateType states[2];

ALARMCALLBACK(OnKick)
{
    MARK('k');
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
}

ISR(Signal)
{
    MARK('s');
    (void)GetTaskState(Main, &states[0]);
    (void)SetEvent(Main, Go);
    (void)GetTaskState(Main, &states[1]);
}

TASK(Main)
{
    EventMaskType mask = 0;
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('m');
    (void)WaitEvent(Go);
    MARK('m');
    (void)ClearEvent(Go);
    EXPECT_MARKS("an-event-set-by-an-isr-before-the-wait-is-not-lost", "smm");

    (void)SetRelAlarm(Once, 2, 0);
    (void)WaitEvent(Time);
    (void)ClearEvent(Time);
    MARK('m');
    EXPECT_MARKS("an-alarm-ends-a-wait-in-an-idle-system", "m");

    (void)SetRelAlarm(Kick, 2, 0);
    (void)WaitEvent(Go);
    (void)ClearEvent(Go);
    MARK('m');
    EXPECT_MARKS("an-isr-ends-a-wait-in-an-idle-system", "ksm");
    EXPECT_IS("it-was-waiting-for-the-isr", states[0], WAITING);
    EXPECT_IS("it-was-ready-after-the-event", states[1], READY);

    (void)SetRelAlarm(Once, 2, 0);
    PASS_MS(4);
    (void)GetEvent(Main, &mask);
    EXPECT_IS("an-alarm-sets-an-event-of-the-running-task", mask, Time);
    (void)WaitEvent(Time | Go);
    (void)ClearEvent(Time);
    MARK('m');
    EXPECT_MARKS("and-the-wait-does-not-wait", "m");

    (void)ActivateTask(Other);
    (void)SetRelAlarm(Once, 20, 0);
    (void)WaitEvent(Time);
    EXPECT_MARKS("two-tasks-wait-for-alarms-in-an-idle-system", "oooo.");
    FINISH();
}

TASK(Other)
{
    (void)SetRelAlarm(Cyclic, 2, 2);
    for (uint8_t i = 0; i < 4u; i++) {
        (void)WaitEvent(Time);
        (void)ClearEvent(Time);
        MARK('o');
    }
    (void)CancelAlarm(Cyclic);
    MARK('.');
    TerminateTask();
}
