/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;
static TaskType identity;
static TaskType identity_nested;
static StatusType statuses[8];
static EventMaskType events;
static TickType left;
static AlarmBaseType base;
static AppModeType mode;

ISR(Lower)
{
    MARK('<');
    switch (how) {
    case 1:
        (void)ActivateTask(High);
        (void)ActivateTask(Equal);
        (void)ActivateTask(Low);
        (void)SetEvent(Waiter, Go);
        break;
    case 2:
        carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
        (void)ActivateTask(High);
        break;
    case 3:
        /* Its own request waits for its end. */
        how = 0;
        carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
        break;
    case 5:
        statuses[0] = GetEvent(Waiter, &events);
        statuses[1] = SetRelAlarm(ToHigh, 10, 0);
        statuses[2] = GetAlarm(ToHigh, &left);
        statuses[3] = CancelAlarm(ToHigh);
        statuses[4] = SetAbsAlarm(ToHigh, 50, 0);
        statuses[5] = GetAlarmBase(ToHigh, &base);
        statuses[6] = CancelAlarm(ToHigh);
        statuses[7] = GetTaskID(&identity);
        mode = GetActiveApplicationMode();
        break;
    case 6:
        statuses[0] = SetRelAlarm(ToHigh, 1, 0);
        statuses[1] = IncrementCounter(Soft);
        break;
    default:
        break;
    }
    MARK('>');
}

ISR(Upper)
{
    MARK('[');
    if (how == 2u) {
        (void)GetTaskID(&identity_nested);
        (void)SetEvent(Waiter, Go);
    } else if (how == 4u) {
        carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    }
    MARK(']');
}

TASK(Main)
{
    (void)ActivateTask(Waiter);

    how = 0;
    MARK('m');
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    MARK('m');
    EXPECT_MARKS("an-isr-is-served-before-the-request-returns", "wm<>m");

    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    EXPECT_MARKS("each-request-is-served", "<>[]<>");

    how = 1;
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    MARK('m');
    EXPECT_MARKS("tasks-that-an-isr-readied-run-at-its-end-by-priority", "<>whm");

    how = 2;
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    MARK('m');
    EXPECT_MARKS("a-higher-isr-interrupts-a-lower-one-and-tasks-run-after-both", "<[]>whm");
    EXPECT_IS("an-isr-in-an-isr-asks-for-the-task-that-was-interrupted-first", identity_nested, Main);

    how = 3;
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    MARK('m');
    EXPECT_MARKS("an-isr-that-requests-itself-is-served-again-at-its-end", "<><>m");

    how = 4;
    carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
    MARK('m');
    EXPECT_MARKS("a-lower-isr-waits-for-the-end-of-a-higher-one", "[]<>m");

    how = 1;
    (void)ActivateTask(Fixed);
    MARK('m');
    EXPECT_MARKS("an-isr-interrupts-a-non-preemptable-task-and-what-it-readies-waits", "f<>fwhm");

    how = 5;
    events = 99u;
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    EXPECT_IS("get-event-in-an-isr", statuses[0], E_OK);
    EXPECT_IS("no-event-is-set", events, 0);
    EXPECT_IS("set-rel-alarm-in-an-isr", statuses[1], E_OK);
    EXPECT_IS("get-alarm-in-an-isr", statuses[2], E_OK);
    EXPECT_IS("ticks-left-in-an-isr", left, 10);
    EXPECT_IS("cancel-alarm-in-an-isr", statuses[3], E_OK);
    EXPECT_IS("set-abs-alarm-in-an-isr", statuses[4], E_OK);
    EXPECT_IS("get-alarm-base-in-an-isr", statuses[5], E_OK);
    EXPECT_IS("the-base-in-an-isr", base.maxallowedvalue, 100);
    EXPECT_IS("cancel-alarm-again-in-an-isr", statuses[6], E_OK);
    EXPECT_IS("get-task-id-in-an-isr", statuses[7], E_OK);
    EXPECT_IS("the-task-interrupted-by-the-isr", identity, Main);
    EXPECT_IS("the-application-mode-in-an-isr", mode, OSDEFAULTAPPMODE);
    EXPECT_MARKS("all-that-changes-no-task", "<>");

    how = 6;
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    MARK('m');
    EXPECT_MARKS("an-alarm-that-expires-in-an-isr-readies-its-task-for-its-end", "<>hm");
    EXPECT_IS("increment-counter-in-an-isr", statuses[1], E_OK);

    how = 1;
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}

TASK(Equal)
{
    MARK('e');
    TerminateTask();
}

TASK(Fixed)
{
    MARK('f');
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    MARK('f');
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

TASK(Low)
{
    EXPECT_MARKS("equal-and-lower-tasks-that-an-isr-readied-come-after-the-interrupted-one", "e");
    how = 0;
    carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
    EXPECT_MARKS("isrs-interrupt-the-lowest-task", "[]");
    FINISH();
}
