/* SPDX-License-Identifier: Apache-2.0
 *
 * Time services: alarms, delays, semaphores, chronometers and the calendar.  They use the clock and the event queue
 * that the schedule's [time] asks for.  They are the services of A. A. Froehlich, G. Gracioli, J. F. Santos, Periodic
 * timers revisited (2011), section III, in C; carillon/time.hpp has them in C++.
 *
 * A comment with the fields PARAMETER:, Returns:, Errors:, From: and Source: is the reference of the function below it
 * (docs/service_reference.py).  The errors after "Extended:" are found only in extended status.  "EPOS" under Source is
 * that paper.
 *
 * Times are in ticks of that clock.  A second has CARILLON_TIME_HZ / CARILLON_TIME_HZ_DIVISOR ticks.  A time of d ticks
 * from now ends with the d-th edge of the clock: it is longer than d - 1 ticks, and at most d.  A caller that must not
 * be early by a part of a tick asks for one tick more.
 *
 * Services return a StatusType of carillon/osek.h, and an error calls the error hook if there is one.  Only extended
 * tasks and threads may call services that wait.  Elsewhere, these return E_OS_CALLEVEL, in every status.  No service
 * may be called in hooks or before StartOS: the clock is started after StartupHook, and what would start an alarm
 * before that returns E_OS_CALLEVEL.  The handlers of alarms run in the clock's interrupt, which is an ISR of
 * category 2. */
#ifndef CARILLON_TIME_H
#define CARILLON_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon/osek.h"
#include "kernel/clock/clock.h"
#include "kernel/contract/action.h"

