/* SPDX-License-Identifier: Apache-2.0
 *
 * A job is one run of a managed task: what makes it ready, and what is left when it is over.  A service activates and
 * ends it (task.c), and the handler of a level runs it (run.h). */
#ifndef CARILLON_OSEK_JOB_H
#define CARILLON_OSEK_JOB_H

#include "kernel/levels/guest.h"
#include "kernel/levels/preempt.h"
#include "kernel/levels/served.h"

/* Whether a task is a direct one. */
static inline bool carillon_osek_is_direct(TaskType task)
{
    return (CARILLON_OSEK_DIRECT != 0) && ((CARILLON_OSEK_MANAGED == 0) || (carillon_osek_tasks[task].direct != 0u));
}

/* Whether a managed task has no job.  A task that ChainTask names has its place from the call on, but is activated only
 * when the caller has ended.  Until then it is suspended, and the caller's PostTaskHook may ask for its state. */
static inline bool carillon_osek_suspended(TaskType task)
{
    const uint_fast8_t running = carillon_osek_running;
    const bool chained = (running != INVALID_TASK) && (running != task) && (carillon_osek_jobs[running].next == task);
    return carillon_osek_jobs[task].activations == (chained ? 1u : 0u);
}

/* Turns of threads; locked, but the third: somebody waits for one, one begins, and it is over. */
#if CARILLON_OSEK_SLICES
static inline __attribute__((always_inline)) void carillon_slice_waits_for(const struct carillon_osek_ring *state)
{
    if (CARILLON_OSEK_SLICES_REST && (state->turn != 0u)) {
        carillon_slices_wanted();
    }
}
static inline __attribute__((always_inline)) void carillon_slice_begins(struct carillon_osek_ring *state)
{
    state->over = 0u;
    state->held = 0u;
    if (CARILLON_OSEK_SLICES_REST) {
        state->turn = 1u;
        if (state->count != 0u) {
            carillon_slices_wanted();
        }
    }
}
static inline __attribute__((always_inline)) void carillon_slice_left(struct carillon_osek_ring *state)
{
    if (CARILLON_OSEK_SLICES_REST) {
        state->turn = 0u;
    }
}
#else
static inline __attribute__((always_inline)) void carillon_slice_waits_for(const struct carillon_osek_ring *state)
{
    (void)state;
}
static inline __attribute__((always_inline)) void carillon_slice_begins(struct carillon_osek_ring *state)
{
    (void)state;
}
static inline __attribute__((always_inline)) void carillon_slice_left(struct carillon_osek_ring *state)
{
    (void)state;
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
        carillon_slice_waits_for(state);
    }
}
#else
static inline void carillon_osek_queue_up(const struct carillon_osek_level *level, TaskType task)
{
    (void)level;
    (void)task;
}
#endif

/* Make a managed task ready; locked, or `in_handler`: in the clock's. */
static inline __attribute__((always_inline)) void carillon_osek_ready_in(const struct carillon_osek_task *fixed,
                                                                         TaskType task, bool in_handler)
{
    carillon_osek_queue_up(&carillon_osek_levels[fixed->level], task);
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

/* What a task may wait for beside events: something of the time services, or its turn among the threads of its level.
 * No event has one of these bits. */
#define CARILLON_OSEK_WAKE UINT32_C(0x80000000)
#define CARILLON_OSEK_TURN UINT32_C(0x40000000)

/* Make a task ready that has waited for something of the time services (CARILLON_OSEK_WAKE), and does so no more;
 * locked, or `in_handler`: in the clock's handler. */
static inline void carillon_osek_wake(const struct carillon_osek_task *task, TaskType number, bool in_handler)
{
    if (carillon_osek_may_be_guest(number) && carillon_osek_wakes_as_guest(number)) {
        return;
    }
    carillon_osek_ready_in(task, number, in_handler);
}

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

/* The task of the next job of a level that has a ring: it is the first there, and is taken out.  False if there is none:
 * nobody requested this interrupt, and a count below 0 would keep the level's handler for ever. */
#if CARILLON_OSEK_QUEUED
static inline __attribute__((always_inline)) bool carillon_osek_take_next(const struct carillon_osek_level *level,
                                                                          TaskType *task)
{
    const uint32_t saved = carillon_osek_lock();
    const carillon_osek_slot count = level->state->count;
    if (count == 0u) {
        carillon_osek_unlock(saved);
        return false;
    }
    const uint32_t first = level->state->first;
    *task = level->ring[first];
    if (!carillon_osek_next_mate(level, *task)) {
        level->state->first = ((first + 1u) < level->capacity) ? (carillon_osek_slot)(first + 1u) : 0u;
        level->state->count = (carillon_osek_slot)(count - 1u);
    }
    carillon_slice_begins(level->state);
    carillon_osek_unlock(saved);
    return true;
}

/* Others wait in the ring of a level whose handler ends. */
static inline __attribute__((always_inline)) void carillon_osek_request_next(const struct carillon_osek_level *level,
                                                                             uint8_t number)
{
    if (level->capacity != 0u) {
        carillon_slice_left(level->state);
        if (level->state->count != 0u) {
            carillon_osek_request_unlocked(level->request, number);
        }
    }
}
#else
static inline __attribute__((always_inline)) bool carillon_osek_take_next(const struct carillon_osek_level *level,
                                                                          TaskType *task)
{
    *task = level->task;
    return true;
}
static inline __attribute__((always_inline)) void carillon_osek_request_next(const struct carillon_osek_level *level,
                                                                             uint8_t number)
{
    (void)level;
    (void)number;
}
#endif

/* Whether the task of a job waits: the job is not over. */
static inline __attribute__((always_inline)) bool carillon_osek_waits(const struct carillon_osek_task *task)
{
    return (task->extended != NULL) && (task->extended->waited != 0u);
}

/* The running task waits; locked.  It goes on unlocked when its handler runs it again. */
static inline void carillon_osek_suspend(struct carillon_osek_extended *extended)
{
    carillon_port_suspend(&extended->context);
    carillon_osek_lower_to_job();
}

/* The next job of a task begins at the beginning, with no event set, if it is an extended task.  Where registers are
 * narrow, that is much code, and stands once. */
static inline void carillon_osek_begin_context_inlined(const struct carillon_osek_task *task)
{
    struct carillon_osek_extended *const extended = task->extended;
    if (extended != NULL) {
        extended->set = 0u;
        carillon_port_context(&extended->context, task->stack, task->stack_words, carillon_osek_body(task));
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
    if (CARILLON_OSEK_EVENTS) {
        carillon_osek_begin_context(&carillon_osek_tasks[task]);
    }
    if (__builtin_expect(next < CARILLON_OSEK_TASKS, 1) != 0) { /* else the way out would stand twice */
        carillon_osek_ready(next);
    }
}

#endif

#endif
