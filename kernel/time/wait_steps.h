/* SPDX-License-Identifier: Apache-2.0
 *
 * Of services that wait: who may wait, and in what line.  Inlined into them (wait.c, messages.c). */
#ifndef CARILLON_TIME_WAIT_STEPS_H
#define CARILLON_TIME_WAIT_STEPS_H

#include "kernel/clock/clock_steps.h"
#include "kernel/time/wait.h"

#if CARILLON_OSEK_TIME

/* Are there hooks or callbacks, in which the task that runs must not wait? */
#define CARILLON_TIME_HOOKS                                                                   \
    (CARILLON_OSEK_STARTUP_HOOK || CARILLON_OSEK_SHUTDOWN_HOOK || CARILLON_OSEK_ERROR_HOOK || \
     CARILLON_OSEK_TASK_HOOKS || (CARILLON_OSEK_ALARMS > 0u))

/* Is it the code of the running task that calls, not an interrupt's, nor that of another task above it?  Then `level`
 * is the one at which the task runs.  Where it is a guest of another level, it does not run at the source of its own.
 */
#if CARILLON_OSEK_SOFTWARE
static inline bool carillon_time_is_own(uint_fast8_t task, uint8_t *level)
{
    *level = carillon_osek_level_of((TaskType)task);
    return carillon_port_current() == 0u;
}
#elif CARILLON_OSEK_LEVEL_CELLS
static inline bool carillon_time_is_own(uint_fast8_t task, uint8_t *level)
{
    *level = carillon_osek_level_of((TaskType)task);
    return carillon_osek_contexts[carillon_port_current()] == (uint16_t)(CARILLON_OSEK_TASK | *level);
}
#elif CARILLON_OSEK_MUTEXES > 0
static inline bool carillon_time_is_own(uint_fast8_t task, uint8_t *level)
{
    const uint32_t source = carillon_port_current();
    const struct carillon_osek_task *const fixed = &carillon_osek_tasks[task];
    *level = fixed->level;
    if (source != fixed->source) {
        *level = carillon_osek_mutexes.holders[task].at;
        return (*level != 0u) && (source == carillon_osek_levels[*level].source);
    }
    return true;
}
#else
static inline bool carillon_time_is_own(uint_fast8_t task, uint8_t *level)
{
    *level = carillon_osek_tasks[task].level;
    return carillon_port_current() == carillon_osek_tasks[task].source;
}
#endif

/* May a task wait that is the running one?  It may if it has a stack of its own, and its own code calls, which is not a
 * hook.  Then `level` is the one at which it runs. */
static inline bool carillon_time_may_wait_at(uint_fast8_t task, uint8_t *level)
{
    if ((task == INVALID_TASK) || (CARILLON_TIME_HOOKS && (carillon_osek_hook != 0u))) {
        return false;
    }
    const bool is_own = carillon_time_is_own(task, level);
    return CARILLON_OSEK_BASIC ? (is_own && (carillon_osek_tasks[task].extended != NULL)) : is_own;
}
static inline bool carillon_time_may_wait(uint_fast8_t task)
{
    uint8_t level;
    return carillon_time_may_wait_at(task, &level);
}

/* The sleeper becomes a task. */
static inline void carillon_time_sleeps(struct carillon_sleeper *sleeper, uint_fast8_t task, uint8_t kind)
{
    const struct carillon_osek_task *const fixed = &carillon_osek_tasks[task];
    if (CARILLON_TIME_OTHERS) {
        sleeper->timed.kind = kind;
    }
    carillon_event_set_slack(carillon_time_event(&sleeper->timed), 0u);
    if (CARILLON_OSEK_QUEUED || (CARILLON_OSEK_MUTEXES > 0u)) {
        sleeper->timed.task = (TaskType)task;
    }
    sleeper->task = fixed;
    sleeper->extended = fixed->extended;
    carillon_time_keep_request(sleeper, fixed);
}

/* The sleeper becomes the running task, if that may wait.  Returns its state; NULL if it may not. */
static inline struct carillon_osek_extended *carillon_time_falls_asleep(struct carillon_sleeper *sleeper, uint8_t kind)
{
    const uint_fast8_t task = carillon_osek_running;
    if ((task == INVALID_TASK) || (CARILLON_TIME_HOOKS && (carillon_osek_hook != 0u))) {
        return NULL;
    }
    uint8_t level;
    const bool is_own = carillon_time_is_own(task, &level);
    carillon_time_sleeps(sleeper, task, kind);
    return is_own ? carillon_osek_tasks[task].extended : NULL;
}