#ifdef __cplusplus
extern "C" {
#endif

#if CARILLON_CLOCK == CARILLON_CLOCK_NONE
#error "the schedule has no time services: add [time]"
#endif

/* A time from now, and the longest time that a service accepts.  A negative number is too long for a service. */
#if CARILLON_TIME_FAR
typedef carillon_distance carillon_duration;
#define CARILLON_LONGEST_DURATION ((carillon_duration)((carillon_distance) ~(carillon_distance)0 / 2u))
#else
typedef carillon_time carillon_duration;
#define CARILLON_LONGEST_DURATION ((carillon_duration)CARILLON_CLOCK_FARTHEST)
#endif

/* The shortest period of an alarm that expires more than once, in ticks of the clock: what an interrupt of the clock
 * that serves one takes on this board.  Alarms of a shorter one could never keep up, and would take all of the
 * processor.
 *
 * Source: Carillon's own. */
#if CARILLON_CLOCK_BEHIND > 1
#define CARILLON_SHORTEST_PERIOD ((carillon_duration)CARILLON_CLOCK_BEHIND)
#else
#define CARILLON_SHORTEST_PERIOD ((carillon_duration)1u)
#endif

/* The longest time that takes no laps of the clock, and the longest period of carillon_delay_until. */
#define CARILLON_LONGEST_PERIOD ((carillon_time)CARILLON_CLOCK_MOST_AHEAD)
#if CARILLON_TIME_FAR
#define CARILLON_LONGEST_WAIT CARILLON_LONGEST_DURATION
#else
#define CARILLON_LONGEST_WAIT CARILLON_LONGEST_PERIOD
#endif

/* Constants in ticks, rounded up.  Services refuse a time that is too long, however few bits a time has. */
#define CARILLON_PARTS(per_second) ((uint64_t)(per_second)*CARILLON_TIME_HZ_DIVISOR)
/* Whole parts first, so that nothing is cut off: of what is not too long, neither product has more than 64 bits. */
#define CARILLON_QUOTIENT(count, per_second) ((uint64_t)(count) / CARILLON_PARTS(per_second))
#define CARILLON_REST(count, per_second) (((uint64_t)(count) % CARILLON_PARTS(per_second)) * CARILLON_TIME_HZ)
#define CARILLON_IS_COUNTABLE(count, per_second) \
    (CARILLON_QUOTIENT((count), (per_second)) < ((UINT64_MAX / CARILLON_TIME_HZ) - UINT64_C(1)))
#define CARILLON_TICKS_IN_FULL(count, per_second)                                           \
    ((CARILLON_QUOTIENT((count), (per_second)) * CARILLON_TIME_HZ) +                        \
     ((CARILLON_REST((count), (per_second)) + (CARILLON_PARTS(per_second) - UINT64_C(1))) / \
      CARILLON_PARTS(per_second)))
#define CARILLON_TICKS(count, per_second)                                           \
    ((CARILLON_IS_COUNTABLE((count), (per_second)) &&                               \
      (CARILLON_TICKS_IN_FULL((count), (per_second)) <= CARILLON_LONGEST_DURATION)) \
         ? (carillon_duration)CARILLON_TICKS_IN_FULL((count), (per_second))         \
         : (carillon_duration) ~(carillon_duration)0)

/* Microseconds as ticks of the clock, rounded up.
 *
 * count: microseconds.  A time that is too long becomes one that every service refuses (E_OS_VALUE).
 * Source: Carillon's own. */
#define CARILLON_MICROSECONDS(count) CARILLON_TICKS((count), 1000000)

/* Milliseconds as ticks of the clock, rounded up.
 *
 * count: milliseconds.  A time that is too long becomes one that every service refuses (E_OS_VALUE).
 * Source: Carillon's own. */
#define CARILLON_MILLISECONDS(count) CARILLON_TICKS((count), 1000)

/* Seconds as ticks of the clock, rounded up.
 *
 * count: seconds.  A time that is too long becomes one that every service refuses (E_OS_VALUE).
 * Source: Carillon's own. */
#define CARILLON_SECONDS(count) CARILLON_TICKS((count), 1)

/* The initialiser of a struct carillon_period, for carillon_alarm_start_exact.  Fractions of ticks are carried from one
 * interval to the next.
 *
 * count: how many parts of a second the period has.
 * per_second: how many such parts a second has; 1000 for milliseconds.
 * Source: Carillon's own. */
#define CARILLON_EXACT(count, per_second)                                                  \
    {                                                                                      \
        CARILLON_WHOLE((count), (per_second)),                                             \
            (uint32_t)(CARILLON_REST((count), (per_second)) % CARILLON_PARTS(per_second)), \
            (uint32_t)CARILLON_PARTS(per_second), 0u                                       \
    }
#define CARILLON_WHOLE_TICKS(count, per_second)                      \
    ((CARILLON_QUOTIENT((count), (per_second)) * CARILLON_TIME_HZ) + \
     (CARILLON_REST((count), (per_second)) / CARILLON_PARTS(per_second)))
#define CARILLON_WHOLE(count, per_second)                                        \
    ((CARILLON_IS_COUNTABLE((count), (per_second)) &&                            \
      (CARILLON_WHOLE_TICKS((count), (per_second)) < CARILLON_LONGEST_DURATION)) \
         ? (carillon_distance)CARILLON_WHOLE_TICKS((count), (per_second))        \
         : (carillon_distance)CARILLON_LONGEST_DURATION)

/* What the queue has for a service: an event, what the event means, and the task that it concerns. */
struct carillon_timed {
#if CARILLON_TIME_FAR
    struct carillon_far_event event;
#else
    struct carillon_event event;
#endif
    uint8_t kind; /* an action of kernel/contract/action.h */
    TaskType task;
};

/* The schedule says in `uses` of [time] which kinds of events the application has (CARILLON_TIME_DELAYS and so on).
 * The kernel has no code for the others.  Services that would make one are missing. */
#define CARILLON_TIME_ALARMS \
    (CARILLON_TIME_FUNCTIONS || CARILLON_TIME_TASKS || CARILLON_TIME_EVENTS || CARILLON_TIME_SEMAPHORES)

/* 1: the calendar is the board's real-time clock, by `calendar` of [time].  Else an alarm of a function counts it. */
#define CARILLON_TIME_CALENDAR (CARILLON_TIME_FUNCTIONS || CARILLON_TIME_RTC)

/* A counting semaphore.  Tasks wait in the order of their priorities; tasks of one priority wait in the order in which
 * they came. */
struct carillon_waiter;
struct carillon_semaphore {
    struct carillon_waiter *first;
    uint16_t count;
    uint16_t most;
};
#define CARILLON_SEMAPHORE_MOST 0xFFFFu

/* The initialiser of a static semaphore that has a limit.
 *
 * initial: how many units it has at first.
 * limit: the most units that it may have, up to CARILLON_SEMAPHORE_MOST.
 * Source: Carillon's own. */
#define CARILLON_SEMAPHORE_UP_TO(initial, limit) \
    {                                            \
        NULL, (initial), (limit)                 \
    }

/* The initialiser of a static semaphore.
 *
 * initial: how many units it has at first.
 * Source: Carillon's own. */
#define CARILLON_SEMAPHORE(initial) CARILLON_SEMAPHORE_UP_TO((initial), CARILLON_SEMAPHORE_MOST)

/* Take a unit of a semaphore.  If there is none, wait until there is one.
 *
 * semaphore: the semaphore.
 * Errors: E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads.
 * Source: EPOS, section III. */
StatusType carillon_semaphore_p(struct carillon_semaphore *semaphore);

#if CARILLON_TIME_TIMEOUTS
/* Take a unit of a semaphore.  If there is none, wait for one, but no longer than some time.
 *
 * semaphore: the semaphore.
 * ticks: the longest wait, in ticks of the clock, up to CARILLON_LONGEST_DURATION; 0: do not wait.
 * Errors: E_OS_NOFUNC: there was no unit in that time; E_OS_VALUE: the time is too long; E_OS_CALLEVEL: the caller may
 *     not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource, and would wait; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads; with 0 ticks also basic tasks and ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_semaphore_p_within(struct carillon_semaphore *semaphore, carillon_duration ticks);
#endif

/* Return a unit to a semaphore.  The first task that waits gets it.
 *
 * semaphore: the semaphore.
 * Errors: E_OS_LIMIT: the semaphore has as many units as it may have already.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_semaphore_v(struct carillon_semaphore *semaphore);

#if CARILLON_OSEK_MUTEXES > 0
/* A mutex of the schedule, which names it in `mutexes` of each [thread.NAME] that locks it.
 *
 * The highest priority of these threads is the mutex's ceiling; mutexes that one thread names have one.  A thread that
 * holds the mutex runs at the ceiling until it unlocks the mutex, even if it waits meanwhile.  So a thread waits for a
 * mutex only while its holder waits, or runs at the ceiling.  It never waits for a thread that does not lock the mutex
 * and has a lower priority than the ceiling.  A thread that ends unlocks what it holds. */
typedef uint8_t carillon_mutex;

/* Lock a mutex.  If another thread has it, wait until that unlocks it.  Threads wait in the order of their priorities.
 *
 * mutex: the mutex, by its name in the schedule.
 * Errors: E_OS_CALLEVEL: the caller may not wait; E_OS_STATE: the caller has it already.
 *     Extended: E_OS_ID: there is no such mutex; E_OS_ACCESS: the caller is above the mutex's ceiling; E_OS_RESOURCE:
 *     the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: threads.
 * Source: Carillon's own. */
StatusType carillon_mutex_lock(carillon_mutex mutex);

#if CARILLON_TIME_TIMEOUTS
/* Lock a mutex.  If another thread has it, wait until that unlocks it, but no longer than some time.
 *
 * mutex: the mutex, by its name in the schedule.
 * ticks: the longest wait, in ticks of the clock, up to CARILLON_LONGEST_DURATION; 0: do not wait.
 * Errors: E_OS_NOFUNC: another thread had it all that time; E_OS_STATE: the caller has it already; E_OS_VALUE: the time
 *     is too long; E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_ID: there is no such mutex; E_OS_ACCESS: the caller is above the mutex's ceiling; E_OS_RESOURCE:
 *     the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: threads.
 * Source: Carillon's own. */
StatusType carillon_mutex_lock_within(carillon_mutex mutex, carillon_duration ticks);
#endif

/* Unlock a mutex.  The first thread that waits for it gets it.
 *
 * mutex: the mutex, by its name in the schedule.
 * Errors: E_OS_NOFUNC: the caller does not have it; E_OS_CALLEVEL: the caller is no thread, or is an interrupt.
 *     Extended: E_OS_ID: there is no such mutex; E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT:
 *     interrupts are disabled.
 * From: threads.
 * Source: Carillon's own. */
StatusType carillon_mutex_unlock(carillon_mutex mutex);

/* Internal; locked: the running thread locks a mutex that may not be free, or where something is masked.  It unlocks one
 * that it may not have locked last, that somebody may wait for, or after which it may leave the level whose guest it
 * is. */
StatusType carillon_mutex_lock_held(carillon_mutex mutex, uint32_t saved);
StatusType carillon_mutex_unlock_held(carillon_mutex mutex, TaskType task, uint32_t saved);

#if CARILLON_OSEK_INLINE
/* Internal: what the services are in the body of a thread that is alone on its level, for a mutex that the compiler
 * knows by name.  It is that thread which runs there, and it may wait.  If it is a guest of the ceiling's level, what
 * it masks besides holds nothing back. */
static inline __attribute__((always_inline)) struct carillon_osek_mutexes *carillon_known_mutexes(void)
{
    struct carillon_osek_mutexes *mutexes = &carillon_osek_mutexes;
    __asm__ volatile("" : "+r"(mutexes)); /* loaded once, and here */
    return mutexes;
}
static inline __attribute__((always_inline)) StatusType carillon_lock_known(carillon_mutex mutex, uint8_t level)
{
    const TaskType task = (TaskType)(carillon_mutex_callers[level] - 1u);
    const uint8_t ceiling = carillon_known_ceilings[mutex];
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    struct carillon_osek_mutexes *const mutexes = carillon_known_mutexes();
    struct carillon_osek_held *const held = &mutexes->held[mutex];
    const uint32_t masked = (ceiling > level) ? saved : 0u; /* 0: nothing */
    if (__builtin_expect((long)(held->holder | masked), 0) != 0) {
        return carillon_mutex_lock_held(mutex, saved);
    }
    carillon_mutex_take(held, &mutexes->holders[task], mutex, task);
    held->saved = saved;
    carillon_port_restore((ceiling > level) ? carillon_port_mask_of(ceiling) : saved);
    return E_OK;
}
static inline __attribute__((always_inline)) StatusType carillon_unlock_known(carillon_mutex mutex, uint8_t level)
{
    const TaskType task = (TaskType)(carillon_mutex_callers[level] - 1u);
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    struct carillon_osek_mutexes *const mutexes = carillon_known_mutexes();
    if (__builtin_expect((mutexes->holders[task].last == (mutex + 1u)) ? 1 : 0, 1) == 0) {
        return carillon_mutex_unlock_held(mutex, task, saved);
    }
    carillon_port_restore(carillon_mutex_let_go(&mutexes->held[mutex], &mutexes->holders[task]));
    return E_OK;
}
#define CARILLON_MUTEX_IS_KNOWN(mutex)                                   \
    (__builtin_constant_p(mutex) && ((mutex) < CARILLON_OSEK_MUTEXES) && \
     (carillon_mutex_callers[CARILLON_CALLER_LEVEL] != 0u))
#define carillon_mutex_lock(mutex)                                                        \
    (CARILLON_MUTEX_IS_KNOWN(mutex) ? carillon_lock_known((mutex), CARILLON_CALLER_LEVEL) \
                                    : (carillon_mutex_lock)(mutex))
#define carillon_mutex_unlock(mutex)                                                        \
    (CARILLON_MUTEX_IS_KNOWN(mutex) ? carillon_unlock_known((mutex), CARILLON_CALLER_LEVEL) \
                                    : (carillon_mutex_unlock)(mutex))
#endif
#endif

#if CARILLON_TIME_DEADLINES > 0
/* Hook: a thread with a `deadline` has missed it.  It has neither ended since its release, nor waited for
 * the next one with carillon_delay_until.  It is called once for each release, in the clock's interrupt.
 *
 * thread: the thread, by its name in the schedule.
 * Errors: none.
 * From: the kernel.
 * Source: Carillon's own. */
void carillon_thread_missed(TaskType thread);
#endif

#if CARILLON_OSEK_SERVERS > 0
/* A server of the schedule ([server.NAME]): its threads share a budget of time in each period, and rest when that is
 * used up. */
typedef uint8_t carillon_server;

/* Get what is left of a server's budget.
 *
 * server: the server, by its name in the schedule.
 * ticks: where to put what is left, in ticks of the clock; it is 0 if the budget is used up.  What a server whose
 *     deadline has passed is going to have is left.
 * Errors: none.
 *     Extended: E_OS_ID: there is no such server; E_OS_PARAM_POINTER: `ticks` is NULL; E_OS_CALLEVEL: the call is from
 *     elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_server_left(carillon_server server, carillon_duration *ticks);
#endif

#if CARILLON_OSEK_EVENTS && CARILLON_TIME_TIMEOUTS
/* Wait for events of the calling task, as WaitEvent does, but no longer than some time.
 *
 * mask: the events; one of them is enough.
 * ticks: the longest wait, in ticks of the clock, up to CARILLON_LONGEST_DURATION; 0: do not wait.
 * Errors: E_OS_NOFUNC: none of them was set in that time; E_OS_VALUE: the time is too long; E_OS_CALLEVEL: the caller
 *     may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks.
 * Source: Carillon's own. */
StatusType carillon_wait_event_within(EventMaskType mask, carillon_duration ticks);
#endif

#if CARILLON_TIME_SUSPENSIONS
/* Wait until somebody resumes the calling thread.
 *
 * Errors: E_OS_CALLEVEL: the caller is no thread, or may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: threads.
 * Source: EPOS, section III. */
StatusType carillon_suspend(void);

#if CARILLON_TIME_TIMEOUTS
/* Wait until somebody resumes the calling thread, but no longer than some time.
 *
 * ticks: the longest wait, in ticks of the clock, 1 to CARILLON_LONGEST_DURATION.
 * Errors: E_OS_NOFUNC: nobody did in that time; E_OS_VALUE: the time is 0 or too long; E_OS_CALLEVEL: the caller is no
 *     thread, or may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: threads.
 * Source: Carillon's own. */
StatusType carillon_suspend_within(carillon_duration ticks);
#endif

/* Let a thread that has suspended itself go on, or begin one that has ended.  ActivateTask does the same, and so does
 * an alarm of the thread.
 *
 * thread: the name of the thread.
 * Errors: E_OS_LIMIT: it runs, or waits for something else.
 *     Extended: E_OS_ID: there is no such thread; E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT:
 *     interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
static inline StatusType carillon_resume(TaskType thread)
{
    return (ActivateTask)(thread);
}
#endif

#if CARILLON_TIME_JOINS
/* Wait until a thread ends.  If it does not run, do not wait.
 *
 * thread: the name of the thread.
 * Errors: E_OS_ACCESS: it is no thread, or the caller itself; E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_ID: there is no such thread; E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT:
 *     interrupts are disabled.
 * From: extended tasks, threads.
 * Source: EPOS, section III. */
StatusType carillon_join(TaskType thread);

#if CARILLON_TIME_TIMEOUTS
/* Wait until a thread ends, but no longer than some time.
 *
 * thread: the name of the thread.
 * ticks: the longest wait, in ticks of the clock, up to CARILLON_LONGEST_DURATION; 0: do not wait.
 * Errors: E_OS_NOFUNC: it did not end in that time; E_OS_ACCESS: it is no thread, or the caller itself; E_OS_VALUE: the
 *     time is too long; E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_ID: there is no such thread; E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT:
 *     interrupts are disabled.
 * From: extended tasks, threads.
 * Source: Carillon's own. */
StatusType carillon_join_within(TaskType thread, carillon_duration ticks);
#endif
#endif

/* A queue of messages of one size, with so many places.  Messages are received in the order in which they were sent.
 * Tasks that wait to receive, or to send, do so as at a semaphore.  A message is copied under the kernel's lock: a
 * large one is better sent by a pointer to it. */
struct carillon_messages {
    struct carillon_semaphore sent;
    struct carillon_semaphore room;
    uint8_t *places;
    uint8_t *end;
    uint8_t *oldest;
    uint8_t *free;
    uint16_t size;
};

/* Define a queue of messages: CARILLON_MESSAGES(readings, struct reading, 4);
 *
 * name: the queue, a struct carillon_messages.
 * type: of a message, up to 65535 bytes.
 * count: how many messages it has room for, 1 to 65535.
 * Source: Carillon's own. */
#define CARILLON_MESSAGES(name, type, count)                                                                          \
    static uint8_t carillon_places_##name[((count) > 0) && ((count) <= CARILLON_SEMAPHORE_MOST) &&                    \
                                                  (sizeof(type) <= CARILLON_SEMAPHORE_MOST)                           \
                                              ? ((int32_t)(count) * (int32_t)sizeof(type))                            \
                                              : -1];                                                                  \
    struct carillon_messages name = {{NULL, 0u, (count)},    {NULL, 0u, 0u},                                          \
                                     carillon_places_##name, &carillon_places_##name[sizeof(carillon_places_##name)], \
                                     carillon_places_##name, carillon_places_##name,                                  \
                                     (uint16_t)sizeof(type)}

