/* SPDX-License-Identifier: Apache-2.0
 *
 * Alarms. */
#include "kernel/time/wait_steps.h"

#if CARILLON_OSEK_TIME

/* While the clock is served: the alarm whose handler was called last (due.c). */
#define firing carillon_clock.serves

#if CARILLON_TIME_ALARMS
/* An alarm's period and count have been set: a function is called, or a unit given, in one of two ways. */
static void set_kind(struct carillon_alarm *alarm)
{
    const bool beats =
        (alarm->exact == NULL) && (alarm->left == CARILLON_INFINITE) &&
        (!CARILLON_TIME_FAR || ((alarm->period <= CARILLON_LONGEST) && (carillon_time_far(&alarm->timed)->laps == 0u)));
    const uint8_t kind = alarm->timed.kind;
    if (CARILLON_TIME_FUNCTIONS && ((kind == CARILLON_ACTION_CALL) || (kind == CARILLON_ACTION_CALL_FOREVER))) {
        alarm->timed.kind = beats ? CARILLON_ACTION_CALL_FOREVER : CARILLON_ACTION_CALL;
    }
    if (CARILLON_TIME_SEMAPHORES && ((kind == CARILLON_ACTION_GIVE) || (kind == CARILLON_ACTION_GIVE_FOREVER))) {
        alarm->timed.kind = beats ? CARILLON_ACTION_GIVE_FOREVER : CARILLON_ACTION_GIVE;
    }
}

static inline struct carillon_alarm *calling(void)
{
    return (CARILLON_CLOCK_COUNTS_ALONE || carillon_clock_serving) ? (struct carillon_alarm *)firing : NULL;
}

#if CARILLON_TIME_FUNCTIONS
struct carillon_alarm *carillon_alarm_calling(void)
{
    return calling();
}
#endif

/* Is its handler being called?  Its next expiry is in the queue already, and the queue's reference is this one's. */
static inline bool is_firing(const struct carillon_alarm *alarm)
{
    return CARILLON_TIME_FUNCTIONS && (calling() == alarm);
}

/* The interval that begins now; locked. */
static inline carillon_duration next_interval(struct carillon_alarm *alarm)
{
    return (alarm->exact == NULL) ? alarm->period : (carillon_duration)carillon_period_next(alarm->exact);
}

/* What an alarm is to do, before its event is put in; locked.  False: it runs already. */
static bool set_up(struct carillon_alarm *alarm, struct carillon_period *exact, carillon_duration period,
                   uint32_t count)
{
    if (carillon_event_is_queued(carillon_time_event(&alarm->timed))) {
        return false;
    }
    alarm->period = period;
    alarm->exact = exact;
    alarm->left = count;
    return true;
}

/* Locked; false: it runs already.  `first`: ticks to the first expiry; 0: the interval that the period gives. */
static bool start(struct carillon_alarm *alarm, struct carillon_period *exact, carillon_duration period, uint32_t count,
                  carillon_duration first)
{
    if (!set_up(alarm, exact, period, count)) {
        return false;
    }
    carillon_time_insert(&alarm->timed, (first != 0u) ? first : next_interval(alarm));
    set_kind(alarm); /* which depends on the laps to go */
    return true;
}

/* Before the clock starts nothing counts.  Constructors of C++ and StartupHook run then. */
#if CARILLON_CLOCK_HOOKED
#define REQUIRE_CLOCK(alarm) REQUIRE(carillon_osek_up, OSServiceId_AlarmStart, E_OS_CALLEVEL, .reference = (alarm))
#else
#define REQUIRE_CLOCK(alarm)
#endif

static inline bool exact_is_valid(const struct carillon_period *period)
{
    return (period->whole != 0u) && (period->whole < CARILLON_LONGEST_DURATION);
}

/* Can the clock serve an alarm as often as it expires?  One that expires once is a delay. */
static inline bool keeps_up(carillon_duration period, uint32_t count)
{
    return (CARILLON_SHORTEST_PERIOD <= 1u) || (period >= CARILLON_SHORTEST_PERIOD) || (count == 1u);
}

