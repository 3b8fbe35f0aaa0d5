/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

ALARMCALLBACK(OnCyclic)
{
    MARK('y');
}

ALARMCALLBACK(OnAbsolute)
{
    MARK('a');
}

ALARMCALLBACK(OnOther)
{
    MARK('!');
}

ALARMCALLBACK(OnSoft)
{
    MARK('s');
}

ALARMCALLBACK(OnTurn)
{
    MARK('t');
}

TASK(Rel)
{
    MARK('r');
    TerminateTask();
}

TASK(Main)
{
    TickType left = 0;
    const StatusType once = GetAlarm(Once, &left);
    EXPECT("a-relative-alarm-of-every-mode-is-set", once == E_OK && left >= 2u && left <= 3u);
    EXPECT_IS("an-alarm-of-another-mode-is-not-set", GetAlarm(OtherMode, &left), E_OS_NOFUNC);
    EXPECT_IS("an-alarm-without-autostart-is-not-set", GetAlarm(Never, &left), E_OS_NOFUNC);
    EXPECT_IS("an-autostarted-alarm-is-in-use", SetRelAlarm(Cyclic, 1, 0), E_OS_STATE);
    PASS_MS(9);
    EXPECT_MARKS("autostarted-alarms-expire-in-time", "yryay");
    EXPECT_IS("a-one-shot-alarm-is-over", GetAlarm(Once, &left), E_OS_NOFUNC);
    EXPECT_IS("an-absolute-alarm-is-over", GetAlarm(Absolute, &left), E_OS_NOFUNC);
    EXPECT_IS("a-cyclic-alarm-goes-on", GetAlarm(Cyclic, &left), E_OK);
    EXPECT_IS("a-cyclic-alarm-can-be-cancelled", CancelAlarm(Cyclic), E_OK);
    EXPECT_IS("an-autostarted-alarm-of-a-software-counter-is-in-use", GetAlarm(OfSoft, &left), E_OK);
    EXPECT_IS("with-its-ticks-left", left, 2);
    EXPECT_IS("an-absolute-alarm-of-the-value-that-the-counter-has-is-set", GetAlarm(Turn, &left), E_OK);
    EXPECT_IS("for-a-whole-turn-of-the-counter", left, 10);
    for (uint8_t i = 0; i < 5u; i++) {
        (void)IncrementCounter(Soft);
        MARK('.');
    }
    EXPECT_MARKS("it-expires-as-its-counter-counts", ".s..s..");
    EXPECT_IS("an-alarm-of-another-mode-can-be-set-by-hand", SetRelAlarm(OtherMode, 500, 0), E_OK);
    FINISH();
}