/* Send a message.  If there is no room for it, wait until there is.
 *
 * queue: the queue.
 * message: where the message is; it is copied from there, and may be changed once this has returned.
 * Errors: E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads.
 * Source: Carillon's own. */
StatusType carillon_send(struct carillon_messages *queue, const void *message);

/* Receive the oldest message.  If there is none, wait until there is one.
 *
 * queue: the queue.
 * message: where the message is copied to.
 * Errors: E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads.
 * Source: Carillon's own. */
StatusType carillon_receive(struct carillon_messages *queue, void *message);

/* Internal: these services in the body of a task that may wait: nobody asks whether it may. */
StatusType carillon_send_known(struct carillon_messages *queue, const void *message);
StatusType carillon_receive_known(struct carillon_messages *queue, void *message);
#if CARILLON_OSEK_INLINE && CARILLON_OSEK_EVENTS
#define carillon_send(queue, message)                                                                  \
    ((carillon_waiting_callers[CARILLON_CALLER_LEVEL] != 0u) ? carillon_send_known((queue), (message)) \
                                                             : (carillon_send)((queue), (message)))
#define carillon_receive(queue, message)                                                                  \
    ((carillon_waiting_callers[CARILLON_CALLER_LEVEL] != 0u) ? carillon_receive_known((queue), (message)) \
                                                             : (carillon_receive)((queue), (message)))