StatusType carillon_alarm_start(struct carillon_alarm *alarm, carillon_duration period, uint32_t count)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmStart, .reference = alarm);
    REQUIRE_CLOCK(alarm);
    REQUIRE(carillon_time_is_valid(period) && (count != 0u) && keeps_up(period, count), OSServiceId_AlarmStart,
            E_OS_VALUE, .reference = alarm);
    const uint32_t saved = carillon_osek_lock();
    const bool started = start(alarm, NULL, period, count, 0u);
    carillon_osek_unlock(saved);
    REQUIRE(started, OSServiceId_AlarmStart, E_OS_STATE, .reference = alarm);
    return E_OK;
}

StatusType carillon_alarm_start_exact(struct carillon_alarm *alarm, struct carillon_period *period, uint32_t count)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmStart, .reference = alarm);
    REQUIRE_CLOCK(alarm);
    REQUIRE(exact_is_valid(period) && (count != 0u) && keeps_up((carillon_duration)period->whole, count),
            OSServiceId_AlarmStart, E_OS_VALUE, .reference = alarm);
    const uint32_t saved = carillon_osek_lock();
    const bool started = start(alarm, period, 0u, count, 0u);
    carillon_osek_unlock(saved);
    REQUIRE(started, OSServiceId_AlarmStart, E_OS_STATE, .reference = alarm);
    return E_OK;
}

StatusType carillon_alarm_start_after(struct carillon_alarm *alarm, carillon_duration first, carillon_duration period,
                                      uint32_t count)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmStart, .reference = alarm);
    REQUIRE_CLOCK(alarm);
    REQUIRE(carillon_time_is_valid(first) && carillon_time_is_valid(period) && (count != 0u) && keeps_up(period, count),
            OSServiceId_AlarmStart, E_OS_VALUE, .reference = alarm);
    const uint32_t saved = carillon_osek_lock();
    const bool started = start(alarm, NULL, period, count, first);
    carillon_osek_unlock(saved);
    REQUIRE(started, OSServiceId_AlarmStart, E_OS_STATE, .reference = alarm);
    return E_OK;
}

#if CARILLON_TIME_NOW
StatusType carillon_alarm_start_at(struct carillon_alarm *alarm, carillon_time at, carillon_duration period,
                                   uint32_t count)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmStart, .reference = alarm);
    REQUIRE_CLOCK(alarm);
    REQUIRE(carillon_time_is_valid(period) && (count != 0u) && keeps_up(period, count), OSServiceId_AlarmStart,
            E_OS_VALUE, .reference = alarm);
    const uint32_t saved = carillon_osek_lock();
    const carillon_time now = carillon_time_now();
    const carillon_time ahead = (carillon_time)(at - now);
    const carillon_time half = (carillon_time)((carillon_time) ~(carillon_time)0u / 2u); /* behind it lies the past */
    const bool rested = set_up(alarm, NULL, period, count);
    bool comes = (ahead != 0u) && (ahead <= half) && (ahead <= CARILLON_LONGEST_PERIOD);
    if (rested && comes) {
        comes = carillon_time_insert_after(&alarm->timed, now, ahead); /* from now, however long this takes */
        set_kind(alarm);
    }
    carillon_osek_unlock(saved);
    REQUIRE(rested, OSServiceId_AlarmStart, E_OS_STATE, .reference = alarm);
    REQUIRE(comes, OSServiceId_AlarmStart, E_OS_LIMIT, .reference = alarm);
    return E_OK;
}
#endif

#if CARILLON_TIME_SLACK > 0
StatusType carillon_alarm_set_slack(struct carillon_alarm *alarm, carillon_duration slack)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmChange, .reference = alarm);
    REQUIRE(slack <= CARILLON_TIME_SLACK, OSServiceId_AlarmChange, E_OS_VALUE, .reference = alarm);
    const uint32_t saved = carillon_osek_lock();
    const bool rests = !carillon_event_is_queued(carillon_time_event(&alarm->timed));
    if (rests) {
        carillon_event_set_slack(carillon_time_event(&alarm->timed), (carillon_time)slack);
    }
    carillon_osek_unlock(saved);
    REQUIRE(rests, OSServiceId_AlarmChange, E_OS_STATE, .reference = alarm);
    return E_OK;
}
#endif

