/* SPDX-License-Identifier: Apache-2.0
 *
 * What the handler of a level does about what it preempts: its mask, and its budget (budget.h).
 *
 *   carillon_osek_preempt       the handler begins; with budgets it is locked from here to the job's frame
 *   carillon_osek_enter_job     the job's level is masked up to its ceiling
 *   carillon_osek_watch_job     its budget counts
 *   carillon_osek_call_job      it runs, or goes on
 *   carillon_osek_leave_job     it has ended or waits: what was masked is masked again
 *   carillon_osek_leave_level   the handler has nothing left to do
 *   carillon_osek_rest_level    instead of all but the first, where the handler's job may not run now */
#ifndef CARILLON_OSEK_PREEMPT_H
#define CARILLON_OSEK_PREEMPT_H

#include "kernel/levels/level_hooks.h"

#if CARILLON_OSEK_BUDGETS

/* `masks`: what lowers the lock where the job begins. */
struct carillon_osek_preempted {
    uint32_t mask;
    uint32_t masks;
    struct carillon_budget_left left;
};

/* What a job with or without a budget runs: its task's function, without the lock. */
void carillon_budget_body(void);

static inline __attribute__((always_inline)) carillon_vector carillon_osek_body(const struct carillon_osek_task *task)
{
    (void)task;
    return carillon_budget_body;
}

/* A task that has waited goes on. */
static inline __attribute__((always_inline)) void carillon_osek_lower_to_job(void)
{
    carillon_osek_lower(carillon_budget.mask);
}

static inline __attribute__((always_inline)) struct carillon_osek_preempted carillon_osek_preempt(void)
{
    const uint32_t mask = carillon_osek_begin_held();
    return (struct carillon_osek_preempted){.mask = mask, .left = carillon_osek_take_budget()};
}

static inline __attribute__((always_inline)) void carillon_osek_enter_job(struct carillon_osek_preempted *preempted,
                                                                          uint8_t ceiling, uint8_t level)
{
    preempted->masks = carillon_osek_begin_mask(preempted->mask, ceiling, level);
}

static inline __attribute__((always_inline)) void
carillon_osek_watch_job(const struct carillon_osek_preempted *preempted, const struct carillon_osek_task *fixed,
                        TaskType task)
{
    carillon_budget.mask = preempted->masks;
    carillon_budget.function = fixed->function;
    carillon_budget_watch(task, fixed->budget);
}

static inline __attribute__((always_inline)) void carillon_osek_call_job(const struct carillon_osek_task *fixed)
{
    (void)fixed;
    CARILLON_CALL_AS(fixed->function, carillon_budget_body);
}

/* Until the hook of the task that goes on has returned, nothing is watched. */
static inline __attribute__((always_inline)) void
carillon_osek_leave_job(const struct carillon_osek_preempted *preempted)
{
    carillon_budget_forget_locks();
    if (CARILLON_OSEK_LEAVES_HOOKS) {
        carillon_budget.state = CARILLON_UNWATCHED;
    } else {
        carillon_osek_give_budget(preempted->left);
    }
    carillon_osek_leave(preempted->mask);
}

static inline __attribute__((always_inline)) void
carillon_osek_leave_level(uint8_t number, const struct carillon_osek_preempted *preempted)
{
    if (CARILLON_OSEK_LEAVES_HOOKS) {
        carillon_osek_leave_hooks(number, preempted->mask);
        (void)carillon_osek_lock();
        carillon_osek_give_budget(preempted->left);
        carillon_osek_leave(preempted->mask);
    }
}

static inline __attribute__((always_inline)) void
carillon_osek_rest_level(uint8_t number, const struct carillon_osek_preempted *preempted)
{
    if (CARILLON_OSEK_LEAVES_HOOKS) {
        carillon_budget.state = CARILLON_UNWATCHED;
        carillon_osek_leave(preempted->mask);
        carillon_osek_leave_hooks(number, carillon_port_mask());
        (void)carillon_osek_lock();
    }
    carillon_osek_give_budget(preempted->left);
    carillon_osek_leave(preempted->mask);
}

#else

struct carillon_osek_preempted {
    uint32_t mask;
};

static inline __attribute__((always_inline)) carillon_vector carillon_osek_body(const struct carillon_osek_task *task)
{
    return task->function;
}

static inline __attribute__((always_inline)) void carillon_osek_lower_to_job(void)
{
}

static inline __attribute__((always_inline)) struct carillon_osek_preempted carillon_osek_preempt(void)
{
    return (struct carillon_osek_preempted){0u};
}

static inline __attribute__((always_inline)) void carillon_osek_enter_job(struct carillon_osek_preempted *preempted,
                                                                          uint8_t ceiling, uint8_t level)
{
    preempted->mask = carillon_osek_enter(ceiling, level);
}

static inline __attribute__((always_inline)) void
carillon_osek_watch_job(const struct carillon_osek_preempted *preempted, const struct carillon_osek_task *fixed,
                        TaskType task)
{
    (void)preempted;
    (void)fixed;
    (void)task;
}

static inline __attribute__((always_inline)) void carillon_osek_call_job(const struct carillon_osek_task *fixed)
{
    carillon_port_call(fixed->function);
}

static inline __attribute__((always_inline)) void
carillon_osek_leave_job(const struct carillon_osek_preempted *preempted)
{
    carillon_osek_leave(preempted->mask);
}

static inline __attribute__((always_inline)) void
carillon_osek_leave_level(uint8_t number, const struct carillon_osek_preempted *preempted)
{
    if (CARILLON_OSEK_LEAVES_HOOKS) {
        carillon_osek_leave_hooks(number, preempted->mask);
    }
}

static inline __attribute__((always_inline)) void
carillon_osek_rest_level(uint8_t number, const struct carillon_osek_preempted *preempted)
{
    (void)preempted;
    if (CARILLON_OSEK_LEAVES_HOOKS) {
        carillon_osek_leave_hooks(number, carillon_port_mask());
    }
}

#endif

#endif
