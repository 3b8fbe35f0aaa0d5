/* SPDX-License-Identifier: Apache-2.0
 *
 * Events: chapter 13.5. */
#include "kernel/jobs/event.h"
#include "kernel/jobs/frame.h"
#include "kernel/jobs/job.h"
#include "kernel/jobs/resource.h"

#if CARILLON_OSEK_EVENTS

static const struct carillon_osek_task *running(void)
{
    return &carillon_osek_tasks[carillon_osek_running];
}

/* 1. A task says under the lock what it waits for, and looks under the same lock at what is set.  An event is set under
 *    that lock, too.  So an event is seen by the look, or the task is requested.
 * 2. The task may be requested before it has left (WaitEvent unlocks when the task's context is saved).  Its handler is
 *    still active then, and begins again when it has returned. */
void carillon_osek_set(TaskType task, EventMaskType mask)
{
    struct carillon_osek_extended *const extended = carillon_osek_tasks[task].extended;
    const uint32_t saved = carillon_osek_lock();
    carillon_osek_serve_cells(&carillon_osek_tasks[task]);
    extended->set |= mask;
    if (((extended->set & extended->waited) != 0u) && (carillon_osek_arrive(task, E_OK) == E_OK)) {
        extended->waited = 0u;
        if (!carillon_osek_may_be_guest(task) || !carillon_osek_wakes_as_guest(task)) {
            carillon_osek_ready(task);
        }
    }
    carillon_osek_unlock(saved);
}

StatusType(SetEvent)(TaskType task, EventMaskType mask)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_SetEvent, .object = task, .first = mask);
    CHECK(task < CARILLON_OSEK_TASKS, OSServiceId_SetEvent, E_OS_ID, .object = task, .first = mask);
    CHECK(carillon_osek_tasks[task].extended != NULL, OSServiceId_SetEvent, E_OS_ACCESS, .object = task, .first = mask);
    if (!CARILLON_OSEK_EXTENDED) {
        carillon_osek_set(task, mask);
        return E_OK;
    }
    const uint32_t saved = carillon_osek_lock(); /* the task may end, or begin anew, between the look and the event */
    carillon_osek_serve_cells(&carillon_osek_tasks[task]);
    const uint8_t activations = carillon_osek_jobs[task].activations;
    if (activations != 0u) {
        carillon_osek_set(task, mask);
    }
    carillon_osek_unlock(saved);
    CHECK(activations != 0u, OSServiceId_SetEvent, E_OS_STATE, .object = task, .first = mask);
    return E_OK;
}

StatusType(ClearEvent)(EventMaskType mask)
{
    CHECK_PLACE(IN_TASK, OSServiceId_ClearEvent, .first = mask);
    const struct carillon_osek_task *const task = running();
    CHECK(task->extended != NULL, OSServiceId_ClearEvent, E_OS_ACCESS, .first = mask);
    const uint32_t saved = carillon_osek_lock();
    carillon_osek_serve_cells(task);
    task->extended->set &= ~mask;
    carillon_osek_unlock(saved);
    return E_OK;
}

/* 1. Whoever sets an event may come between the loads of a mask's parts, and half of the mask would be of before.  A
 *    processor that loads a mask at once needs no lock for that.
 * 2. In extended status the task's state is looked at too: the task may end, and begin anew, between both looks.
 * 3. What alarms on cells have set is served under the lock. */
#define GET_EVENT_LOCKS (CARILLON_OSEK_EXTENDED || CARILLON_NARROW || CARILLON_OSEK_LEVEL_CELLS)

StatusType GetEvent(TaskType task, EventMaskRefType mask)
{
    CHECK_PLACE(IN_TASK | IN_ISR2 | IN_ERROR_HOOK | IN_TASK_HOOK, OSServiceId_GetEvent, .object = task,
                .reference = mask);
    CHECK(task < CARILLON_OSEK_TASKS, OSServiceId_GetEvent, E_OS_ID, .object = task, .reference = mask);
    CHECK_POINTER(mask, OSServiceId_GetEvent, .object = task, .reference = mask);
    CHECK(carillon_osek_tasks[task].extended != NULL, OSServiceId_GetEvent, E_OS_ACCESS, .object = task,
          .reference = mask);
    if (!GET_EVENT_LOCKS) {
        *mask = carillon_osek_tasks[task].extended->set;
        return E_OK;
    }
    const uint32_t saved = carillon_osek_lock();
    carillon_osek_serve_cells(&carillon_osek_tasks[task]);
    const bool suspended = carillon_osek_suspended(task);
    const EventMaskType set = carillon_osek_tasks[task].extended->set;
    carillon_osek_unlock(saved);
    CHECK(!suspended, OSServiceId_GetEvent, E_OS_STATE, .object = task, .reference = mask);
    (void)suspended;
    *mask = set;
    return E_OK;
}

StatusType(WaitEvent)(EventMaskType mask)
{
    CHECK_PLACE(IN_TASK, OSServiceId_WaitEvent, .first = mask);
    const struct carillon_osek_task *const task = running();
    struct carillon_osek_extended *const extended = task->extended;
    CHECK(extended != NULL, OSServiceId_WaitEvent, E_OS_ACCESS, .first = mask);
    CHECK(carillon_osek_holds_none(), OSServiceId_WaitEvent, E_OS_RESOURCE, .first = mask);
    const uint32_t saved = carillon_osek_lock();
    carillon_osek_serve_cells(task);
    if ((extended->set & mask) != 0u) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    extended->waited = mask;
    carillon_osek_suspend(extended);
    carillon_osek_goes_on();
    return E_OK;
}

#endif
