/* SPDX-License-Identifier: Apache-2.0
 *
 * Time services: alarms, delays, semaphores, chronometers and the calendar, on the clock and the event queue that the
 * schedule's [time] asks for.  They are those of A. A. Froehlich, G. Gracioli, J. F. Santos, Periodic timers revisited
 * (2011), section III, in C; carillon/time.hpp has them in C++.
 *
 * A comment with the fields PARAMETER:, Returns:, Errors:, From: and Source: is the reference of the function below it
 * (docs/service_reference.py); "Extended:" under Errors stands before what is found in extended status alone, and
 * "EPOS" under Source for that paper.
 *
 * Times are in ticks of that clock: CARILLON_TIME_HZ / CARILLON_TIME_HZ_DIVISOR of them are a second.  A time of d
 * ticks from now is d edges of the clock, that is, more than d - 1 ticks and at most d: who must not be early by a part
 * of a tick asks for one more.
 *
 * Services return a StatusType of carillon/osek.h, and an error calls the error hook if there is one.  Services that
 * wait are for extended tasks and threads alone, and return E_OS_CALLEVEL elsewhere, in every status.  None may be
 * called in hooks or before StartOS: the clock is started after StartupHook, and has forgotten by then what
 * StartupHook asked it for.  Handlers of alarms are in the clock's interrupt, an ISR of category 2. */
#ifndef CARILLON_TIME_H
#define CARILLON_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon/clock.h"
#include "carillon/osek.h"

