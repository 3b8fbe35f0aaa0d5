/* SPDX-License-Identifier: Apache-2.0
 *
 * What the event-triggered system does at an expiry point, a piece for each action of contract/action.h.  The alarms of
 * counters (kernel/counters/expiry.c) and those of the time services (kernel/time/due.c) have it done here.
 *
 * Beside them are: Count, which moves the queue of another counter (expiry.c), and Call, which each of the two does in
 * a frame of its own. */
#ifndef CARILLON_ACT_H
#define CARILLON_ACT_H

#include "kernel/contract/action.h"
#include "kernel/jobs/error.h"
#include "kernel/jobs/event.h"
#include "kernel/jobs/task.h"

#if CARILLON_OSEK_TIME
#include "carillon/time.h" /* after the kernel's own headers, which do not see the names of objects */
#endif

/* What alarms of the time services can do, as `uses` of [time] says. */
#if CARILLON_OSEK_TIME
#define CARILLON_TIMED_ACTIONS                                                                                \
    ((CARILLON_TIME_TASKS ? CARILLON_ACTION_BIT(CARILLON_ACTION_ACTIVATE) : 0u) |                             \
     ((CARILLON_TIME_EVENTS && CARILLON_OSEK_EVENTS) ? CARILLON_ACTION_BIT(CARILLON_ACTION_SET_EVENT) : 0u) | \
     (CARILLON_TIME_FUNCTIONS ? CARILLON_ACTION_BIT(CARILLON_ACTION_CALL) : 0u) |                             \
     (CARILLON_TIME_SEMAPHORES ? CARILLON_ACTION_BIT(CARILLON_ACTION_GIVE) : 0u))
#else
#define CARILLON_TIMED_ACTIONS 0u
#endif

/* Whether anything can do an action.  What nothing can do has no code. */
#define CARILLON_ACTS(action)                                                                \
    (((CARILLON_OSEK_ALARM_ACTIONS | CARILLON_OSEK_POINT_ACTIONS | CARILLON_TIMED_ACTIONS) & \
      CARILLON_ACTION_BIT(action)) != 0u)

/* Whether it is this action, of those of a set that the compiler knows.  The only one that is left is not asked for. */
static inline __attribute__((always_inline)) bool carillon_is_action(uint32_t set, uint8_t action, uint32_t asked)
{
    const uint32_t bit = CARILLON_ACTION_BIT(asked);
    return ((set & bit) != 0u) && ((set == bit) || (action == asked));
}

/* The pieces; locked, or in a handler of the lock's level.  What fails tells the error hook. */
static inline void carillon_act_activate(TaskType task)
{
    const StatusType status = carillon_osek_activate_locked(task);
    if (status != E_OK) {
        (void)FAIL(OSServiceId_ActivateTask, status, .object = task);
    }
}

static inline void carillon_act_set_event(TaskType task, EventMaskType event)
{
    carillon_osek_serve_cells(&carillon_osek_tasks[task]);
    if (carillon_osek_jobs[task].activations == 0u) {
        (void)FAIL(OSServiceId_SetEvent, E_OS_STATE, .object = task, .first = event);
    } else {
        carillon_osek_set(task, event);
    }
}

#if CARILLON_ACTS(CARILLON_ACTION_GIVE)
static inline void carillon_act_give(struct carillon_semaphore *semaphore)
{
    if (!carillon_semaphore_give(semaphore)) {
        (void)FAIL(OSServiceId_SemaphoreV, E_OS_LIMIT, .reference = semaphore);
    }
}
#else
static inline void carillon_act_give(struct carillon_semaphore *semaphore)
{
    (void)semaphore;
}
#endif

/* Do an action of a set, which the compiler knows, to an object, with what it takes besides. */
static inline __attribute__((always_inline)) void carillon_act(uint32_t set, uint8_t action, uint8_t object,
                                                               const union carillon_operand *operand)
{
    const uint32_t but_activate = set & ~CARILLON_ACTION_BIT(CARILLON_ACTION_ACTIVATE);
    const uint32_t but_events = but_activate & ~CARILLON_ACTION_BIT(CARILLON_ACTION_SET_EVENT);
    if (carillon_is_action(set, action, CARILLON_ACTION_ACTIVATE)) {
        carillon_act_activate(object);
    } else if (carillon_is_action(but_activate, action, CARILLON_ACTION_SET_EVENT)) {
        carillon_act_set_event(object, operand->carillon_event);
    } else if (carillon_is_action(but_events, action, CARILLON_ACTION_GIVE)) {
        carillon_act_give(operand->carillon_semaphore);
    } else {
        /* nothing else is done here */
    }
}

#endif