bool carillon_alarm_discard(struct carillon_alarm *alarm)
{
    struct carillon_event *const event = carillon_time_event(&alarm->timed);
    const uint32_t saved = carillon_osek_lock();
    const bool runs = carillon_event_is_queued(event);
    if (runs) {
        carillon_clock_remove(event);
    }
    carillon_osek_unlock(saved);
    return runs;
}

StatusType carillon_alarm_stop(struct carillon_alarm *alarm)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmStop, .reference = alarm);
    REQUIRE(carillon_alarm_discard(alarm), OSServiceId_AlarmStop, E_OS_NOFUNC, .reference = alarm);
    return E_OK;
}

/* Locked: an alarm that runs has another period.  In its own handler, its next expiry is counted from this one. */
static void change(struct carillon_alarm *alarm)
{
    if (is_firing(alarm)) {
        struct carillon_event *const event = carillon_time_event(&alarm->timed);
        carillon_queue_remove(&carillon_clock_queue, event);
        const carillon_duration interval = next_interval(alarm);
        if (CARILLON_TIME_FAR) {
            carillon_queue_insert_far(&carillon_clock_queue, carillon_time_far(&alarm->timed), interval);
        } else {
            carillon_queue_insert(&carillon_clock_queue, event, (carillon_time)interval);
        }
    }
    set_kind(alarm);
}

StatusType carillon_alarm_change(struct carillon_alarm *alarm, carillon_duration period)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmChange, .reference = alarm);
    REQUIRE(carillon_time_is_valid(period) && keeps_up(period, CARILLON_INFINITE), OSServiceId_AlarmChange, E_OS_VALUE,
            .reference = alarm);
    const uint32_t saved = carillon_osek_lock();
    const bool runs = carillon_event_is_queued(carillon_time_event(&alarm->timed));
    if (runs) {
        alarm->period = period;
        alarm->exact = NULL;
        change(alarm);
    }
    carillon_osek_unlock(saved);
    REQUIRE(runs, OSServiceId_AlarmChange, E_OS_NOFUNC, .reference = alarm);
    return E_OK;
}

StatusType carillon_alarm_change_exact(struct carillon_alarm *alarm, const struct carillon_period *period)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmChange, .reference = alarm);
    REQUIRE(exact_is_valid(period) && keeps_up((carillon_duration)period->whole, CARILLON_INFINITE),
            OSServiceId_AlarmChange, E_OS_VALUE, .reference = alarm);
    const uint32_t saved = carillon_osek_lock();
    const bool runs = carillon_event_is_queued(carillon_time_event(&alarm->timed));
    const bool is_exact = runs && (alarm->exact != NULL);
    if (is_exact) {
        *alarm->exact = *period;
        change(alarm);
    }
    carillon_osek_unlock(saved);
    REQUIRE(runs, OSServiceId_AlarmChange, E_OS_NOFUNC, .reference = alarm);
    REQUIRE(is_exact, OSServiceId_AlarmChange, E_OS_STATE, .reference = alarm);
    return E_OK;
}

StatusType carillon_alarm_reset(struct carillon_alarm *alarm)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmReset, .reference = alarm);
    const uint32_t saved = carillon_osek_lock();
    const bool runs = carillon_event_is_queued(carillon_time_event(&alarm->timed));
    if (runs) {
        carillon_clock_remove(carillon_time_event(&alarm->timed));
        if (alarm->exact != NULL) {
            alarm->exact->remainder = 0u;
        }
        carillon_time_insert(&alarm->timed, next_interval(alarm));
        set_kind(alarm);
    }
    carillon_osek_unlock(saved);
    REQUIRE(runs, OSServiceId_AlarmReset, E_OS_NOFUNC, .reference = alarm);
    return E_OK;
}

StatusType carillon_alarm_left(const struct carillon_alarm *alarm, carillon_duration *ticks)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmLeft, .reference = ticks);
    const uint32_t saved = carillon_osek_lock();
    const bool runs = carillon_event_is_queued((const struct carillon_event *)(const void *)&alarm->timed.event);
    if (runs) {
        *ticks = carillon_time_left(&alarm->timed);
    }
    carillon_osek_unlock(saved);
    REQUIRE(runs, OSServiceId_AlarmLeft, E_OS_NOFUNC, .reference = ticks);
    return E_OK;
}
#endif

#endif
