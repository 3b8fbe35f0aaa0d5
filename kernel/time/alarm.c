/* SPDX-License-Identifier: Apache-2.0
 *
 * Alarms, and what it means that an event of the clock is due. */
#include "services.h"

#if CARILLON_OSEK_TIME

/* While the clock is served: the alarm whose handler was called last. */
static const struct carillon_alarm *firing;

/* Count the next interval of an alarm, which is due, from this expiry, if there is one. */
static void repeat(struct carillon_alarm *alarm)
{
    if (alarm->left != CARILLON_INFINITE) {
        alarm->left--;
    }
    if (alarm->left == 0u) {
        carillon_queue_pop(&carillon_clock_queue);
        return;
    }
    const carillon_duration period =
        (alarm->exact == NULL) ? alarm->period : (carillon_duration)carillon_period_next(alarm->exact);
#if CARILLON_TIME_FAR
    carillon_queue_repeat_far(&carillon_clock_queue, &alarm->timed.event, period);
#else
    carillon_queue_repeat(&carillon_clock_queue, period);
#endif
}

static void fire(const struct carillon_alarm *alarm)
{
    const TaskType task = alarm->timed.task;
    StatusType status;
    switch (alarm->timed.kind) {
    case CARILLON_TIMED_FUNCTION:
    case CARILLON_TIMED_BEAT:
        firing = alarm;
        alarm->handler.function(); /* after which the alarm may be gone */
        break;
    case CARILLON_TIMED_TASK:
        status = carillon_osek_activate(task);
        if (status != E_OK) {
            (void)FAIL(OSServiceId_ActivateTask, status, .object = task);
        }
        break;
#if CARILLON_OSEK_EVENTS
    case CARILLON_TIMED_EVENT:
        if (carillon_osek_jobs[task].activations == 0u) {
            (void)FAIL(OSServiceId_SetEvent, E_OS_STATE, .object = task, .first = alarm->handler.carillon_event);
        } else {
            carillon_osek_set(task, alarm->handler.carillon_event);
        }
        break;
#endif
    default:
        if (!carillon_semaphore_give(alarm->handler.carillon_semaphore)) {
            (void)FAIL(OSServiceId_SemaphoreV, E_OS_LIMIT, .reference = alarm->handler.carillon_semaphore);
        }
        break;
    }
}

static __attribute__((noinline)) void serve(struct carillon_timed *timed)
{
#if CARILLON_TIME_FAR
    if (carillon_queue_next_lap(&carillon_clock_queue, &timed->event)) {
        return;
    }
#endif
    if (timed->kind == CARILLON_TIMED_TIMEOUT) {
        carillon_queue_pop(&carillon_clock_queue);
        carillon_time_out((struct carillon_waiter *)(void *)timed);
        return;
    }
    struct carillon_alarm *const alarm = (struct carillon_alarm *)(void *)timed;
    repeat(alarm);
    fire(alarm);
}

/* Is it at its last lap, which all are that are not far? */
static inline bool has_come(const struct carillon_timed *timed)
{
#if CARILLON_TIME_FAR
    return timed->event.laps == 0u;
#else
    (void)timed;
    return true;
#endif
}

/* Is it a delay that is over?  Those have a path of their own, which saves no register and calls nobody. */
static inline bool is_over(const struct carillon_timed *timed)
{
    return (timed->kind == CARILLON_TIMED_WAKE) && has_come(timed);
}

static inline void wake_first(const struct carillon_timed *timed)
{
    carillon_queue_pop(&carillon_clock_queue);
    carillon_osek_wake(((const struct carillon_sleeper *)(const void *)timed)->task, timed->task);
}

/* Nor do functions that are called for ever, if they stay the first. */
static inline void beat(struct carillon_timed *timed)
{
    const struct carillon_alarm *const alarm = (const struct carillon_alarm *)(const void *)timed;
    void (*const function)(void) = alarm->handler.function;
    if (carillon_queue_stays(&carillon_clock_queue, carillon_time_event(timed), (carillon_time)alarm->period)) {
        firing = alarm;
        function();
    } else {
        serve(timed);
    }
}

/* The event is the first member of what it belongs to. */
void carillon_clock_expired(struct carillon_event *event)
{
    struct carillon_timed *const timed = (struct carillon_timed *)(void *)event;
    if (is_over(timed)) {
        wake_first(timed);
    } else if ((timed->kind == CARILLON_TIMED_BEAT) && has_come(timed)) {
        beat(timed);
    } else {
        serve(timed);
    }
}

#if CARILLON_CLOCK == CARILLON_CLOCK_TICK
#if CARILLON_TIME_COUNTS
carillon_time carillon_time_ticks;
#endif