#if CARILLON_TIME_NOW
/* Put in an event, a period after `from`; locked.  False, and not put in, if that is now or has passed. */
static inline bool carillon_time_insert_after(struct carillon_timed *timed, carillon_time from, carillon_time period)
{
    if (!CARILLON_TIME_COUNTS) {
        carillon_time_clear_laps(timed);
        return carillon_clock_insert_after(carillon_time_event(timed), from, period);
    }
    const carillon_time passed = (carillon_time)(carillon_time_ticks - from);
    if (passed >= period) {
        return false;
    }
    carillon_time_insert_near(timed, (carillon_time)(period - passed));
    return true;
}

/* With CARILLON_TIME_FAR, the same of a period that may have laps to go. */
static inline bool carillon_time_insert_far_after(struct carillon_timed *timed, carillon_time from,
                                                  carillon_duration period)
{
    if (!CARILLON_TIME_COUNTS) {
        return carillon_clock_insert_far_after(carillon_time_far(timed), from, period);
    }
    const carillon_time passed = (carillon_time)(carillon_time_ticks - from);
    if (passed >= period) {
        return false;
    }
    carillon_time_insert(timed, (carillon_duration)(period - passed));
    return true;
}
#endif

/* Put the running task among those that wait for a semaphore, behind those of its level and above.  Bounded by the
 * number of tasks. */
static inline void carillon_time_line_up(struct carillon_waiter *waiter, struct carillon_semaphore *semaphore)
{
    struct carillon_waiter **link = &semaphore->first;
    while ((*link != NULL) && ((*link)->sleeper.task->level >= waiter->sleeper.task->level)) {
        link = &(*link)->next;
    }
    waiter->semaphore = semaphore;
    waiter->next = *link;
    *link = waiter;
}

/* The same; it waits for so many ticks at most.  It goes on, unlocked, with its result. */
static inline void carillon_time_wait_within(struct carillon_waiter *waiter, struct carillon_osek_extended *extended,
                                             struct carillon_semaphore *semaphore, carillon_duration ticks)
{
    carillon_time_line_up(waiter, semaphore);
    carillon_time_insert(&waiter->sleeper.timed, ticks);
    carillon_time_wait(extended);
}

/* A task need not wait any more, to which a line's link leads; locked, or in the clock's handler. */
static inline __attribute__((always_inline)) void carillon_time_leaves_line(struct carillon_waiter **link,
                                                                            struct carillon_waiter *waiter)
{
    *link = waiter->next;
    waiter->result = E_OK;
    if (CARILLON_TIME_TIMEOUTS && (waiter->sleeper.timed.kind == CARILLON_ACTION_TIME_OUT)) {
        carillon_clock_remove(carillon_time_event(&waiter->sleeper.timed));
    }
}

/* The same, and it goes on; locked, or `in_handler`: in the clock's. */
static inline __attribute__((always_inline)) void carillon_time_goes_in(struct carillon_waiter **link,
                                                                        struct carillon_waiter *waiter, bool in_handler)
{
    carillon_time_leaves_line(link, waiter);
    carillon_time_wake_in(&waiter->sleeper, in_handler);
}
static inline void carillon_time_goes(struct carillon_waiter **link, struct carillon_waiter *waiter)
{
    carillon_time_goes_in(link, waiter, false);
}

/* Give a unit: to the first that waits, or to nobody yet.  False: there are as many as there may be.  Locked, or
 * `in_handler`: in the clock's. */
static inline __attribute__((always_inline)) bool carillon_semaphore_give_inlined(struct carillon_semaphore *semaphore,
                                                                                  bool in_handler)
{
    struct carillon_waiter *const waiter = semaphore->first;
    if (waiter != NULL) {
        carillon_time_goes_in(&semaphore->first, waiter, in_handler);
        return true;
    }
    if (semaphore->count == semaphore->most) {
        return false;
    }
    semaphore->count++;
    return true;
}

/* Take a unit if there is one; locked. */
static inline bool carillon_semaphore_take(struct carillon_semaphore *semaphore)
{
    if (semaphore->count == 0u) {
        return false;
    }
    semaphore->count--;
    return true;
}

#endif

#endif