#ifdef __cplusplus
extern "C" {
#endif

#if CARILLON_CLOCK == CARILLON_CLOCK_NONE
#error "the schedule has no time services: add [time]"
#endif

/* A time from now, and the longest that a service takes.  A negative number is too long. */
#if CARILLON_TIME_FAR
typedef carillon_distance carillon_duration;
#define CARILLON_LONGEST_DURATION ((carillon_duration)((carillon_distance) ~(carillon_distance)0 / 2u))
#else
typedef carillon_time carillon_duration;
#define CARILLON_LONGEST_DURATION ((carillon_duration)CARILLON_CLOCK_FARTHEST)
#endif

/* The longest period of carillon_delay_until. */
#define CARILLON_LONGEST_PERIOD ((carillon_time)CARILLON_CLOCK_MOST_AHEAD)

/* Constants in ticks, rounded up; what is too long is refused, however few bits a time has. */
#define CARILLON_PARTS(per_second) ((uint64_t)(per_second)*CARILLON_TIME_HZ_DIVISOR)
#define CARILLON_TICKS_IN_FULL(count, per_second) \
    ((((uint64_t)(count)*CARILLON_TIME_HZ) + (CARILLON_PARTS(per_second) - UINT64_C(1))) / CARILLON_PARTS(per_second))
#define CARILLON_TICKS(count, per_second)                                        \
    ((CARILLON_TICKS_IN_FULL((count), (per_second)) > CARILLON_LONGEST_DURATION) \
         ? (carillon_duration) ~(carillon_duration)0                             \
         : (carillon_duration)CARILLON_TICKS_IN_FULL((count), (per_second)))

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

/* How a struct carillon_period begins, for carillon_alarm_start_exact: fractions of ticks are carried from one interval
 * to the next.
 *
 * count: how many parts of a second the period has.
 * per_second: how many such parts a second has; 1000 for milliseconds.
 * Source: Carillon's own. */
#define CARILLON_EXACT(count, per_second)                                                  \
    {                                                                                      \
        CARILLON_WHOLE(((uint64_t)(count)*CARILLON_TIME_HZ) / CARILLON_PARTS(per_second)), \
            (uint32_t)(((uint64_t)(count)*CARILLON_TIME_HZ) % CARILLON_PARTS(per_second)), \
            (uint32_t)CARILLON_PARTS(per_second), 0u                                       \
    }
#define CARILLON_WHOLE(ticks) \
    (((ticks) < CARILLON_LONGEST_DURATION) ? (carillon_distance)(ticks) : (carillon_distance)CARILLON_LONGEST_DURATION)

/* What the queue has of a service: its event, what that means, and the task that it is about. */
struct carillon_timed {
#if CARILLON_TIME_FAR
    struct carillon_far_event event;
#else
    struct carillon_event event;
#endif
    uint8_t kind;
    TaskType task;
};
#define CARILLON_TIMED_WAKE 0u
#define CARILLON_TIMED_TIMEOUT 1u
#define CARILLON_TIMED_FUNCTION 2u
#define CARILLON_TIMED_TASK 3u
#define CARILLON_TIMED_EVENT 4u
#define CARILLON_TIMED_SEMAPHORE 5u
#define CARILLON_TIMED_BEAT 6u /* a function, for ever, with whole periods that the queue can hold */

/* A counting semaphore.  Tasks wait in the order of their priorities; tasks of one priority wait in the order in which
 * they came. */
struct carillon_waiter;
struct carillon_semaphore {
    struct carillon_waiter *first;
    uint16_t count;
    uint16_t most;
};
#define CARILLON_SEMAPHORE_MOST 0xFFFFu

/* How a static semaphore begins, if it has a limit.
 *
 * initial: units at first.
 * limit: the most units that it may have, up to CARILLON_SEMAPHORE_MOST.
 * Source: Carillon's own. */
#define CARILLON_SEMAPHORE_UP_TO(initial, limit) \
    {                                            \
        NULL, (initial), (limit)                 \
    }

/* How a static semaphore begins.
 *
 * initial: units at first.
 * Source: Carillon's own. */
#define CARILLON_SEMAPHORE(initial) CARILLON_SEMAPHORE_UP_TO((initial), CARILLON_SEMAPHORE_MOST)

/* Take a unit of a semaphore; wait for it as long as it takes.
 *
 * semaphore: the semaphore.
 * Errors: E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads.
 * Source: EPOS, section III. */
StatusType carillon_semaphore_p(struct carillon_semaphore *semaphore);

/* Take a unit of a semaphore; wait for it for some time at most.
 *
 * semaphore: the semaphore.
 * ticks: the longest wait, in ticks of the clock, up to CARILLON_LONGEST_DURATION; 0: do not wait.
 * Errors: E_OS_NOFUNC: there was no unit in that time; E_OS_VALUE: the time is too long; E_OS_CALLEVEL: the caller may
 *     not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource, and would wait; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads; with 0 ticks also basic tasks and ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_semaphore_p_within(struct carillon_semaphore *semaphore, carillon_duration ticks);

/* Return a unit to a semaphore.  The first task that waits gets it.
 *
 * semaphore: the semaphore.
 * Errors: E_OS_LIMIT: the semaphore has as many units as it may have already.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_semaphore_v(struct carillon_semaphore *semaphore);

/* An alarm: a handler that is called every period, so many times.  The handler is one of four:
 *
 * - a function, called in the clock's interrupt, above all tasks, which may use every service that does not wait;
 * - a task that is activated (if that has too many activations already, the error hook hears of E_OS_LIMIT);
 * - an event of an extended task that is set (E_OS_STATE, if the task is suspended);
 * - a semaphore that gets a unit (E_OS_LIMIT).
 *
 * Alarms that are due in the same tick are served in the order in which their intervals began.  Times are counted from
 * one expiry to the next, however late the handlers are: there is no drift.
 *
 * An alarm is the application's memory, which must stay as long as the alarm runs.  When carillon_alarm_stop has
 * returned, or the handler of the last expiry has been called, the memory is free again; that is also so in the alarm's
 * own handler. */
struct carillon_alarm {
    struct carillon_timed timed;
    uint32_t left; /* expiries to come */
    carillon_duration period;
    struct carillon_period *exact; /* NULL: `period` */
    union {
        void (*function)(void);
        struct carillon_semaphore *carillon_semaphore;
        EventMaskType carillon_event;
    } handler;
};
#define CARILLON_INFINITE UINT32_C(0xFFFFFFFF)

/* How a static alarm of each kind begins.  Macros that the application expands name no member but by a word of the
 * kernel's own, since any other may be the name of one of its objects. */
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

/* How a static alarm begins that calls a function.
 *
 * name: the function, void (void).
 * Source: EPOS, section III. */
#define CARILLON_ALARM_OF_FUNCTION(name) CARILLON_ALARM_OF(CARILLON_TIMED_FUNCTION, 0u, (name))

/* How a static alarm begins that activates a task or a thread.
 *
 * id: the name of the task or thread.
 * Source: EPOS, section III. */
#define CARILLON_ALARM_OF_TASK(id) CARILLON_ALARM_OF(CARILLON_TIMED_TASK, (id), NULL)

/* How a static alarm begins that sets events of an extended task.
 *
 * id: the name of the task.
 * mask: the events: their names, joined by |.
 * Source: Carillon's own. */
#define CARILLON_ALARM_OF_EVENT(id, mask) CARILLON_ALARM_OF(CARILLON_TIMED_EVENT, (id), .carillon_event = (mask))

/* How a static alarm begins that gives a semaphore a unit.
 *
 * address: of the semaphore.
 * Source: EPOS, section III. */
#define CARILLON_ALARM_OF_SEMAPHORE(address) \
    CARILLON_ALARM_OF(CARILLON_TIMED_SEMAPHORE, 0u, .carillon_semaphore = (address))

/* Start an alarm.  It expires first after a period.  In its own handler, an alarm whose last expiry this is does not
 * run any more.
 *
 * alarm: the alarm.
 * period: ticks of the clock, from 1 to CARILLON_LONGEST_DURATION.
 * count: how often it expires; CARILLON_INFINITE: until it is stopped.
 * Errors: E_OS_VALUE: a period outside of that, or a count of 0; E_OS_STATE: the alarm runs already.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_alarm_start(struct carillon_alarm *alarm, carillon_duration period, uint32_t count);

/* Start an alarm with a period that need not be whole ticks.  Each interval is less than a tick off, and so is their
 * sum, for ever.
 *
 * alarm: the alarm.
 * period: of at least 1 tick of the clock and less than CARILLON_LONGEST_DURATION, as CARILLON_EXACT makes it; its
 *     memory must stay as long as the alarm runs.
 * count: how often it expires; CARILLON_INFINITE: until it is stopped.
 * Errors: E_OS_VALUE: a period outside of that, or a count of 0; E_OS_STATE: the alarm runs already.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_alarm_start_exact(struct carillon_alarm *alarm, struct carillon_period *period, uint32_t count);

/* Stop an alarm: its handler is not called any more, even if it is due already.
 *
 * alarm: the alarm.
 * Errors: E_OS_NOFUNC: the alarm does not run.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_alarm_stop(struct carillon_alarm *alarm);

/* Stop an alarm that need not run.
 *
 * alarm: the alarm.
 * Returns: whether it ran.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
bool carillon_alarm_discard(struct carillon_alarm *alarm);

/* Give an alarm another period, keeping its phase: the current interval ends when it would have ended, and the
 * following ones have the new period.  In the alarm's own handler, the interval that begins has the new period already.
 *
 * alarm: the alarm.
 * period: ticks of the clock, from 1 to CARILLON_LONGEST_DURATION.
 * Errors: E_OS_VALUE: a period outside of that; E_OS_NOFUNC: the alarm does not run.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_alarm_change(struct carillon_alarm *alarm, carillon_duration period);

/* Tell how long it takes until an alarm expires next.
 *
 * alarm: the alarm.
 * ticks: where to put the time, in ticks of the clock; 0: the alarm is due.
 * Errors: E_OS_NOFUNC: the alarm does not run.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
StatusType carillon_alarm_left(const struct carillon_alarm *alarm, carillon_duration *ticks);

/* Wait for some time.
 *
 * ticks: the time, in ticks of the clock, from 1 to CARILLON_LONGEST_DURATION: edges of the clock, so that the wait
 *     is at most a tick shorter.
 * Errors: E_OS_VALUE: a time outside of that; E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads.
 * Source: EPOS, section III. */
StatusType carillon_delay(carillon_duration ticks);

#if CARILLON_TIME_NOW
/* The time since the start, where the clock keeps it (`now` in the schedule's [time]).
 *
 * Returns: ticks of the clock, modulo the range of carillon_time.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: Carillon's own. */
carillon_time carillon_now(void);

/* Wait until *previous + period, and make that *previous: called in a loop, it has no drift.  The call must come less
 * than a range of carillon_time after *previous.
 *
 * previous: a time in ticks of the clock, which carillon_now gave at first.
 * period: ticks of the clock, from 1 to CARILLON_LONGEST_PERIOD.
 * Errors: E_OS_LIMIT: *previous + period is now or has passed, so that there was nothing to wait for; *previous
 *     moves all the same; E_OS_VALUE: a period outside of that; E_OS_CALLEVEL: the caller may not wait.
 *     Extended: E_OS_RESOURCE: the caller holds a resource; E_OS_DISABLEDINT: interrupts are disabled.
 * From: extended tasks, threads.
 * Source: Carillon's own. */
StatusType carillon_delay_until(carillon_time *previous, carillon_time period);

/* A stop-watch, in ticks of the clock; all zero is one that stands at 0.  While it runs, it must be asked or stopped at
 * least once in a range of carillon_time. */
struct carillon_chronometer {
    carillon_distance before; /* what was counted before `since` */
    carillon_distance lap;    /* what it read when the lap began */
    carillon_time since;
    bool running;
};

/* Start a stop-watch; it goes on from what it reads.
 *
 * chronometer: the stop-watch.
 * Errors: E_OS_STATE: it runs already.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_chronometer_start(struct carillon_chronometer *chronometer);

/* Stop a stop-watch; it keeps what it reads.
 *
 * chronometer: the stop-watch.
 * Errors: E_OS_NOFUNC: it does not run.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_chronometer_stop(struct carillon_chronometer *chronometer);

/* End a lap and begin the next.
 *
 * chronometer: the stop-watch.
 * Returns: how long the lap was, in ticks of the clock.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
carillon_distance carillon_chronometer_lap(struct carillon_chronometer *chronometer);

/* Set a stop-watch back to 0; if it runs, it goes on from there.
 *
 * chronometer: the stop-watch.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
void carillon_chronometer_reset(struct carillon_chronometer *chronometer);

/* Read a stop-watch.
 *
 * chronometer: the stop-watch.
 * Returns: what it reads, in ticks of the clock.
 * Errors: none.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
carillon_distance carillon_chronometer_read(struct carillon_chronometer *chronometer);
#endif

/* The calendar, of the proleptic Gregorian kind, from 1970 to 2105.  No board has a real-time clock: from when it is
 * set, it is counted by an alarm of one second. */
struct carillon_date {
    uint16_t year;
    uint8_t month; /* from 1 */
    uint8_t day;   /* from 1 */
    uint8_t hour;
    uint8_t minute;
    uint8_t second;
};

/* Set the calendar; its seconds begin now.
 *
 * date: the date, from 1970 to 2105.
 * Errors: E_OS_VALUE: there is no such date, or a second is a longer time than the clock has.
 *     Extended: E_OS_CALLEVEL: the call is from elsewhere; E_OS_DISABLEDINT: interrupts are disabled.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_calendar_set(const struct carillon_date *date);

/* Tell the date.
 *
 * date: where to put the date.
 * Errors: E_OS_NOFUNC: the calendar has never been set.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_calendar_get(struct carillon_date *date);

/* Tell the date in seconds.
 *
 * seconds: where to put the seconds since the beginning of 1970.
 * Errors: E_OS_NOFUNC: the calendar has never been set.
 * From: tasks, threads, ISRs of category 2.
 * Source: EPOS, section III. */
StatusType carillon_calendar_seconds(uint32_t *seconds);

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

/* Define the body of a thread: THREAD(Philosopher) { ... }
 *
 * name: the thread, as the configuration names it.
 * Source: EPOS, section III. */
#define THREAD(name) \
    CARILLON_C void carillon_task_##name(const struct carillon_at_##name *carillon_here __attribute__((__unused__)))

/* Internal, for the generated code: the handler of a periodic clock, and of the cell that ends slices (`frame` is
 * the port's).  A vector that counts the ticks itself, in carillon_clock_queue and, with CARILLON_TIME_COUNTS, here,
 * calls carillon_clock_interrupt when something is due. */
extern carillon_time carillon_time_ticks;
void carillon_time_tick(void);
void carillon_slice_over(const void *frame);

#ifdef __cplusplus
}
#endif

#if !defined(CARILLON_OSEK_KERNEL_H) && !defined(CARILLON_TIME_HPP)
#ifdef __cplusplus
#include "carillon/time.hpp" /* before the names of objects */
#else
#include "carillon_objects.h"
#endif
#endif

#endif
