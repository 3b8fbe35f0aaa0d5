/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t errors;
static volatile StatusType last;
static volatile OSServiceIdType service;
static volatile TaskType task;

void ErrorHook(StatusType error)
{
    errors++;
    last = error;
    service = OSErrorGetServiceId();
    if (service == OSServiceId_ActivateTask) {
        task = OSError_ActivateTask_TaskID();
    } else if (service == OSServiceId_SetEvent) {
        task = OSError_SetEvent_TaskID();
    } else {
        task = INVALID_TASK;
    }
}

#define EXPECT_LAST(name, error_, service_)                      \
    do {                                                         \
        EXPECT_IS(name "-tells-its-error", last, error_);        \
        EXPECT_IS(name "-tells-its-service", service, service_); \
    } while (0)

TASK(Main)
{
    (void)StartScheduleTableRel(Table, 1);
    EXPECT_IS("a-point-that-can-do-it", IncrementCounter(Soft), E_OK);
    EXPECT_IS("is-no-error", errors, 0);
    EXPECT_IS("a-point-whose-event-fails-is-no-error-of-increment-counter", IncrementCounter(Soft), E_OK);
    EXPECT_IS("but-the-hook-hears-of-it", errors, 1);
    EXPECT_LAST("an-event-of-a-suspended-task", E_OS_STATE, OSServiceId_SetEvent);
    EXPECT_IS("and-the-task", task, Waiter);
    EXPECT_IS("a-point-whose-activation-fails-is-none-either", IncrementCounter(Soft), E_OK);
    EXPECT_IS("and-the-hook-hears-of-it", errors, 2);
    EXPECT_LAST("an-activation-too-many", E_OS_LIMIT, OSServiceId_ActivateTask);
    EXPECT_IS("and-its-task", task, Low);
    (void)ActivateTask(Waiter);
    (void)IncrementCounter(Soft);
    EXPECT_IS("the-table-goes-on", errors, 2);

    EXPECT_IS("a-running-table-started-relatively", StartScheduleTableRel(Table, 1), E_OS_STATE);
    EXPECT_LAST("a-relative-start", E_OS_STATE, OSServiceId_StartScheduleTableRel);
    EXPECT_IS("a-running-table-started-absolutely", StartScheduleTableAbs(Table, 1), E_OS_STATE);
    EXPECT_LAST("an-absolute-start", E_OS_STATE, OSServiceId_StartScheduleTableAbs);
    EXPECT_IS("a-running-table-that-is-to-follow", NextScheduleTable(Table, Table), E_OS_STATE);
    EXPECT_LAST("a-next-table", E_OS_STATE, OSServiceId_NextScheduleTable);
    EXPECT_IS("a-stopped-table-synchronised", SyncScheduleTable(Other, 1), E_OS_STATE);
    EXPECT_LAST("a-synchronisation", E_OS_STATE, OSServiceId_SyncScheduleTable);
    EXPECT_IS("a-stopped-table-set-asynchronous", SetScheduleTableAsync(Other), E_OS_STATE);
    EXPECT_LAST("asynchronous", E_OS_STATE, OSServiceId_SetScheduleTableAsync);
    EXPECT_IS("a-stopped-table-stopped", StopScheduleTable(Other), E_OS_NOFUNC);
    EXPECT_LAST("a-stop", E_OS_NOFUNC, OSServiceId_StopScheduleTable);
    (void)StartScheduleTableSynchron(Other);
    EXPECT_IS("a-waiting-table-started-synchronously", StartScheduleTableSynchron(Other), E_OS_STATE);
    EXPECT_LAST("a-synchronous-start", E_OS_STATE, OSServiceId_StartScheduleTableSynchron);
    EXPECT_IS("each-calls-the-hook-once", errors, 9);
    TerminateTask();
}

TASK(Low)
{
    MARK('l');
    TerminateTask();
}

TASK(Waiter)
{
    (void)WaitEvent(Go);
    EXPECT_MARKS("what-could-be-done-was", "l");
    FINISH();
}