#endif

#if CARILLON_TIME_TIMEOUTS
/* Send a message.  If there is no room for it, wait for some, but no longer than some time.
 *
 * queue: the queue.
 * message: where the message is.
 * ticks: the longest wait, in ticks of the clock, up to CARILLON_LONGEST_DURATION; 0: do not wait.
 * Errors: E_OS_NOFUNC: there was no room in that time; E_OS_VALUE: the time is too long; E_OS_CALLEVEL: the caller may
 *     not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource, and would wait; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads; with 0 ticks also basic tasks and ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_send_within(struct carillon_messages *queue, const void *message, carillon_duration ticks);

/* Receive the oldest message.  If there is none, wait for one, but no longer than some time.
 *
 * queue: the queue.
 * message: where the message is copied to.
 * ticks: the longest wait, in ticks of the clock, up to CARILLON_LONGEST_DURATION; 0: do not wait.
 * Errors: E_OS_NOFUNC: there was no message in that time; E_OS_VALUE: the time is too long; E_OS_CALLEVEL: the caller
 *     may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource, and would wait; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads; with 0 ticks also basic tasks and ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_receive_within(struct carillon_messages *queue, void *message, carillon_duration ticks);
#endif

/* An alarm calls its handler once in every period, so many times.  The handler is one of four:
 *
 * - a function, which is called in the clock's interrupt, above all tasks; it may use every service that does not wait;
 * - a task that is activated (the error hook gets E_OS_LIMIT if the task has too many activations already);
 * - an event of an extended task that is set (the error hook gets E_OS_STATE if the task is suspended);
 * - a semaphore that gets a unit (the error hook gets E_OS_LIMIT if it has its most units already).
 *
 * Alarms that are due in the same tick are served in the order in which their intervals began.  Times are counted from
 * one expiry to the next, however late the handlers are, so there is no drift.
 *
 * The memory of an alarm belongs to the application, and must stay as long as the alarm runs.  It is free again when
 * carillon_alarm_stop has returned, or when the handler of the last expiry has been called.  Both are also so in the
 * alarm's own handler. */