/* Delays that are over need nothing of the clock, which has no timer to set; all else does. */
void carillon_time_tick(void)
{
#if CARILLON_TIME_COUNTS
    carillon_time_ticks++;
#endif
    if (!carillon_clock_tick()) {
        return;
    }
    while (!carillon_queue_is_empty(&carillon_clock_queue)) { /* bounded by the number of tasks */
        const struct carillon_timed *const timed =
            (const struct carillon_timed *)(const void *)carillon_queue_first(&carillon_clock_queue);
        if (!is_over(timed)) {
            break;
        }
        wake_first(timed);
        if (carillon_queue_left(&carillon_clock_queue) != 0u) {
            return;
        }
    }
    carillon_clock_interrupt();
}
#endif

/* An alarm's period and count have been set: a function is called in one of two ways. */
static void set_kind(struct carillon_alarm *alarm)
{
    if ((alarm->timed.kind == CARILLON_TIMED_FUNCTION) || (alarm->timed.kind == CARILLON_TIMED_BEAT)) {
        bool beats = (alarm->exact == NULL) && (alarm->left == CARILLON_INFINITE);
#if CARILLON_TIME_FAR
        beats = beats && (alarm->period <= CARILLON_LONGEST);
#endif
        alarm->timed.kind = beats ? CARILLON_TIMED_BEAT : CARILLON_TIMED_FUNCTION;
    }
}

/* Locked; false: it runs already. */
static bool start(struct carillon_alarm *alarm, struct carillon_period *exact, carillon_duration period, uint32_t count)
{
    if (carillon_event_is_queued(carillon_time_event(&alarm->timed))) {
        return false;
    }
    alarm->period = period;
    alarm->exact = exact;
    alarm->left = count;
    set_kind(alarm);
    carillon_time_insert(&alarm->timed, (exact == NULL) ? period : (carillon_duration)carillon_period_next(exact));
    return true;
}

StatusType carillon_alarm_start(struct carillon_alarm *alarm, carillon_duration period, uint32_t count)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmStart, .reference = alarm);
    REQUIRE(carillon_time_is_valid(period) && (count != 0u), OSServiceId_AlarmStart, E_OS_VALUE, .reference = alarm);
    const uint32_t saved = carillon_osek_lock();
    const bool started = start(alarm, NULL, period, count);
    carillon_osek_unlock(saved);
    REQUIRE(started, OSServiceId_AlarmStart, E_OS_STATE, .reference = alarm);
    return E_OK;
}

StatusType carillon_alarm_start_exact(struct carillon_alarm *alarm, struct carillon_period *period, uint32_t count)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmStart, .reference = alarm);
    REQUIRE((period->whole != 0u) && (period->whole < CARILLON_LONGEST_DURATION) && (count != 0u),
            OSServiceId_AlarmStart, E_OS_VALUE, .reference = alarm);
    const uint32_t saved = carillon_osek_lock();
    const bool started = start(alarm, period, 0u, count);
    carillon_osek_unlock(saved);
    REQUIRE(started, OSServiceId_AlarmStart, E_OS_STATE, .reference = alarm);
    return E_OK;
}

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

/* In an alarm's own handler, its next expiry is in the queue already, and the queue's reference is this one's time. */
StatusType carillon_alarm_change(struct carillon_alarm *alarm, carillon_duration period)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmChange, .reference = alarm);
    REQUIRE(carillon_time_is_valid(period), OSServiceId_AlarmChange, E_OS_VALUE, .reference = alarm);
    struct carillon_event *const event = carillon_time_event(&alarm->timed);
    const uint32_t saved = carillon_osek_lock();
    const bool runs = carillon_event_is_queued(event);
    if (runs) {
        alarm->period = period;
        alarm->exact = NULL;
        set_kind(alarm);
        if (carillon_clock_serving && (firing == alarm)) {
            carillon_queue_remove(&carillon_clock_queue, event);
#if CARILLON_TIME_FAR
            carillon_queue_insert_far(&carillon_clock_queue, &alarm->timed.event, period);
#else
            carillon_queue_insert(&carillon_clock_queue, event, period);
#endif
        }
    }
    carillon_osek_unlock(saved);
    REQUIRE(runs, OSServiceId_AlarmChange, E_OS_NOFUNC, .reference = alarm);
    return E_OK;
}

StatusType carillon_alarm_left(const struct carillon_alarm *alarm, carillon_duration *ticks)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_AlarmLeft, .reference = ticks);
    const uint32_t saved = carillon_osek_lock();
#if CARILLON_TIME_FAR
    const bool runs = carillon_event_is_queued(&alarm->timed.event.event);
    if (runs) {
        *ticks = carillon_clock_left_far(&alarm->timed.event);
    }
#else
    const bool runs = carillon_event_is_queued(&alarm->timed.event);
    if (runs) {
        *ticks = carillon_clock_left(&alarm->timed.event);
    }
#endif
    carillon_osek_unlock(saved);
    REQUIRE(runs, OSServiceId_AlarmLeft, E_OS_NOFUNC, .reference = ticks);
    return E_OK;
}

#endif
