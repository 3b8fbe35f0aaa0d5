/* SPDX-License-Identifier: Apache-2.0
 *
 * Every service that has a status, called once, for cases about where services may be called (OSEK OS, figure 12-1).
 * The application has a task Other below all others, an extended task Waiter, which waits and owns the event Unused,
 * the resource Bus, the counter Soft and of it the alarms Relative and Absolute, not in use, and Running, in use. */
#ifndef SERVICES_H
#define SERVICES_H

#include "../conformance.h"

enum service {
    ACTIVATE_TASK,
    TERMINATE_TASK,
    CHAIN_TASK,
    SCHEDULE,
    GET_TASK_ID,
    GET_TASK_STATE,
    GET_RESOURCE,
    RELEASE_RESOURCE,
    SET_EVENT,
    CLEAR_EVENT,
    GET_EVENT,
    WAIT_EVENT,
    GET_ALARM_BASE,
    GET_ALARM,
    SET_REL_ALARM,
    SET_ABS_ALARM,
    CANCEL_ALARM,
    INCREMENT_COUNTER,
    SERVICES
};

static inline void call_services(StatusType *statuses)
{
    TaskType task;
    TaskStateType state;
    EventMaskType mask;
    AlarmBaseType base;
    TickType ticks;
    statuses[ACTIVATE_TASK] = ActivateTask(Other);
    statuses[TERMINATE_TASK] = TerminateTask();
    statuses[CHAIN_TASK] = ChainTask(Other);
    statuses[SCHEDULE] = Schedule();
    statuses[GET_TASK_ID] = GetTaskID(&task);
    statuses[GET_TASK_STATE] = GetTaskState(Other, &state);
    statuses[GET_RESOURCE] = GetResource(Bus);
    statuses[RELEASE_RESOURCE] = ReleaseResource(Bus);
    statuses[SET_EVENT] = SetEvent(Waiter, Unused);
    statuses[CLEAR_EVENT] = ClearEvent(Unused);
    statuses[GET_EVENT] = GetEvent(Waiter, &mask);
    statuses[WAIT_EVENT] = WaitEvent(Unused);
    statuses[GET_ALARM_BASE] = GetAlarmBase(Running, &base);
    statuses[GET_ALARM] = GetAlarm(Running, &ticks);
    statuses[SET_REL_ALARM] = SetRelAlarm(Relative, 90, 0);
    statuses[SET_ABS_ALARM] = SetAbsAlarm(Absolute, 90, 0);
    statuses[CANCEL_ALARM] = CancelAlarm(Running);
    statuses[INCREMENT_COUNTER] = IncrementCounter(Soft);
}

#define EXPECT_STATUS(level, service, name, wanted) EXPECT_IS(level "-" name, statuses_[service], wanted)

/* What call_services got: the status of services that change something, of those that only look, and of those that only
 * tasks may call. */
#define EXPECT_SERVICES(level, statuses, changing, looking, task)               \
    do {                                                                        \
        const StatusType *const statuses_ = (statuses);                         \
        EXPECT_STATUS(level, ACTIVATE_TASK, "activate-task", changing);         \
        EXPECT_STATUS(level, TERMINATE_TASK, "terminate-task", task);           \
        EXPECT_STATUS(level, CHAIN_TASK, "chain-task", task);                   \
        EXPECT_STATUS(level, SCHEDULE, "schedule", task);                       \
        EXPECT_STATUS(level, GET_TASK_ID, "get-task-id", looking);              \
        EXPECT_STATUS(level, GET_TASK_STATE, "get-task-state", looking);        \
        EXPECT_STATUS(level, GET_RESOURCE, "get-resource", changing);           \
        EXPECT_STATUS(level, RELEASE_RESOURCE, "release-resource", changing);   \
        EXPECT_STATUS(level, SET_EVENT, "set-event", changing);                 \
        EXPECT_STATUS(level, CLEAR_EVENT, "clear-event", task);                 \
        EXPECT_STATUS(level, GET_EVENT, "get-event", looking);                  \
        EXPECT_STATUS(level, WAIT_EVENT, "wait-event", task);                   \
        EXPECT_STATUS(level, GET_ALARM_BASE, "get-alarm-base", looking);        \
        EXPECT_STATUS(level, GET_ALARM, "get-alarm", looking);                  \
        EXPECT_STATUS(level, SET_REL_ALARM, "set-rel-alarm", changing);         \
        EXPECT_STATUS(level, SET_ABS_ALARM, "set-abs-alarm", changing);         \
        EXPECT_STATUS(level, CANCEL_ALARM, "cancel-alarm", changing);           \
        EXPECT_STATUS(level, INCREMENT_COUNTER, "increment-counter", changing); \
    } while (0)

#endif
