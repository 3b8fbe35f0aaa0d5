/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t errors;
static StatusType last;
static OSServiceIdType service;
static uint32_t object;
static StatusType statuses[3];

void ErrorHook(StatusType error)
{
    errors++;
    last = error;
    service = OSErrorGetServiceId();
    object = (service == OSServiceId_ActivateTask)  ? OSError_ActivateTask_TaskID()
             : (service == OSServiceId_ChainTask)   ? OSError_ChainTask_TaskID()
             : (service == OSServiceId_GetAlarm)    ? OSError_GetAlarm_AlarmID()
             : (service == OSServiceId_SetRelAlarm) ? OSError_SetRelAlarm_AlarmID()
             : (service == OSServiceId_SetAbsAlarm) ? OSError_SetAbsAlarm_AlarmID()
             : (service == OSServiceId_CancelAlarm) ? OSError_CancelAlarm_AlarmID()
                                                    : 99u;
}

#define TOLD(name, call, status, id, number)                 \
    do {                                                     \
        errors = 0;                                          \
        EXPECT_IS(name "-returns-its-error", call, status);  \
        EXPECT_IS(name "-calls-the-hook-once", errors, 1);   \
        EXPECT_IS(name "-tells-the-error", last, status);    \
        EXPECT_IS(name "-tells-the-service", service, id);   \
        EXPECT_IS(name "-tells-the-object", object, number); \
    } while (0)

ISR(Signal)
{
    statuses[0] = ActivateTask(Low);
    statuses[1] = ActivateTask(Main);
    statuses[2] = ActivateTask(Waiter);
}

TASK(Main)
{
    TickType ticks;
    EXPECT_IS("a-first-activation", ActivateTask(Low), E_OK);
    TOLD("activate-task", ActivateTask(Low), E_OS_LIMIT, OSServiceId_ActivateTask, Low);
    TOLD("activate-oneself", ActivateTask(Main), E_OS_LIMIT, OSServiceId_ActivateTask, Main);
    EXPECT_IS("two-activations-first", ActivateTask(Several), E_OK);
    EXPECT_IS("two-activations-second", ActivateTask(Several), E_OK);
    TOLD("activate-a-third-time", ActivateTask(Several), E_OS_LIMIT, OSServiceId_ActivateTask, Several);
    (void)ActivateTask(Waiter);
    TOLD("activate-a-waiting-task", ActivateTask(Waiter), E_OS_LIMIT, OSServiceId_ActivateTask, Waiter);
    TOLD("chain-task", ChainTask(Low), E_OS_LIMIT, OSServiceId_ChainTask, Low);
    TOLD("get-alarm", GetAlarm(Alarm, &ticks), E_OS_NOFUNC, OSServiceId_GetAlarm, Alarm);
    TOLD("cancel-alarm", CancelAlarm(Alarm), E_OS_NOFUNC, OSServiceId_CancelAlarm, Alarm);
    TOLD("set-rel-alarm-by-zero", SetRelAlarm(Alarm, 0, 0), E_OS_VALUE, OSServiceId_SetRelAlarm, Alarm);
    (void)SetRelAlarm(Alarm, 10, 0);
    TOLD("set-rel-alarm", SetRelAlarm(Alarm, 10, 0), E_OS_STATE, OSServiceId_SetRelAlarm, Alarm);
    TOLD("set-abs-alarm", SetAbsAlarm(Alarm, 10, 0), E_OS_STATE, OSServiceId_SetAbsAlarm, Alarm);
    errors = 0;
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_IS("an-isr-activates-a-ready-task", statuses[0], E_OS_LIMIT);
    EXPECT_IS("an-isr-activates-the-interrupted-task", statuses[1], E_OS_LIMIT);
    EXPECT_IS("an-isr-activates-a-waiting-task", statuses[2], E_OS_LIMIT);
    EXPECT_IS("each-calls-the-hook", errors, 3);
    FINISH();
}

TASK(Low)
{
    TerminateTask();
}

TASK(Several)
{
    TerminateTask();
}

TASK(Waiter)
{
    (void)WaitEvent(Go);
    TerminateTask();
}
