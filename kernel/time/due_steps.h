/* SPDX-License-Identifier: Apache-2.0
 *
 * Delays that are over, inlined into the clock's handlers (due.c).  And the tick of a clock that counts alone: it is
 * in the function that is a vector itself, or (CARILLON_TIME_TICKS_INLINE) in the handler of the clock's cell. */
#ifndef CARILLON_TIME_DUE_STEPS_H
#define CARILLON_TIME_DUE_STEPS_H

#include "kernel/clock/clock_steps.h"
#include "kernel/jobs/act.h"
#include "kernel/time/wait.h"

#if CARILLON_OSEK_TIME

/* A delay that is over has a path of its own, which saves no register and calls nobody.
 *
 * A task goes on (carillon_time_wake) whose delay is the first event.  Nobody asks whether a delay is in the queue.
 * Returns what is left to the next event.  The compiler does not mix the three steps, which would take registers that
 * are to be saved.  The task's constant-bandwidth server may move the return of its budget, which may have been the
 * next event (kernel/time/server.c); so what is left is asked for after that. */
static inline carillon_time carillon_time_wake_first(struct carillon_timed *timed)
{
    const struct carillon_sleeper *const sleeper = (const struct carillon_sleeper *)(const void *)timed;
    carillon_time_waits(sleeper->extended, false);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const struct carillon_osek_task *const task = sleeper->task;
    const TaskType number = timed->task;
    const carillon_time left = carillon_queue_drop(&carillon_clock_queue, carillon_time_event(timed));
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    carillon_time_ready(sleeper, task, number, true);
    return CARILLON_SERVERS_CONSTANT ? carillon_queue_left(&carillon_clock_queue) : left;
}

#if CARILLON_CLOCK_COUNTS_ALONE
/* 1. The handler of the tick keeps out everything else that uses the clock; only the handlers of alarms use it
 *    meanwhile.  So the queue's reference is this tick until the handler has ended, and nothing that they put in is due
 *    before the next.
 * 2. A queue that gets empty has nothing due (carillon_queue_left).
 * 3. So the loop ends: what it serves was due when it began. */
static inline struct carillon_timed *carillon_time_first(void)
{
    return (struct carillon_timed *)(void *)carillon_queue_first(&carillon_clock_queue);
}

/* Nothing is left to the first event, which there is; and what comes after delays (due.c). */
#if CARILLON_TIME_TICKS_INLINE
#define CARILLON_TIME_WHERE_TICKS_ARE
#else
#define CARILLON_TIME_WHERE_TICKS_ARE static
#endif
CARILLON_TIME_WHERE_TICKS_ARE void carillon_time_serve_first(struct carillon_timed *first);
#if CARILLON_TIME_DELAYS && CARILLON_TIME_OTHERS
CARILLON_TIME_WHERE_TICKS_ARE void carillon_time_serve_rest(struct carillon_timed *first);
#else
static inline void carillon_time_serve_rest(struct carillon_timed *first)
{
    (void)first;
}
#endif

/* Where there are delays alone, most ticks have no more than one that is over. */
static inline void carillon_time_tick_inline(void)
{
    if (CARILLON_TIME_COUNTS) {
        carillon_time_ticks++;
    }
    clock_sum(1u);
    if (!carillon_clock_tick() || !carillon_queue_has_due(&carillon_clock_queue)) {
        return;
    }
    if (!CARILLON_TIME_DELAYS) {
        carillon_time_serve_first(carillon_time_first());
        return;
    }
    do { /* bounded by the number of tasks */
        struct carillon_timed *const first = carillon_time_first();
        if (!carillon_time_is_delay(first)) {
            carillon_time_serve_rest(first);
            return;
        }
        if (carillon_time_wake_first(first) != 0u) {
            return;
        }
    } while (CARILLON_TIME_OTHERS);
    carillon_time_serve_first(carillon_time_first());
}
#endif

#endif

#endif
