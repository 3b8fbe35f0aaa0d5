/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

#define NOBODY ((TaskType)200u)
#define NOTHING ((ResourceType)201u)
#define NEVER ((AlarmType)202u)
#define NOWHERE ((CounterType)203u)

static volatile uint8_t errors;
static volatile bool recurse;
static StatusType last;
static StatusType inner[2];
static OSServiceIdType service;
static TaskType identity;
static TaskStateType state;
static uint32_t object;
static uint32_t first;
static uint32_t second;
static const void *reference;

void ErrorHook(StatusType error)
{
    errors++;
    last = error;
    service = OSErrorGetServiceId();
    object = 0xFFFFu;
    first = 0xFFFFu;
    second = 0xFFFFu;
    reference = NULL;
    (void)GetTaskID(&identity);
    (void)GetTaskState(identity, &state);
    switch (service) {
    case OSServiceId_ActivateTask:
        object = OSError_ActivateTask_TaskID();
        break;
    case OSServiceId_ChainTask:
        object = OSError_ChainTask_TaskID();
        break;
    case OSServiceId_GetTaskID:
        reference = OSError_GetTaskID_TaskID();
        break;
    case OSServiceId_GetTaskState:
        object = OSError_GetTaskState_TaskID();
        reference = OSError_GetTaskState_State();
        break;
    case OSServiceId_GetResource:
        object = OSError_GetResource_ResID();
        break;
    case OSServiceId_ReleaseResource:
        object = OSError_ReleaseResource_ResID();
        break;
    case OSServiceId_SetEvent:
        object = OSError_SetEvent_TaskID();
        first = OSError_SetEvent_Mask();
        break;
    case OSServiceId_ClearEvent:
        first = OSError_ClearEvent_Mask();
        break;
    case OSServiceId_GetEvent:
        object = OSError_GetEvent_TaskID();
        reference = OSError_GetEvent_Event();
        break;
    case OSServiceId_WaitEvent:
        first = OSError_WaitEvent_Mask();
        break;
    case OSServiceId_GetAlarmBase:
        object = OSError_GetAlarmBase_AlarmID();
        reference = OSError_GetAlarmBase_Info();
        break;
    case OSServiceId_GetAlarm:
        object = OSError_GetAlarm_AlarmID();
        reference = OSError_GetAlarm_Tick();
        break;
    case OSServiceId_SetRelAlarm:
        object = OSError_SetRelAlarm_AlarmID();
        first = OSError_SetRelAlarm_increment();
        second = OSError_SetRelAlarm_cycle();
        break;
    case OSServiceId_SetAbsAlarm:
        object = OSError_SetAbsAlarm_AlarmID();
        first = OSError_SetAbsAlarm_start();
        second = OSError_SetAbsAlarm_cycle();
        break;
    case OSServiceId_CancelAlarm:
        object = OSError_CancelAlarm_AlarmID();
        break;
    case OSServiceId_IncrementCounter:
        object = OSError_IncrementCounter_CounterID();
        break;
    default:
        break;
    }
    if (recurse) {
        inner[0] = GetTaskState(NOBODY, &state);
        inner[1] = ActivateTask(High);
    }
}

#define TOLD(name, call, status, id)                        \
    do {                                                    \
        errors = 0;                                         \
        EXPECT_IS(name "-returns-its-error", call, status); \
        EXPECT_IS(name "-calls-the-hook-once", errors, 1);  \
        EXPECT_IS(name "-tells-the-error", last, status);   \
        EXPECT_IS(name "-tells-the-service", service, id);  \
    } while (0)

ISR(Signal)
{
    (void)ActivateTask(NOBODY);
}

