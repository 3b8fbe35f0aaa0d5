/* SPDX-License-Identifier: Apache-2.0
 *
 * No lock holds back more than one tick: the standard does not say that a counter remembers several. */
#include "../conformance.h"

ALARMCALLBACK(OnCall)
{
    MARK('c');
}

ALARMCALLBACK(OnSync)
{
}

static void pass_halves(uint32_t halves)
{
    carillon_work(halves * (CARILLON_CLOCK_HZ / 2000u));
}

static void to_a_tick(void)
{
    TickType left = 0;
    (void)SetRelAlarm(Sync, 2, 0);
    while (GetAlarm(Sync, &left) == E_OK) {
        carillon_work(CARILLON_CLOCK_HZ / 20000u);
    }
}

ISR(Signal)
{
    MARK('<');
    pass_halves(3);
    MARK('>');
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}

TASK(Main)
{
    to_a_tick();
    (void)SetRelAlarm(ToHigh, 1, 0);
    pass_halves(3);
    MARK('m');
    EXPECT_MARKS("an-alarm-comes-while-a-task-works", "hm");

    to_a_tick();
    (void)SetRelAlarm(ToHigh, 1, 0);
    DisableAllInterrupts();
    pass_halves(3);
    MARK('m');
    EnableAllInterrupts();
    MARK('m');
    EXPECT_MARKS("an-alarm-comes-after-disabled-interrupts", "mhm");

    to_a_tick();
    (void)SetRelAlarm(ToHigh, 1, 0);
    SuspendAllInterrupts();
    pass_halves(3);
    MARK('m');
    ResumeAllInterrupts();
    MARK('m');
    EXPECT_MARKS("an-alarm-comes-after-suspended-interrupts", "mhm");

    to_a_tick();
    (void)SetRelAlarm(Call, 1, 0);
    SuspendOSInterrupts();
    pass_halves(3);
    MARK('m');
    ResumeOSInterrupts();
    MARK('m');
    EXPECT_MARKS("an-alarm-comes-after-suspended-os-interrupts", "mcm");

    to_a_tick();
    (void)SetRelAlarm(ToHigh, 1, 0);
    (void)SetRelAlarm(Call, 2, 0);
    (void)GetResource(RES_SCHEDULER);
    pass_halves(5);
    MARK('m');
    (void)ReleaseResource(RES_SCHEDULER);
    MARK('m');
    EXPECT_MARKS("with-the-scheduler-taken-alarms-expire-and-their-tasks-wait", "cmhm");

    to_a_tick();
    (void)SetRelAlarm(ToHigh, 1, 1);
    for (uint32_t i = 0; i < 4u; i++) {
        pass_halves(1);
        SuspendOSInterrupts();
        pass_halves(1);
        ResumeOSInterrupts();
        MARK('.');
    }
    (void)CancelAlarm(ToHigh);
    EXPECT_MARKS("a-cyclic-alarm-loses-no-tick-to-short-locks", "h.h.h.h.");

    to_a_tick();
    (void)SetRelAlarm(ToHigh, 1, 0);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('m');
    EXPECT_MARKS("an-alarm-that-expires-in-an-isr-readies-its-task-for-the-isrs-end", "<>hm");
    FINISH();
}