struct carillon_alarm {
    struct carillon_timed timed;
    uint32_t left; /* expiries to come */
    carillon_duration period;
    struct carillon_period *exact; /* NULL: `period` */
    union carillon_operand handler;
};
#define CARILLON_INFINITE UINT32_C(0xFFFFFFFF)

/* The initialisers of static alarms.  The application expands these macros, and any word but the kernel's own may be
 * the name of one of its objects.  So they name only members whose names are the kernel's own. */
#if CARILLON_TIME_FAR
#define CARILLON_NO_EVENT \
    {                     \
        {0}, 0u           \
    }
#else
#define CARILLON_NO_EVENT \
    {                     \
        0                 \
    }
#endif
#define CARILLON_ALARM_OF(kind, id, ...)                 \
    {                                                    \
        {CARILLON_NO_EVENT, (kind), (id)}, 0u, 0u, NULL, \
        {                                                \
            __VA_ARGS__                                  \
        }                                                \
    }

#if CARILLON_TIME_FUNCTIONS
/* The initialiser of a static alarm that calls a function.
 *
 * name: the function, void (void).
 * Source: EPOS, section III. */
#define CARILLON_ALARM_OF_FUNCTION(name) CARILLON_ALARM_OF(CARILLON_ACTION_CALL, 0u, (name))
#endif

#if CARILLON_TIME_TASKS
/* The initialiser of a static alarm that activates a task or a thread.
 *
 * id: the name of the task or thread.
 * Source: EPOS, section III. */
#define CARILLON_ALARM_OF_TASK(id) CARILLON_ALARM_OF(CARILLON_ACTION_ACTIVATE, (id), NULL)
#endif

#if CARILLON_TIME_EVENTS
/* The initialiser of a static alarm that sets events of an extended task.
 *
 * id: the name of the task.
 * mask: the events: their names, joined by |.
 * Source: Carillon's own. */
#define CARILLON_ALARM_OF_EVENT(id, mask) CARILLON_ALARM_OF(CARILLON_ACTION_SET_EVENT, (id), .carillon_event = (mask))
#endif

#if CARILLON_TIME_SEMAPHORES
/* The initialiser of a static alarm that gives a semaphore a unit.
 *
 * address: the address of the semaphore.
 * Source: EPOS, section III. */
#define CARILLON_ALARM_OF_SEMAPHORE(address) \
    CARILLON_ALARM_OF(CARILLON_ACTION_GIVE, 0u, .carillon_semaphore = (address))
#endif

