/* SPDX-License-Identifier: Apache-2.0
 *
 * What the time services share: for kernel/time alone. */
#ifndef CARILLON_TIME_SERVICES_H
#define CARILLON_TIME_SERVICES_H

/* First: what is the kernel's does not see the names of objects. */
#include "kernel/clock/base.h"
#include "kernel/counters/alarm.h"
#include "kernel/counters/cells.h"
#include "kernel/counters/expiry.h"
#include "kernel/counters/schedule_table.h"
#include "kernel/jobs/frame.h"
#include "kernel/jobs/resource.h"

#include "carillon/time.h"

/* Services that do not wait may be called from here. */
#define IN_SERVICE (IN_TASK | IN_ISR2)

/* Does a task that waits keep what requests its level, and where the level's queue is?  Where registers are narrow,
 * these bytes are nearer than those of its table. */
#define CARILLON_TIME_REQUESTS (CARILLON_NARROW && CARILLON_OSEK_SOFTWARE && (CARILLON_OSEK_MUTEXES == 0))

#if CARILLON_TIME_REQUESTS
#define CARILLON_SLEEPER_REQUEST \
    uint8_t level;               \
    carillon_software_word level_bit;
#else
#define CARILLON_SLEEPER_REQUEST
#endif
#if CARILLON_TIME_REQUESTS && CARILLON_OSEK_QUEUED
#define CARILLON_SLEEPER_QUEUE const struct carillon_osek_level *queue;
#else
#define CARILLON_SLEEPER_QUEUE
#endif
#if CARILLON_OSEK_MATES
#define CARILLON_SLEEPER_MATES \
    struct carillon_osek_extended *last; /* the state of the last that goes on with it: its own, if none does */
#else
#define CARILLON_SLEEPER_MATES
#endif

/* A task that waits, on its own stack: until an event is due, and perhaps for a unit of a semaphore. */
struct carillon_sleeper {
    struct carillon_timed timed; /* with the number of the task */
    const struct carillon_osek_task *task;
    struct carillon_osek_extended *extended; /* its state */
    CARILLON_SLEEPER_REQUEST
    CARILLON_SLEEPER_QUEUE
    CARILLON_SLEEPER_MATES
};
struct carillon_waiter {
    struct carillon_sleeper sleeper;
    struct carillon_waiter *next;
    struct carillon_semaphore *semaphore;
    StatusType result;
};

/* Whether a task waits for the time.  Who waits for that waits for no event, nor the other way round.  So where a
 * register has no room for a mask of events, it is enough to write the byte that says so; the others are 0. */
static inline void carillon_time_waits(struct carillon_osek_extended *extended, bool waits)
{
    if ((CARILLON_NARROW != 0) && (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)) {
        ((uint8_t *)&extended->waited)[sizeof(EventMaskType) - 1u] = waits ? (uint8_t)(CARILLON_OSEK_WAKE >> 24) : 0u;
    } else {
        extended->waited = waits ? CARILLON_OSEK_WAKE : 0u;
    }
}

/* The running task, whose state this is, waits; locked.  It goes on, unlocked, when carillon_time_wake has been called
 * for it. */
static inline void carillon_time_wait(struct carillon_osek_extended *extended)
{
    carillon_time_waits(extended, true);
    carillon_osek_suspend(extended);
    carillon_osek_goes_on();
}

/* The sleeper keeps what requests its task's level; and a task that has waited is ready, with what its sleeper keeps,
 * or with what is read of its table. */
#if CARILLON_TIME_REQUESTS
#if CARILLON_OSEK_QUEUED
static inline void carillon_time_keep_queue(struct carillon_sleeper *sleeper)
{
    sleeper->queue = &carillon_osek_levels[sleeper->level];
}
static inline void carillon_time_queue_up(const struct carillon_sleeper *sleeper)
{
    carillon_osek_queue_up(sleeper->queue, sleeper->timed.task);
}
#else
static inline void carillon_time_keep_queue(const struct carillon_sleeper *sleeper)
{
    (void)sleeper;
}
static inline void carillon_time_queue_up(const struct carillon_sleeper *sleeper)
{
    (void)sleeper;
}
#endif
static inline void carillon_time_keep_request(struct carillon_sleeper *sleeper, const struct carillon_osek_task *fixed)
{
    sleeper->level = fixed->level;
    sleeper->level_bit = (carillon_software_word)fixed->request.value;
    carillon_time_keep_queue(sleeper);
}
static inline __attribute__((always_inline)) void carillon_time_ready(const struct carillon_sleeper *sleeper,
                                                                      const struct carillon_osek_task *fixed,
                                                                      TaskType task, bool in_handler)
{
    (void)fixed;
    (void)task;
    carillon_time_queue_up(sleeper);
    if (in_handler) {
        carillon_software_request_in_handler(sleeper->level_bit, sleeper->level);
    } else {
        carillon_software_request(sleeper->level_bit, sleeper->level);
    }
}
#else
static inline void carillon_time_keep_request(const struct carillon_sleeper *sleeper,
                                              const struct carillon_osek_task *fixed)
{
    (void)sleeper;
    (void)fixed;
}
static inline __attribute__((always_inline)) void carillon_time_ready(const struct carillon_sleeper *sleeper,
                                                                      const struct carillon_osek_task *fixed,
                                                                      TaskType task, bool in_handler)
{
    (void)sleeper;
    carillon_osek_wake(fixed, task, in_handler);
}
#endif

