/* SPDX-License-Identifier: Apache-2.0
 *
 * A job is one run of a managed task: what makes it ready, and what is left when it is over.  A service activates and
 * ends it (task.c), and the handler of a level runs it (run.h). */
#ifndef CARILLON_OSEK_JOB_H
#define CARILLON_OSEK_JOB_H

#include "kernel/osek/guest.h"
#include "kernel/osek/served.h"

#ifdef __cplusplus
extern "C" {
#endif

#if CARILLON_OSEK_MANAGED
/* Whether a managed task has no job.  A task that ChainTask names has its place from the call on, but is activated only
 * when the caller has ended.  Until then it is suspended, and the caller's PostTaskHook may ask for its state. */
static inline bool carillon_osek_suspended(TaskType task)
{
    const uint_fast8_t running = carillon_osek_running;
    const bool chained = (running != INVALID_TASK) && (running != task) && (carillon_osek_jobs[running].next == task);
    return carillon_osek_jobs[task].activations == (chained ? 1u : 0u);
}
#endif

#if CARILLON_OSEK_QUEUED
/* Put a task behind the others that are ready at its level, if that has a queue; locked, or in the clock's handler. */
static inline void carillon_osek_queue_up(const struct carillon_osek_level *level, TaskType task)
{
    const carillon_osek_slots capacity = (carillon_osek_slots)level->capacity;
    if (capacity != 0u) {
        struct carillon_osek_ring *const state = level->state;
        const carillon_osek_slots count = state->count;
        carillon_osek_slots last = (carillon_osek_slots)(state->first + count);
        if (last >= capacity) {
            last = (carillon_osek_slots)(last - capacity);
        }
        state->count = (carillon_osek_slot)(count + 1u);
        level->ring[last] = task;
    }
}
#endif

/* Make a managed task ready; locked, or `in_handler`: in the clock's. */
static inline __attribute__((always_inline)) void carillon_osek_ready_in(const struct carillon_osek_task *fixed,
                                                                         TaskType task, bool in_handler)
{
#if CARILLON_OSEK_QUEUED
    carillon_osek_queue_up(&carillon_osek_levels[fixed->level], task);
#else
    (void)task;
#endif
    carillon_server_readies(fixed->level);
    if (in_handler) {
        carillon_osek_request_in_handler(fixed->request, fixed->level);
    } else {
        carillon_osek_request(fixed->request, fixed->level);
    }
}
static inline void carillon_osek_ready(TaskType task)
{
    carillon_osek_ready_in(&carillon_osek_tasks[task], task, false);
}

#if CARILLON_OSEK_TIME
/* A thread that has suspended itself is resumed, if this one has; and those that wait for its end go on.  Both locked
 * (kernel/time/thread.c). */
bool carillon_time_resumes(TaskType thread);
void carillon_time_thread_ended(TaskType thread);

/* StartOS has activated what it activates: offsets and deadlines of threads count.  A thread is released by an
 * activation; it has met its deadline.  All locked (kernel/time/wait_release.c). */
void carillon_time_start_threads(void);
void carillon_time_released(TaskType thread);
void carillon_time_met(TaskType thread);
struct carillon_timed;
void carillon_time_deadline_due(struct carillon_timed *timed); /* in the clock's handler, which has taken it out */

/* What a task may wait for beside events: something of the time services, or its turn among the threads of its level.
 * No event has one of these bits. */
#define CARILLON_OSEK_WAKE UINT32_C(0x80000000)
#define CARILLON_OSEK_TURN UINT32_C(0x40000000)

/* Make a task ready that has waited for something of the time services (CARILLON_OSEK_WAKE), and does so no more;
 * locked, or `in_handler`: in the clock's handler. */
static inline void carillon_osek_wake(const struct carillon_osek_task *task, TaskType number, bool in_handler)
{
#if CARILLON_OSEK_MUTEXES > 0
    if (carillon_osek_may_be_guest(number) && carillon_osek_wakes_as_guest(number)) {
        return;
    }
#endif
    carillon_osek_ready_in(task, number, in_handler);
}
#endif

#if CARILLON_OSEK_MUTEXES > 0
/* A guest of a level has run.  The level is requested anew if somebody is left. */
void carillon_osek_guest_has_run(uint8_t number);
#endif

/* At the end of a direct task that has a cell: if the cell requested the task while it ran, that was one activation too
 * many.  If the task chained itself, that request stays.
 *
 * 1. Nothing comes between the chaining and the end of the handler (carillon_chain_direct).
 * 2. A task's vector either always ends so or never does (osek.ld), so what is left behind belongs to this task. */
extern volatile uint16_t carillon_osek_again;
static inline void carillon_osek_forget_request(uint16_t source)
{
    carillon_port_forget(source, CARILLON_SOURCE_BIT(source));
    if (carillon_osek_again == source) {
        carillon_osek_again = 0u;
        carillon_port_request(source);
    }
}

#if CARILLON_OSEK_MATES
/* Tasks of one level whose delays are over in one tick are made ready as one (kernel/time/wait.c).  The ring has the
 * first of them, and each task has the number of the next.  The task, the ring's first entry, begins to run: the next
 * takes its place, and waits for time no more.  Returns whether there is one; locked. */
static inline bool carillon_osek_next_mate(const struct carillon_osek_level *level, TaskType task)
{
    struct carillon_osek_extended *const extended = carillon_osek_tasks[task].extended;
    if ((extended == NULL) || (extended->mate == 0u)) {
        return false;
    }
    const TaskType mate = (TaskType)(extended->mate - 1u);
    extended->mate = 0u;
    carillon_osek_tasks[mate].extended->waited = 0u;
    level->ring[level->state->first] = mate;
    return true;
}
#else
static inline bool carillon_osek_next_mate(const struct carillon_osek_level *level, TaskType task)
{
    (void)level;
    (void)task;
    return false;
}
#endif

#if CARILLON_OSEK_BUDGETS
/* What a job with or without a budget runs: its task's function, without the lock. */
void carillon_budget_body(void);
#endif

/* The running task waits; locked.  It goes on unlocked when its handler runs it again. */
static inline void carillon_osek_suspend(struct carillon_osek_extended *extended)
{
    carillon_port_suspend(&extended->context);
#if CARILLON_OSEK_BUDGETS
    carillon_osek_lower(carillon_budget.mask);
#endif
}

/* The next job of a task begins at the beginning, with no event set, if it is an extended task.  Where registers are
 * narrow, that is much code, and stands once. */
static inline void carillon_osek_begin_context_inlined(const struct carillon_osek_task *task)
{
    struct carillon_osek_extended *const extended = task->extended;
    if (extended != NULL) {
        extended->set = 0u;
#if CARILLON_OSEK_BUDGETS
        carillon_port_context(&extended->context, task->stack, task->stack_words, carillon_budget_body);
#else
        carillon_port_context(&extended->context, task->stack, task->stack_words, task->function);
#endif
    }
}
#if CARILLON_NARROW
void carillon_osek_begin_context(const struct carillon_osek_task *task) __attribute__((noinline));
#else
static inline void carillon_osek_begin_context(const struct carillon_osek_task *task)
{
    carillon_osek_begin_context_inlined(task);
}
#endif

#if CARILLON_OSEK_MANAGED

/* A job is over.  Its task waits for the next activation, or has one.  The managed task that the job chains is
 * activated.  The task that the job preempted is the running one.  Locked. */
static inline __attribute__((always_inline)) void carillon_osek_end_job(TaskType task, TaskType before)
{
    struct carillon_osek_job *const job = &carillon_osek_jobs[task];
    const TaskType next = job->next;
    carillon_osek_running = before;
    job->next = CARILLON_OSEK_UNDECIDED;
    if (next != task) {
        job->activations--;
    }
#if CARILLON_OSEK_EVENTS
    carillon_osek_begin_context(&carillon_osek_tasks[task]);
#endif
    if (__builtin_expect(next < CARILLON_OSEK_TASKS, 1) != 0) { /* else the way out would stand twice */
        carillon_osek_ready(next);
    }
}

#endif

#ifdef __cplusplus
}
#endif

#endif