#if CARILLON_TIME_ALARMS
/* Start an alarm.  It expires for the first time after a period.  In the handler of its last expiry, the alarm counts
 * as ended, so it can be started again there.
 *
 * alarm: the alarm.
 * period: ticks of the clock, from CARILLON_SHORTEST_PERIOD, or 1 if it expires once, to CARILLON_LONGEST_DURATION.
 * count: how often it expires; CARILLON_INFINITE: until it is stopped.
 * Errors: E_OS_VALUE: a period outside of that, or a count of 0; E_OS_STATE: the alarm runs already;
 *     E_OS_CALLEVEL: in StartupHook or a constructor, before the clock starts.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_alarm_start(struct carillon_alarm *alarm, carillon_duration period, uint32_t count);

/* Start an alarm whose period need not be a whole number of ticks.  Each interval is wrong by less than a tick, and so
 * is the sum of all intervals.
 *
 * alarm: the alarm.
 * period: a period that CARILLON_EXACT made, from CARILLON_SHORTEST_PERIOD and less than CARILLON_LONGEST_DURATION;
 *     its memory must stay as long as the alarm runs.
 * count: how often it expires; CARILLON_INFINITE: until it is stopped.
 * Errors: E_OS_VALUE: a period outside of that, or a count of 0; E_OS_STATE: the alarm runs already;
 *     E_OS_CALLEVEL: in StartupHook or a constructor, before the clock starts.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_alarm_start_exact(struct carillon_alarm *alarm, struct carillon_period *period, uint32_t count);

/* Start an alarm whose first interval is another.
 *
 * alarm: the alarm.
 * first: ticks of the clock to its first expiry, from 1 to CARILLON_LONGEST_DURATION.
 * period: ticks of the clock, from CARILLON_SHORTEST_PERIOD, or 1 if it expires once, to CARILLON_LONGEST_DURATION.
 * count: how often it expires; CARILLON_INFINITE: until it is stopped.
 * Errors: E_OS_VALUE: a time outside of these, or a count of 0; E_OS_STATE: the alarm runs already;
 *     E_OS_CALLEVEL: in StartupHook or a constructor, before the clock starts.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_alarm_start_after(struct carillon_alarm *alarm, carillon_duration first, carillon_duration period,
                                      uint32_t count);

#if CARILLON_TIME_NOW
/* Start an alarm that expires for the first time at a time.
 *
 * alarm: the alarm.
 * at: the time, in ticks of the clock, as carillon_now returns it: at most CARILLON_LONGEST_PERIOD and half the
 *     range of carillon_time ahead.
 * period: ticks of the clock, from CARILLON_SHORTEST_PERIOD, or 1 if it expires once, to CARILLON_LONGEST_DURATION.
 * count: how often it expires; CARILLON_INFINITE: until it is stopped.
 * Errors: E_OS_LIMIT: the time is now or has passed, or is too far ahead; E_OS_VALUE: a wrong period or count;
 *     E_OS_STATE: the alarm runs; E_OS_CALLEVEL: before the clock starts.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_alarm_start_at(struct carillon_alarm *alarm, carillon_time at, carillon_duration period,
                                   uint32_t count);
#endif

#if CARILLON_TIME_FUNCTIONS
/* Get the alarm whose function is running.  So several alarms can have one function: the alarm of each is the first
 * member of a structure that has what the function needs to know.
 *
 * Returns: the alarm; NULL outside of a function of an alarm.
 * Errors: none.
 * From: functions of alarms.
 * Source: Carillon's own. */
struct carillon_alarm *carillon_alarm_calling(void);
#endif

#if CARILLON_TIME_SLACK > 0
/* Let an alarm that does not run expire later than its time, by up to some slack and never earlier.  So one
 * interrupt of the clock serves it and others.  Each interval is counted from the time at which the one before it was
 * to end, so there is no drift.  A periodic clock has an interrupt in each tick, and lets no alarm wait.
 *
 * alarm: the alarm; its slack stays until it is set again, and is 0 at first.
 * slack: ticks of the clock, up to the `slack` of [time] in the schedule.
 * Errors: E_OS_VALUE: a longer slack; E_OS_STATE: the alarm runs.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_alarm_set_slack(struct carillon_alarm *alarm, carillon_duration slack);
#endif

/* Stop an alarm.  Its handler is not called any more, even if the alarm is due already.
 *
 * alarm: the alarm.
 * Errors: E_OS_NOFUNC: the alarm does not run.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_alarm_stop(struct carillon_alarm *alarm);

/* Stop an alarm if it runs.
 *
 * alarm: the alarm.
 * Returns: whether it ran.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
bool carillon_alarm_discard(struct carillon_alarm *alarm);

/* Give an alarm another period.  The current interval ends when it would have ended, and the following intervals have
 * the new period.  In the alarm's own handler, the interval that begins there has the new period already.
 *
 * alarm: the alarm.
 * period: ticks of the clock, from CARILLON_SHORTEST_PERIOD to CARILLON_LONGEST_DURATION.
 * Errors: E_OS_VALUE: a period outside of that; E_OS_NOFUNC: the alarm does not run.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_alarm_change(struct carillon_alarm *alarm, carillon_duration period);

/* Give an alarm that carillon_alarm_start_exact has started another period.  Each interval is wrong by less than a
 * tick, and so is the sum of all intervals from the change on.  Otherwise as carillon_alarm_change.
 *
 * alarm: the alarm.
 * period: a period that CARILLON_EXACT made, from CARILLON_SHORTEST_PERIOD and less than CARILLON_LONGEST_DURATION.
 *     It is copied into the period that the alarm was started with.
 * Errors: E_OS_VALUE: a period outside of that; E_OS_NOFUNC: the alarm does not run; E_OS_STATE: its period is one of
 *     whole ticks, as carillon_alarm_start has started it or carillon_alarm_change has changed it.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_alarm_change_exact(struct carillon_alarm *alarm, const struct carillon_period *period);

/* Begin the interval of an alarm anew: it expires next a period from now.  The number of expiries to come stays.
 *
 * alarm: the alarm.
 * Errors: E_OS_NOFUNC: the alarm does not run.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_alarm_reset(struct carillon_alarm *alarm);

/* Get the time until the next expiry of an alarm.
 *
 * alarm: the alarm.
 * ticks: where to put the time, in ticks of the clock; it is 0 if the alarm is due.
 * Errors: E_OS_NOFUNC: the alarm does not run.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_alarm_left(const struct carillon_alarm *alarm, carillon_duration *ticks);
#endif

#if CARILLON_TIME_DELAYS
/* Wait for some time.
 *
 * ticks: the time, in ticks of the clock, from 1 to CARILLON_LONGEST_DURATION.  The wait ends with an edge of
 *     the clock, so it is shorter by less than a tick.
 * Errors: E_OS_VALUE: a time outside of that; E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads.
 * Source: EPOS, section III. */
