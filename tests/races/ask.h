/* SPDX-License-Identifier: Apache-2.0
 *
 * Services that give out more than a status. */
#ifndef ASK_H
#define ASK_H

#include "kernel/run/kernel.h"

#include "sweep.h"

static inline void get_task_id(void)
{
    TaskType task = 0u;
    const StatusType status = GetTaskID(&task);
    done_with(status, task);
}

static inline void get_task_state(TaskType task)
{
    TaskStateType state = 0u;
    const StatusType status = GetTaskState(task, &state);
    done_with(status, state);
}

#if CARILLON_OSEK_EVENTS
static inline void get_event(TaskType task)
{
    EventMaskType mask = 0u;
    const StatusType status = GetEvent(task, &mask);
    done_with(status, mask);
}

static inline void say_events(TaskType task)
{
    TaskStateType state = SUSPENDED;
    EventMaskType mask = 0u;
    (void)GetTaskState(task, &state);
    if (state != SUSPENDED) {
        (void)GetEvent(task, &mask);
        note(WORD(OUT, 0u, mask));
    }
}

static inline void set_events(TaskType task)
{
    TaskStateType state = SUSPENDED;
    (void)GetTaskState(task, &state);
    if (state != SUSPENDED) {
        (void)SetEvent(task, 7u);
    }
}
#endif

#if CARILLON_OSEK_ALARMS > 0
static inline void get_alarm(AlarmType alarm)
{
    TickType ticks = 0u;
    const StatusType status = GetAlarm(alarm, &ticks);
    done_with(status, ticks);
}
#endif

#endif
