/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

#define TASKS 2u
#define ALARMS 2u
#define COUNTERS 2u
#define LARGEST 255u

static volatile uint8_t number;

TASK(Main)
{
    TaskStateType state = 77u;
    EventMaskType mask = 77u;
    TickType ticks = 77u;
    AlarmBaseType base = {77u, 77u, 77u};

    EXPECT_IS("activate-task", ActivateTask((TaskType)TASKS), E_OS_ID);
    EXPECT_IS("activate-task-largest", ActivateTask((TaskType)LARGEST), E_OS_ID);
    EXPECT_IS("activate-task-invalid", ActivateTask(INVALID_TASK), E_OS_ID);
    number = TASKS;
    EXPECT_IS("activate-task-by-a-variable", ActivateTask((TaskType)number), E_OS_ID);
    EXPECT_IS("chain-task", ChainTask((TaskType)TASKS), E_OS_ID);
    EXPECT_IS("chain-task-largest", ChainTask((TaskType)LARGEST), E_OS_ID);
    EXPECT_IS("get-task-state", GetTaskState((TaskType)TASKS, &state), E_OS_ID);
    EXPECT_IS("get-task-state-largest", GetTaskState((TaskType)LARGEST, &state), E_OS_ID);
    EXPECT_IS("set-event", SetEvent((TaskType)TASKS, Go), E_OS_ID);
    EXPECT_IS("set-event-largest", SetEvent((TaskType)LARGEST, Go), E_OS_ID);
    EXPECT_IS("get-event", GetEvent((TaskType)TASKS, &mask), E_OS_ID);
    EXPECT_IS("get-event-largest", GetEvent((TaskType)LARGEST, &mask), E_OS_ID);

    /* Bus and RES_SCHEDULER are the only ones that can be taken. */
    number = (uint8_t)((Bus > RES_SCHEDULER ? Bus : RES_SCHEDULER) + 1u);
    EXPECT_IS("get-resource", GetResource((ResourceType)number), E_OS_ID);
    EXPECT_IS("get-resource-largest", GetResource((ResourceType)LARGEST), E_OS_ID);
    EXPECT_IS("release-resource", ReleaseResource((ResourceType)number), E_OS_ID);
    EXPECT_IS("release-resource-largest", ReleaseResource((ResourceType)LARGEST), E_OS_ID);

    EXPECT_IS("get-alarm-base", GetAlarmBase((AlarmType)ALARMS, &base), E_OS_ID);
    EXPECT_IS("get-alarm-base-largest", GetAlarmBase((AlarmType)LARGEST, &base), E_OS_ID);
    EXPECT_IS("get-alarm", GetAlarm((AlarmType)ALARMS, &ticks), E_OS_ID);
    EXPECT_IS("get-alarm-largest", GetAlarm((AlarmType)LARGEST, &ticks), E_OS_ID);
    EXPECT_IS("set-rel-alarm", SetRelAlarm((AlarmType)ALARMS, 1, 0), E_OS_ID);
    EXPECT_IS("set-rel-alarm-largest", SetRelAlarm((AlarmType)LARGEST, 1, 0), E_OS_ID);
    EXPECT_IS("set-abs-alarm", SetAbsAlarm((AlarmType)ALARMS, 1, 0), E_OS_ID);
    EXPECT_IS("set-abs-alarm-largest", SetAbsAlarm((AlarmType)LARGEST, 1, 0), E_OS_ID);
    EXPECT_IS("cancel-alarm", CancelAlarm((AlarmType)ALARMS), E_OS_ID);
    EXPECT_IS("cancel-alarm-largest", CancelAlarm((AlarmType)LARGEST), E_OS_ID);
    EXPECT_IS("increment-counter", IncrementCounter((CounterType)COUNTERS), E_OS_ID);
    EXPECT_IS("increment-counter-largest", IncrementCounter((CounterType)LARGEST), E_OS_ID);
    EXPECT_IS("increment-counter-of-a-hardware-counter", IncrementCounter(Clock), E_OS_ID);
    EXPECT_IS("nothing-was-activated", GetTaskState(High, &state), E_OK);
    EXPECT_IS("the-task-is-suspended", state, SUSPENDED);
    EXPECT_IS("no-resource-is-held", GetResource(Bus) + ReleaseResource(Bus), E_OK);
    EXPECT_IS("no-alarm-is-in-use", GetAlarm(Alarm, &ticks), E_OS_NOFUNC);
    FINISH();
}

TASK(High)
{
    TerminateTask();
}