TASK(Main)
{
    AlarmBaseType base;
    EventMaskType mask;
    TickType ticks;
    TaskType task;

    EXPECT_IS("a-service-that-succeeds", ActivateTask(High), E_OK);
    EXPECT_IS("does-not-call-the-hook", errors, 0);

    TOLD("activate-task", ActivateTask(NOBODY), E_OS_ID, OSServiceId_ActivateTask);
    EXPECT_IS("activate-task-tells-the-task", object, NOBODY);
    EXPECT_IS("the-task-that-called-is-running-in-the-hook", identity, Main);
    EXPECT_IS("and-its-state-is-running", state, RUNNING);
    TOLD("activate-task-over-the-limit", ActivateTask(Main), E_OS_LIMIT, OSServiceId_ActivateTask);
    EXPECT_IS("activate-task-over-the-limit-tells-the-task", object, Main);

    (void)GetResource(Bus);
    TOLD("terminate-task", TerminateTask(), E_OS_RESOURCE, OSServiceId_TerminateTask);
    TOLD("schedule", Schedule(), E_OS_RESOURCE, OSServiceId_Schedule);
    (void)ReleaseResource(Bus);

    TOLD("chain-task", ChainTask(NOBODY), E_OS_ID, OSServiceId_ChainTask);
    EXPECT_IS("chain-task-tells-the-task", object, NOBODY);

    SuspendOSInterrupts();
    TOLD("get-task-id", GetTaskID(&task), E_OS_DISABLEDINT, OSServiceId_GetTaskID);
    ResumeOSInterrupts();
    EXPECT("get-task-id-tells-the-reference", reference == &task);

    TOLD("get-task-state", GetTaskState(NOBODY, &state), E_OS_ID, OSServiceId_GetTaskState);
    EXPECT_IS("get-task-state-tells-the-task", object, NOBODY);
    EXPECT("get-task-state-tells-the-reference", reference == &state);

    TOLD("get-resource", GetResource(NOTHING), E_OS_ID, OSServiceId_GetResource);
    EXPECT_IS("get-resource-tells-the-resource", object, NOTHING);
    TOLD("release-resource", ReleaseResource(Bus), E_OS_NOFUNC, OSServiceId_ReleaseResource);
    EXPECT_IS("release-resource-tells-the-resource", object, Bus);

    TOLD("set-event", SetEvent(NOBODY, 0x1234u), E_OS_ID, OSServiceId_SetEvent);
    EXPECT_IS("set-event-tells-the-task", object, NOBODY);
    EXPECT_IS("set-event-tells-the-mask", first, 0x1234u);
    TOLD("clear-event", ClearEvent(0x4321u), E_OS_ACCESS, OSServiceId_ClearEvent);
    EXPECT_IS("clear-event-tells-the-mask", first, 0x4321u);
    TOLD("get-event", GetEvent(High, &mask), E_OS_ACCESS, OSServiceId_GetEvent);
    EXPECT_IS("get-event-tells-the-task", object, High);
    EXPECT("get-event-tells-the-reference", reference == &mask);
    TOLD("wait-event", WaitEvent(0xABCDu), E_OS_ACCESS, OSServiceId_WaitEvent);
    EXPECT_IS("wait-event-tells-the-mask", first, 0xABCDu);

    TOLD("get-alarm-base", GetAlarmBase(NEVER, &base), E_OS_ID, OSServiceId_GetAlarmBase);
    EXPECT_IS("get-alarm-base-tells-the-alarm", object, NEVER);
    EXPECT("get-alarm-base-tells-the-reference", reference == &base);
    TOLD("get-alarm", GetAlarm(Alarm, &ticks), E_OS_NOFUNC, OSServiceId_GetAlarm);
    EXPECT_IS("get-alarm-tells-the-alarm", object, Alarm);
    EXPECT("get-alarm-tells-the-reference", reference == &ticks);
    TOLD("set-rel-alarm", SetRelAlarm(Alarm, 500, 20), E_OS_VALUE, OSServiceId_SetRelAlarm);
    EXPECT_IS("set-rel-alarm-tells-the-alarm", object, Alarm);
    EXPECT_IS("set-rel-alarm-tells-the-increment", first, 500);
    EXPECT_IS("set-rel-alarm-tells-the-cycle", second, 20);
    TOLD("set-abs-alarm", SetAbsAlarm(Alarm, 7, 700), E_OS_VALUE, OSServiceId_SetAbsAlarm);
    EXPECT_IS("set-abs-alarm-tells-the-alarm", object, Alarm);
    EXPECT_IS("set-abs-alarm-tells-the-start", first, 7);
    EXPECT_IS("set-abs-alarm-tells-the-cycle", second, 700);
    TOLD("cancel-alarm", CancelAlarm(Alarm), E_OS_NOFUNC, OSServiceId_CancelAlarm);
    EXPECT_IS("cancel-alarm-tells-the-alarm", object, Alarm);
    TOLD("increment-counter", IncrementCounter(NOWHERE), E_OS_ID, OSServiceId_IncrementCounter);
    EXPECT_IS("increment-counter-tells-the-counter", object, NOWHERE);

    recurse = true;
    errors = 0;
    inner[0] = E_OK;
    inner[1] = E_OK;
    EXPECT_IS("an-error-with-errors-in-the-hook", ActivateTask(NOBODY), E_OS_ID);
    EXPECT_IS("calls-the-hook-once", errors, 1);
    EXPECT_IS("an-error-in-the-hook-is-returned", inner[0], E_OS_ID);
    EXPECT_IS("a-service-not-allowed-in-the-hook-returns-an-error", inner[1], E_OS_CALLEVEL);
    recurse = false;
    (void)ActivateTask(NOBODY);
    EXPECT_IS("after-that-the-hook-is-called-again", errors, 2);

    errors = 0;
    identity = 77u;
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_IS("an-error-in-an-isr-calls-the-hook", errors, 1);
    EXPECT_IS("where-the-interrupted-task-is-running", identity, Main);

    (void)ActivateTask(Waiter);
    TaskStateType waiter = 99u;
    (void)GetTaskState(Waiter, &waiter);
    EXPECT_IS("a-task-waits-that-had-errors-before", waiter, WAITING);
    errors = 0;
    (void)SetEvent(Waiter, Go);
    EXPECT_IS("an-extended-tasks-error-calls-the-hook", errors, 1);
    EXPECT_IS("where-the-extended-task-is-running", identity, Waiter);
    FINISH();
}

TASK(High)
{
    TerminateTask();
}

TASK(Waiter)
{
    (void)SetEvent(NOBODY, Go);
    (void)WaitEvent(Go);
    (void)SetEvent(NOBODY, Go);
    TerminateTask();
}