StatusType carillon_delay(carillon_duration ticks);
#endif

#if CARILLON_TIME_NOW
/* Return the time since the start.  The function exists if the clock keeps the time (`now` in the schedule's [time]).
 *
 * Returns: ticks of the clock, modulo the range of carillon_time.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
carillon_time carillon_now(void);

#if CARILLON_TIME_UPTIME
/* Return the time since the start in 64 bits, which no device lives to see begin anew.  The function exists if the
 * schedule's [time] has `uptime = true`.  Its lower bits are what carillon_now returns.
 *
 * Returns: ticks of the clock.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
uint64_t carillon_uptime(void);
#endif

#if CARILLON_TIME_DELAYS
/* Internal: carillon_delay_until, of a period that has as many bits as carillon_time; 0 is refused. */
StatusType carillon_wait_until(carillon_time *previous, carillon_time period);
/* Internal: with CARILLON_TIME_FAR, carillon_delay_until of a period that is longer than CARILLON_LONGEST_PERIOD. */
StatusType carillon_wait_until_far(carillon_time *previous, carillon_duration period);
/* Internal: what carillon_delay_until is for a period that the compiler knows, and that is none. */
StatusType carillon_waits_impossibly(void)
    __attribute__((error("a period is from 1 to CARILLON_LONGEST_WAIT ticks of the clock")));

/* Wait until *previous + period, and set *previous to that time.  So a loop that calls it has no drift.  The call must
 * come less than a range of carillon_time after *previous.
 *
 * previous: a time in ticks of the clock; at first, the time that carillon_now returned.
 * period: ticks of the clock, from 1 to CARILLON_LONGEST_WAIT.  Another period that the compiler knows is refused
 *     by the compiler.
 * Errors: E_OS_LIMIT: *previous + period is now or has passed; *previous is set nevertheless.
 *     E_OS_VALUE: a period outside of that; E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads.
 * Source: Carillon's own. */
static inline __attribute__((always_inline)) StatusType carillon_delay_until(carillon_time *previous,
                                                                             carillon_duration period)
{
    if (__builtin_constant_p(period) && ((period == 0u) || (period > CARILLON_LONGEST_WAIT))) {
        return carillon_waits_impossibly();
    }
    if (CARILLON_TIME_FAR && (period > CARILLON_LONGEST_PERIOD)) {
        return carillon_wait_until_far(previous, period);
    }
    return carillon_wait_until(previous,
                               (period <= CARILLON_LONGEST_PERIOD) ? (carillon_time)period : (carillon_time)0);
}
#endif

#if CARILLON_TIME_DELAYS
/* Wait until the next time that is a whole number of periods after *previous, and set *previous to that time.  So a
 * loop that was late for whole periods skips these, and goes on in its phase.  The call must come less than a range of
 * carillon_time after *previous.
 *
 * previous: a time in ticks of the clock; at first, the time that carillon_now returned.
 * period: ticks of the clock, from 1 to CARILLON_LONGEST_WAIT.
 * skipped: where to put the number of such times that were skipped; NULL: nowhere.
 * Errors: E_OS_VALUE: a period outside of that, or after which the clock cannot tell the thread's deadline;
 *     E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads.
 * Source: Carillon's own. */
StatusType carillon_delay_until_next(carillon_time *previous, carillon_duration period, uint32_t *skipped);
#endif

/* What a stop-watch counts: units of the counter of the clock's cell.  A tick of a periodic clock has
 * CARILLON_TIME_UNITS of them; of another clock a unit is a tick. */
#if CARILLON_TIME_UNITS > 1
typedef uint64_t carillon_units;
#else
typedef carillon_distance carillon_units;
#endif

/* Units of a stop-watch as microseconds, to the nearest.
 *
 * units: what carillon_chronometer_units or carillon_chronometer_lap_units returned.
 * Returns: microseconds.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
static inline uint64_t carillon_units_in_microseconds(uint64_t units)
{
    const uint64_t parts = UINT64_C(1000000) * CARILLON_TIME_UNIT_HZ_DIVISOR;
    return ((units / CARILLON_TIME_UNIT_HZ) * parts) +
           ((((units % CARILLON_TIME_UNIT_HZ) * parts) + (CARILLON_TIME_UNIT_HZ / 2u)) / CARILLON_TIME_UNIT_HZ);
}

/* A stop-watch.  If all its members are zero, it stands at 0.  While it runs, it must be read or stopped at least once
 * in a range of carillon_time. */
struct carillon_chronometer {
    carillon_units before; /* what was counted before `since` */
    carillon_units lap;    /* what it read when the lap began */
    carillon_time since;
#if CARILLON_TIME_UNITS > 1
    uint32_t units; /* and so many units later */
#endif
    bool running;
};

