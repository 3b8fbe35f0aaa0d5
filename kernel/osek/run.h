/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of a task level. */
#ifndef CARILLON_OSEK_RUN_H
#define CARILLON_OSEK_RUN_H

#include "kernel/osek/served.h"
#include "kernel/osek/stop.h"
#include "kernel/osek/task.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    TaskType task = level->task;
#if CARILLON_OSEK_BUDGETS
    const uint32_t mask = carillon_osek_begin_held(); /* until the job's frame stands, and again from its end on */
    const struct carillon_budget_left left = carillon_osek_take_budget();
#endif
#if CARILLON_OSEK_MUTEXES > 0
    bool is_guest = false;
    if (carillon_osek_has_guest(number)) {
        const uint32_t taking = carillon_osek_lock();
        task = carillon_osek_take_guest(number);
        is_guest = true;
        carillon_osek_unlock(taking);
    }
#else
    const bool is_guest = false;
#endif
#if CARILLON_OSEK_SERVERS > 0
    if (CARILLON_OSEK_IS_SERVED(number) && !is_guest && !carillon_osek_admits(number)) {
#if CARILLON_OSEK_TASK_HOOKS && !CARILLON_OSEK_SOFTWARE
#if CARILLON_OSEK_BUDGETS
        carillon_budget.state = CARILLON_UNWATCHED; /* as below */
        carillon_osek_leave(mask);
#endif
        carillon_osek_leave_hooks(number, carillon_port_mask());
#if CARILLON_OSEK_BUDGETS
        (void)carillon_osek_lock();
#endif
#endif
#if CARILLON_OSEK_BUDGETS
        carillon_osek_give_budget(left);
        carillon_osek_leave(mask);
#endif
        return;
    }
#endif
#if CARILLON_OSEK_QUEUED
    if ((level->capacity != 0u) && !is_guest) {
        const uint32_t saved = carillon_osek_lock();
        const uint32_t first = level->state->first;
        task = level->ring[first];
        if (!carillon_osek_next_mate(level, task)) {
            level->state->first = ((first + 1u) < level->capacity) ? (carillon_osek_slot)(first + 1u) : 0u;
            level->state->count--;
        }
#if CARILLON_OSEK_SLICES
        level->state->over = 0u;
        level->state->held = 0u;
#endif
        carillon_osek_unlock(saved);
    }
#endif
    const struct carillon_osek_task *const fixed = &carillon_osek_tasks[task];
    const uint_fast8_t before = carillon_osek_running;
#if CARILLON_OSEK_BUDGETS
    const uint32_t begins = carillon_osek_begin_mask(mask, fixed->ceiling, number);
#else
    const uint32_t mask = carillon_osek_enter(fixed->ceiling, number);
#endif
#if CARILLON_OSEK_TASK_HOOKS
    carillon_osek_enter_hooks((TaskType)before, task);
#else
    carillon_osek_running = task;
#endif
#if CARILLON_OSEK_BUDGETS
    carillon_budget.mask = begins;
    carillon_budget.function = fixed->function;
    carillon_budget_watch(task, fixed->budget);
#endif
#if CARILLON_OSEK_SERVERS > 0
    const uint8_t charged = (number >= CARILLON_OSEK_FIRST_SERVED) ? carillon_server_begins(fixed->level) : 0u;
#endif
    if (fixed->extended != NULL) {
        carillon_port_resume(&fixed->extended->context);
#if CARILLON_OSEK_STACK_CHECK
        carillon_osek_check_stack(fixed);
#endif
    } else {
#if CARILLON_OSEK_BUDGETS
        CARILLON_CALL_AS(fixed->function, carillon_budget_body);
#else
        carillon_port_call(fixed->function);
#endif
    }
#if CARILLON_OSEK_MISSING_END
    if ((carillon_osek_jobs[task].next == CARILLON_OSEK_GOES_ON) &&
        ((fixed->extended == NULL) || (fixed->extended->waited == 0u))) {
        carillon_osek_missing_end();
    }
#endif
#if CARILLON_OSEK_LEVEL_CELLS
    if (CARILLON_OSEK_HAS_CELLS(number) && ((fixed->extended == NULL) || (fixed->extended->waited == 0u))) {
        (void)carillon_osek_lock(); /* up to the task's end */
        carillon_serve_known_cells(number);
    }
#endif
#if CARILLON_OSEK_TASK_HOOKS
    carillon_osek_end_hooks();
#endif
    if ((fixed->extended != NULL) && (fixed->extended->waited != 0u)) {
        carillon_osek_running = before;
#if (CARILLON_OSEK_MUTEXES > 0) && !CARILLON_OSEK_SOFTWARE
        if (is_guest && carillon_port_is_pending(level->source)) { /* as whoever gets its mutex has requested it */
            is_guest = false;
        }
#endif
    } else if (CARILLON_OSEK_ENDS_INLINE && (level->capacity == 0u) && (fixed->extended != NULL) &&
               (fixed->thread == 0u)) {
        (void)carillon_osek_hold(); /* up to the task's end */
        carillon_osek_end_job(task, (TaskType)before);
    } else {
        carillon_osek_ended(task, (TaskType)before); /* before those that it held back find it */
    }
#if CARILLON_OSEK_SERVERS > 0
    if (number >= CARILLON_OSEK_FIRST_SERVED) {
        carillon_server_ends(number, charged);
    }
#endif
#if CARILLON_OSEK_BUDGETS
    carillon_budget_forget_locks();
#endif
#if CARILLON_OSEK_BUDGETS && CARILLON_OSEK_TASK_HOOKS && !CARILLON_OSEK_SOFTWARE
    carillon_budget.state = CARILLON_UNWATCHED; /* until the hook of the task that goes on has returned */
#elif CARILLON_OSEK_BUDGETS
    carillon_osek_give_budget(left);
#endif
    carillon_osek_leave(mask);
#if CARILLON_OSEK_MUTEXES > 0
    if (is_guest) {
        carillon_osek_guest_has_run(number);
    }
#else
    (void)is_guest;
#endif
#if CARILLON_OSEK_QUEUED
    if ((level->capacity != 0u) && (level->state->count != 0u)) {
        carillon_osek_request_unlocked(level->request, number);
    }
#endif
#if CARILLON_OSEK_TASK_HOOKS && !CARILLON_OSEK_SOFTWARE
    carillon_osek_leave_hooks(number, mask);
#if CARILLON_OSEK_BUDGETS
    (void)carillon_osek_lock();
    carillon_osek_give_budget(left);
    carillon_osek_leave(mask);
#endif
#endif
}

#endif

#ifdef __cplusplus
}
#endif

#endif
