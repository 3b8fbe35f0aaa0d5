/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of a task level. */
#ifndef CARILLON_OSEK_RUN_H
#define CARILLON_OSEK_RUN_H

#include "kernel/core/trace.h"
#include "kernel/jobs/stop.h"
#include "kernel/jobs/task.h"
#include "kernel/levels/served.h"

#if CARILLON_OSEK_MANAGED

/* Whether a level's handler has the end of its jobs in it: it knows the task, which ends often, as threads do not. */
#define CARILLON_OSEK_ENDS_INLINE (!CARILLON_OSEK_SOFTWARE && !CARILLON_NARROW)

/* The handler of a task level: it runs one job of a managed task.  It is inlined with a constant level, so that it has
 * no code for what the level's tasks do not need.
 *
 * 1. The handler is active until it returns, so no other job of the level begins meanwhile; higher levels may
 *    preempt it anywhere.
 * 2. A handler that changes carillon_osek_running restores it, so a preempted handler finds its own value.
 * 3. A task that waits comes back here locked (WaitEvent).  After PostTaskHook, the kernel is locked, too.  The mask is
 *    restored below, when nothing of the task is needed any more.
 * 4. Until then the task counts as running.  It stops doing so under the lock under which its job ends, so no service
 *    finds it ready.  What follows belongs to no task: a chained task that preempts it there finds the job ended. */
static inline __attribute__((always_inline)) void carillon_osek_run(uint8_t number)
{
    const struct carillon_osek_level *const level = &carillon_osek_levels[number];
    struct carillon_osek_preempted preempted = carillon_osek_preempt();
    TaskType task = level->task;
    bool is_guest = false;
    if (carillon_osek_has_guest(number)) {
        const uint32_t taking = carillon_osek_lock();
        task = carillon_osek_take_guest(number);
        is_guest = true;
        carillon_osek_unlock(taking);
    }
    if (CARILLON_OSEK_IS_SERVED(number) && !is_guest && !carillon_osek_admits(number)) {
        carillon_osek_rest_level(number, &preempted);
        return;
    }
    if ((level->capacity != 0u) && !is_guest && !carillon_osek_take_next(level, &task)) {
        carillon_osek_rest_level(number, &preempted);
        return;
    }
    const struct carillon_osek_task *const fixed = &carillon_osek_tasks[task];
    const uint_fast8_t before = carillon_osek_running;
    carillon_osek_enter_job(&preempted, fixed->ceiling, number);
    carillon_osek_enter_hooks(before, task);
    carillon_osek_watch_job(&preempted, fixed, task);
    const uint8_t charged = carillon_osek_may_be_served(number) ? carillon_server_begins(fixed->level) : 0u;
    carillon_trace_begins(task);
    if (fixed->extended != NULL) {
        carillon_port_resume(&fixed->extended->context);
        carillon_trace_ends(task, (CARILLON_TRACE != 0) && carillon_osek_waits(fixed));
        carillon_osek_check_stack(fixed);
    } else {
        carillon_osek_call_job(fixed);
        carillon_trace_ends(task, false);
    }
    carillon_osek_check_end(task, fixed);
    if (CARILLON_OSEK_HAS_CELLS(number) && !carillon_osek_waits(fixed)) {
        (void)carillon_osek_lock(); /* up to the task's end */
        carillon_serve_known_cells(number);
    }
    carillon_osek_end_hooks();
    if (carillon_osek_waits(fixed)) {
        carillon_osek_running = before;
        if (!CARILLON_OSEK_SOFTWARE && is_guest && carillon_port_is_pending(level->source)) {
            is_guest = false; /* whoever gets its mutex has requested the level */
        }
    } else if (CARILLON_OSEK_ENDS_INLINE && (level->capacity == 0u) && (fixed->extended != NULL) &&
               (fixed->thread == 0u)) {
        if (!CARILLON_OSEK_HAS_CELLS(number)) {
            (void)carillon_osek_hold(); /* up to the task's end */
        }
        carillon_osek_end_job(task, (TaskType)before);
    } else {
        carillon_osek_ended(task, (TaskType)before); /* before those that it held back find it */
    }
    if (carillon_osek_may_be_served(number)) {
        carillon_server_ends(number, charged);
    }
    carillon_osek_leave_job(&preempted);
    if (is_guest) {
        carillon_osek_guest_has_run(number);
    }
    carillon_osek_request_next(level, number);
    carillon_osek_leave_level(number, &preempted);
}

#endif

#endif