/* Start a stop-watch.  It goes on from what it reads.
 *
 * chronometer: the stop-watch.
 * Errors: E_OS_STATE: it runs already.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_chronometer_start(struct carillon_chronometer *chronometer);

/* Stop a stop-watch.  It keeps what it reads.
 *
 * chronometer: the stop-watch.
 * Errors: E_OS_NOFUNC: it does not run.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_chronometer_stop(struct carillon_chronometer *chronometer);

/* End a lap and begin the next.
 *
 * chronometer: the stop-watch.
 * Returns: how long the lap was, in ticks of the clock; if they have units, to the nearest tick.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
carillon_distance carillon_chronometer_lap(struct carillon_chronometer *chronometer);

/* Set a stop-watch back to 0.  If it runs, it goes on from 0.
 *
 * chronometer: the stop-watch.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
void carillon_chronometer_reset(struct carillon_chronometer *chronometer);

/* Read a stop-watch.
 *
 * chronometer: the stop-watch.
 * Returns: what it reads, in ticks of the clock; if they have units, to the nearest tick.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
carillon_distance carillon_chronometer_read(struct carillon_chronometer *chronometer);

/* End a lap and begin the next, as carillon_chronometer_lap does.
 *
 * chronometer: the stop-watch.
 * Returns: how long the lap was, in units of the counter (CARILLON_TIME_UNITS of a tick).
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
carillon_units carillon_chronometer_lap_units(struct carillon_chronometer *chronometer);

/* Read a stop-watch, as carillon_chronometer_read does.
 *
 * chronometer: the stop-watch.
 * Returns: what it reads, in units of the counter (CARILLON_TIME_UNITS of a tick).
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
carillon_units carillon_chronometer_units(struct carillon_chronometer *chronometer);
#endif

#if CARILLON_TIME_CALENDAR
/* The calendar is the proleptic Gregorian one, from 1970 to 2105.  With calendar = "rtc" in [time], it is the board's
 * real-time clock, which keeps the date through a reset.  Else an alarm of one second counts it when it has been
 * set. */
struct carillon_date {
    uint16_t year;
    uint8_t month; /* from 1 */
    uint8_t day;   /* from 1 */
    uint8_t hour;
    uint8_t minute;
    uint8_t second;
};

/* Set the calendar.  A second of it begins now.
 *
 * date: the date, from 1970 to 2105.
 * Errors: E_OS_VALUE: there is no such date, a real-time clock does not have its year, or a second is longer than
 *     CARILLON_LONGEST_DURATION.  E_OS_NOFUNC: a real-time clock does not run.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_calendar_set(const struct carillon_date *date);

/* Get the date.
 *
 * date: where to put the date.
 * Errors: E_OS_NOFUNC: the calendar has never been set, or a real-time clock is beyond its years, or does not run.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_calendar_get(struct carillon_date *date);

/* Get the date in seconds.
 *
 * seconds: where to put the seconds since the beginning of 1970.
 * Errors: E_OS_NOFUNC: the calendar has never been set, or a real-time clock is beyond its years, or does not run.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_calendar_seconds(uint32_t *seconds);
#endif

/* Services that the error hook can ask for. */
#define OSServiceId_AlarmStart 32u
#define OSServiceId_AlarmStop 33u
#define OSServiceId_AlarmChange 34u
#define OSServiceId_AlarmLeft 35u
#define OSServiceId_Delay 36u
#define OSServiceId_DelayUntil 37u
#define OSServiceId_SemaphoreP 38u
#define OSServiceId_SemaphoreV 39u
#define OSServiceId_Chronometer 40u
#define OSServiceId_Calendar 41u
#define OSServiceId_AlarmReset 42u
#define OSServiceId_Send 43u
#define OSServiceId_Receive 44u
#define OSServiceId_MutexLock 45u
#define OSServiceId_MutexUnlock 46u
#define OSServiceId_Suspend 47u
#define OSServiceId_Join 48u
#define OSServiceId_ServerLeft 49u

/* Define the body of a thread: THREAD(Philosopher) { ... }
 *
 * name: the thread, as the configuration names it.
 * Source: EPOS, section III. */
#define THREAD(name) CARILLON_TASK(carillon_task_##name, carillon_does_##name, carillon_at_##name)

#if CARILLON_NEW_THREADS > 0
/* Internal, for carillon/time.hpp: a thread with `new = true`, and where the object of `new Thread(&f)` stands. */
struct carillon_new_thread {
    int (*function)(void); /* NULL: nobody has taken it yet */
    int result;
    TaskType thread;
    TaskType object;
    uint8_t taken;
};
extern struct carillon_new_thread carillon_new_threads[CARILLON_NEW_THREADS];
void *carillon_thread_take(void); /* where the object is of a free thread, which is taken now; NULL: none is free */
void carillon_thread_give(const void *object);
TaskType carillon_thread_begin(const void *object, int (*function)(void));
int carillon_thread_result(TaskType thread);
#endif

/* Internal, for the generated code: the handlers of a periodic clock and of the others, and the handler of the cell
 * that ends slices (`frame` is the port's).  A vector may count the ticks itself, in carillon_clock_queue and, with
 * CARILLON_TIME_COUNTS, in carillon_time_ticks.  It then calls carillon_time_due when nothing is left. */
#define carillon_time_ticks carillon_clock.ticks
void carillon_time_tick(void);
void carillon_time_due(void);
void carillon_clock_interrupt(void);
void carillon_slice_over(const void *frame);
void carillon_slices_look(void);
void carillon_slices_enable(void);
void carillon_slices_disable(void);
void carillon_slice_over_below(uint8_t number);

#ifdef __cplusplus
}
#endif

#if !defined(CARILLON_OSEK_STATE_H) && !defined(CARILLON_TIME_HPP)
#ifdef __cplusplus
#include "carillon/time.hpp" /* before the names of objects */
#else
#include "carillon_objects.h"
#endif
#endif

#endif
