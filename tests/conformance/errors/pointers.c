/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static uint32_t errors;
static StatusType last;
static OSServiceIdType service;

void ErrorHook(StatusType error)
{
    errors++;
    last = error;
    service = OSErrorGetServiceId();
}

ALARMCALLBACK(OnAlarm)
{
    MARK('c');
}

/* Not known to the compiler, which would warn. */
static void *volatile nowhere;

#define EXPECT_POINTER(name, call, id)                             \
    do {                                                           \
        errors = 0u;                                               \
        EXPECT_IS(name, (call), E_OS_PARAM_POINTER);               \
        EXPECT_IS(name "-tells-the-error-hook", errors, 1);        \
        EXPECT_IS(name "-is-the-error", last, E_OS_PARAM_POINTER); \
        EXPECT_IS(name "-is-the-service", service, id);            \
    } while (0)

TASK(Main)
{
    TickType ticks = 7;
    EXPECT_POINTER("get-task-id", GetTaskID(nowhere), OSServiceId_GetTaskID);
    EXPECT_POINTER("get-task-state", GetTaskState(Main, nowhere), OSServiceId_GetTaskState);
    EXPECT_POINTER("get-event", GetEvent(Waiter, nowhere), OSServiceId_GetEvent);
    EXPECT_POINTER("get-alarm-base", GetAlarmBase(Running, nowhere), OSServiceId_GetAlarmBase);
    EXPECT_POINTER("get-alarm", GetAlarm(Running, nowhere), OSServiceId_GetAlarm);
    EXPECT_POINTER("get-schedule-table-status", GetScheduleTableStatus(Table, nowhere),
                   OSServiceId_GetScheduleTableStatus);
    EXPECT_POINTER("get-counter-value", GetCounterValue(Soft, nowhere), OSServiceId_GetCounterValue);
    EXPECT_POINTER("get-elapsed-value-of-nothing", GetElapsedValue(Soft, nowhere, &ticks), OSServiceId_GetElapsedValue);
    EXPECT_POINTER("get-elapsed-value-to-nowhere", GetElapsedValue(Soft, &ticks, nowhere), OSServiceId_GetElapsedValue);
    EXPECT_IS("nothing-has-been-written", ticks, 7);
    errors = 0u;
    EXPECT_IS("with-a-pointer-it-works", GetElapsedValue(Soft, &ticks, &ticks), E_OK);
    EXPECT_IS("an-unknown-object-comes-first", GetAlarm(INVALID_ALARM, nowhere), E_OS_ID);
    EXPECT_IS("one-error-since", errors, 1);
    FINISH();
}

TASK(Waiter)
{
    (void)WaitEvent(Go);
    TerminateTask();
}