/* A task goes on; locked, or `in_handler`: in the clock's. */
static inline __attribute__((always_inline)) void carillon_time_wake_in(const struct carillon_sleeper *sleeper,
                                                                        bool in_handler)
{
    carillon_time_waits(sleeper->extended, false);
    carillon_time_ready(sleeper, sleeper->task, sleeper->timed.task, in_handler);
}
static inline void carillon_time_wake(const struct carillon_sleeper *sleeper)
{
    carillon_time_wake_in(sleeper, false);
}

/* The time, with CARILLON_TIME_NOW; locked. */
static inline carillon_time carillon_time_now(void)
{
    return CARILLON_TIME_COUNTS ? carillon_time_ticks : carillon_clock_now();
}

/* Kinds of events that are not delays without laps to go. */
#define CARILLON_TIME_OTHERS                                                                          \
    (CARILLON_TIME_ALARMS || CARILLON_TIME_TIMEOUTS || (CARILLON_TIME_DELAYS && CARILLON_TIME_FAR) || \
     CARILLON_TICKLESS || CARILLON_BUDGETS_IN_QUEUE || (CARILLON_OSEK_SERVERS > 0u) || (CARILLON_TIME_DEADLINES > 0u))

/* The event of the queue, and the same where it is a far one (CARILLON_TIME_FAR): its first member is an event. */
static inline struct carillon_event *carillon_time_event(struct carillon_timed *timed)
{
    return (struct carillon_event *)(void *)&timed->event;
}
static inline struct carillon_far_event *carillon_time_far(struct carillon_timed *timed)
{
    return (struct carillon_far_event *)(void *)&timed->event;
}

/* From now to an event that is in the queue; locked. */
static inline carillon_duration carillon_time_left(const struct carillon_timed *timed)
{
    const void *const event = &timed->event;
    return CARILLON_TIME_FAR ? (carillon_duration)carillon_clock_left_far((const struct carillon_far_event *)event)
                             : carillon_clock_left((const struct carillon_event *)event);
}

/* Is it a delay without laps to go? */
static inline bool carillon_time_is_delay(const struct carillon_timed *timed)
{
    return CARILLON_TIME_DELAYS && (!CARILLON_TIME_OTHERS || (timed->kind == CARILLON_ACTION_WAKE));
}

/* An event is to be put in that has no laps to go. */
static inline void carillon_time_clear_laps(struct carillon_timed *timed)
{
    if (CARILLON_TIME_FAR) {
        carillon_time_far(timed)->laps = 0u;
    }
}

/* Put in an event, some ticks from now, at most CARILLON_LONGEST_PERIOD, so that there are no laps to go; locked.
 * Where ticks are counted in the queue alone, its reference is now. */
static inline void carillon_time_insert_near(struct carillon_timed *timed, carillon_time ticks)
{
    carillon_time_clear_laps(timed);
    if (CARILLON_CLOCK_COUNTS_ALONE) {
        carillon_queue_insert(&carillon_clock_queue, carillon_time_event(timed), ticks);
    } else {
        carillon_clock_insert(carillon_time_event(timed), ticks);
    }
}

/* Put in an event, any number of ticks from now; locked. */
static inline void carillon_time_insert(struct carillon_timed *timed, carillon_duration ticks)
{
    if (CARILLON_TIME_FAR) {
        carillon_clock_insert_far(carillon_time_far(timed), ticks);
    } else {
        carillon_time_insert_near(timed, (carillon_time)ticks);
    }
}

/* An event is due, which may be far: has it a lap to go, for which it has been repeated? */
static inline bool carillon_time_next_lap(struct carillon_timed *timed)
{
    return CARILLON_TIME_FAR && carillon_queue_next_lap(&carillon_clock_queue, carillon_time_far(timed));
}

/* Is it a time that a service takes? */
static inline bool carillon_time_is_valid(carillon_duration ticks)
{
    return (ticks != 0u) && (ticks <= CARILLON_LONGEST_DURATION);
}

#endif
