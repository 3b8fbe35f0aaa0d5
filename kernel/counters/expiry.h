/* SPDX-License-Identifier: Apache-2.0
 *
 * What is due: the handlers of counters' ticks, and what serves their queues. */
#ifndef CARILLON_OSEK_EXPIRY_H
#define CARILLON_OSEK_EXPIRY_H

#include "kernel/counters/counter.h"
#include "kernel/counters/table_lone.h"
#include "kernel/jobs/act.h"

/* Count the ticks of a hardware counter that have passed, and serve what was due in them. */
void carillon_osek_tick(CounterType counter);

#if CARILLON_OSEK_COUNTERS > 0

#if CARILLON_OSEK_ALARMS > 0
/* Do what an alarm does, unless it increments a counter; locked. */
void carillon_osek_act(const struct carillon_osek_alarm *alarm);
#endif

#if CARILLON_OSEK_QUEUES
#if (CARILLON_BASE_BITS > 0) && (CARILLON_OSEK_CURSORS > 0)
/* Count all ticks that have passed, and serve each expiry in its own; locked. */
void carillon_osek_catch_up(CounterType counter);
#endif

#if CARILLON_OSEK_AHEAD

#if (CARILLON_OSEK_ALARMS > 0) && !CARILLON_TICKLESS
/* An alarm that can do nothing else activates a task.  Returns whether that is a direct one, which is requested: one
 * that waits already absorbs another.  A handler of the task's level (`leveled`) never finds it active. */
#if CARILLON_OSEK_DIRECT
static inline __attribute__((always_inline)) bool carillon_osek_requests_direct(TaskType object, bool leveled)
{
    const struct carillon_osek_task *const task = &carillon_osek_tasks[object];
    if (task->direct == 0u) {
        return false;
    }
    if (leveled || !carillon_port_is_active(task->source)) {
        carillon_port_request(task->source);
    }
    return true;
}
#else
static inline bool carillon_osek_requests_direct(TaskType object, bool leveled)
{
    (void)object;
    (void)leveled;
    return false;
}
#endif

/* The tick in which the first alarm is due has come, and no later one: serve it if it is cyclic and stays the first, as
 * the only one does, and neither the counter nor the base begins anew on the way.  Otherwise false, and nothing has
 * been done.  Locked.
 *
 * 1. `left` has been read since the handler began.  A tick that comes after that asks for the handler again.  So there
 *    is no look whether more have come meanwhile.
 * 2. The first alarm is as far from `at` as the tick to which the counter was left: so it is due.  An empty queue is
 *    never so: nothing is left to CARILLON_LAP or less there (expiry.c, catch_up).
 * 3. An alarm that stays the first when it is set again is due no more, and neither is what comes after it. */
static inline __attribute__((always_inline)) bool carillon_osek_repeats_first(CounterType counter, AlarmType only,
                                                                              carillon_base left, bool leveled)
{
    struct carillon_osek_counter_state *const counter_state = &carillon_osek_counter_states[counter];
    const struct carillon_osek_counter *const fixed = &carillon_osek_counters[counter];
    const carillon_base units = (carillon_base)fixed->units;
    const carillon_base at = (carillon_base)(counter_state->ticker.wake - 1u);
    const carillon_base step = counter_state->ahead;
    if (((carillon_base)(at - left) >= units) || (carillon_queue_left(&counter_state->ticker.queue) != step)) {
        return false;
    }
    struct carillon_osek_alarm_state *const state =
        (only != CARILLON_OSEK_NO_ALARM)
            ? &carillon_osek_alarm_states[only]
            : (struct carillon_osek_alarm_state *)(void *)carillon_queue_first(&counter_state->ticker.queue);
    if ((CARILLON_OSEK_CURSORS > 0u) && (state >= &carillon_osek_alarm_states[CARILLON_OSEK_ALARMS])) {
        return false;
    }
    const TickType cycle = state->cycle;
    if (CARILLON_OSEK_IS_FAR(&state->event, cycle)) {
        return false;
    }
    const carillon_base ahead = (carillon_base)cycle;
    const bool folds = (fixed->max_allowed & (fixed->max_allowed + 1u)) == 0u;
    if ((cycle == 0u) || (cycle > carillon_ticker_most(units, CARILLON_LAP)) || ((ahead * units) > at) ||
        (!folds && ((TickType)step > (fixed->max_allowed - counter_state->value))) ||
        !carillon_queue_stays(&counter_state->ticker.queue, carillon_osek_event_of(state), (carillon_time)cycle)) {
        return false;
    }
    counter_state->ticker.at = at;
    counter_state->value = (counter_state->value + (TickType)step) & (folds ? fixed->max_allowed : ~(TickType)0u);
    counter_state->ahead = ahead;
    counter_state->ticker.wake = (carillon_base)((at - (ahead * units)) + 1u);
    const AlarmType number = (only != CARILLON_OSEK_NO_ALARM) ? only : (AlarmType)(state - carillon_osek_alarm_states);
    const struct carillon_osek_alarm *const alarm = &carillon_osek_alarms[number];
    if ((only != CARILLON_OSEK_NO_ALARM) && (alarm->action == CARILLON_ACTION_ACTIVATE) &&
        carillon_osek_requests_direct(alarm->object, leveled)) {
        return true;
    }
    carillon_osek_counter_serves(counter_state, true);
    carillon_osek_act(alarm);
    carillon_osek_counter_serves(counter_state, false);
    return true;
}
#else
static inline bool carillon_osek_repeats_first(CounterType counter, AlarmType only, carillon_base left, bool leveled)
{
    (void)counter;
    (void)only;
    (void)left;
    (void)leveled;
    return false;
}
#endif

#endif

#define CARILLON_OSEK_REPEATS                                                                            \
    (CARILLON_OSEK_AHEAD && !CARILLON_TICKLESS && (CARILLON_OSEK_ALARMS > 0u) && !CARILLON_QUEUE_TREE && \
     ((CARILLON_OSEK_ALARM_ACTIONS & CARILLON_ACTION_BIT(CARILLON_ACTION_COUNT)) == 0u))

#if CARILLON_OSEK_LEVEL_COUNTERS
/* Counters whose handler has the level of the tasks that their queue wakes: as cells of alarms that have it
 * (cells.h), but they keep in mind what they miss.  A queue that wakes tasks of several levels has several parts. Each
 * is what a counter is, with a value and an `at` of its own: what follows holds for each.
 *
 * 1. All that can stand in the queue wakes tasks of one level.  While a task of that level or a higher one runs, the
 *    tick's request waits, and the time base counts.
 * 2. Whoever asks for the state of a task of that level, or changes it, or asks for an alarm of the counter, or sets or
 *    cancels one, first serves what is due: all ticks that have passed until then, each expiry in its own.
 * 3. That is under the lock.  The handler looks again under the lock whether a tick is over: if somebody has come
 *    before it, it finds nothing to do.
 * 4. An alarm's action asks for its task's level, too.  It does not begin to serve again: `serving`.
 * 5. The end of a job serves the level while the task still runs, so that an activation that came before is one too
 *    many.  So does the end of a direct task, whose controller's bits say that it runs (carillon_serve_waiting).
 * 6. The base tells ticks for CARILLON_BASE_MOST less CARILLON_BASE_AHEAD units.  A higher task must not run on for
 *    longer than that. */
static inline bool carillon_osek_counter_rests(CounterType counter)
{
    return !carillon_osek_counter_states[counter].serving;
}

static inline void carillon_osek_serve_counter(CounterType counter)
{
    if (carillon_ticker_is_over(&carillon_osek_counter_states[counter].ticker, carillon_base_left())) {
        carillon_osek_tick(counter);
    }
}

/* A part that has no cell is served from a source that software requests.  The handler of the counter's first part,
 * which has a higher level and a cell, asks in each tick whether the part is to be served, before it does anything
 * else.
 *
 * 1. `left` has been read since the handler began.  A tick that comes after that asks for the handler again, which
 *    looks again.  A part that is to be served stays so until somebody serves it.  So no request is missing.
 * 2. A request too many finds nothing to do.
 * 3. The look is not locked.  `wake` is one word.  Whoever changes it meanwhile has served the part, or has set an
 *    alarm that is due in a later tick.
 * 4. While the handler waits, its request says that a tick may have passed: whoever asks for the state of a task looks
 *    at that request, too.  What preempts the handler before it has asked comes before the expiry.
 * 5. Whoever serves the first part before its handler takes its request back, and asks in its stead. */
static inline __attribute__((always_inline)) void carillon_osek_ask_part(CounterType part, uint16_t source,
                                                                         carillon_base left)
{
    if (carillon_ticker_is_over(&carillon_osek_counter_states[part].ticker, left)) {
        carillon_port_request(source);
    }
}

/* carillon_osek_tick, and undo the lock. */
void carillon_osek_last_tick(CounterType counter, uint32_t saved);

/* The handler of such a counter's cell.  What `left` was compared with may have moved on before the lock, if what
 * preempts the handler has served the counter: then the tick for which it is left now is still to come. */
static inline __attribute__((always_inline)) void carillon_osek_level_tick(CounterType counter, AlarmType only)
{
    const carillon_base left = carillon_base_left();
    if (!carillon_ticker_is_over(&carillon_osek_counter_states[counter].ticker, left)) {
        return;
    }
    const uint32_t saved = carillon_osek_lock();
    if ((CARILLON_OSEK_REPEATS != 0) && carillon_osek_repeats_first(counter, only, left, true)) {
        carillon_osek_unlock(saved);
        return;
    }
    carillon_osek_last_tick(counter, saved); /* the handler is left there, so that it needs no frame */
}

#if CARILLON_OSEK_LONE
/* The same of a part that has a cursor alone in it.  `direct`: the direct task that the cursor activates, if it does
 * nothing else; INVALID_TASK: it does what its steps say.  This handler has that task's level, so it finds the task not
 * active, and a request that waits already absorbs another. */
static inline __attribute__((always_inline)) void carillon_osek_lone_level_tick(CounterType part, uint32_t cursor,
                                                                                TaskType direct)
{
    const carillon_base left = carillon_base_left();
    struct carillon_osek_counter_state *const state = &carillon_osek_counter_states[part];
    if (!carillon_ticker_is_over(&state->ticker, left)) {
        return;
    }
    const uint32_t saved = carillon_osek_lock();
    const struct carillon_osek_step *const step = carillon_osek_step_in_time(part, cursor, left);
    if (step == NULL) {
        carillon_osek_last_tick(part, saved);
        return;
    }
    if (direct == INVALID_TASK) {
        state->serving = true;
        carillon_osek_act_point(step);
        state->serving = false;
    } else {
        const volatile struct carillon_osek_step *const watched = step; /* table_lone.h */
        if (watched->count != 0u) {                                     /* otherwise it only divides a longer delay */
            carillon_port_request(carillon_osek_tasks[direct].source);
        }
    }
    carillon_osek_unlock(saved);
}
#endif
#endif

/* The handler of a hardware counter's cell.  It has the level of the lock, so nobody changes what it looks at.  `only`:
 * the only alarm that can be in the counter's queue, if it increments no counter; CARILLON_OSEK_NO_ALARM: any may. */
#if CARILLON_OSEK_AHEAD
static inline __attribute__((always_inline)) void carillon_osek_tick_over(CounterType counter, AlarmType only)
{
    const carillon_base left = carillon_base_left();
    if (!carillon_ticker_is_over(&carillon_osek_counter_states[counter].ticker, left)) {
        return;
    }
    if (CARILLON_OSEK_REPEATS && (CARILLON_OSEK_SOFTWARE == 0) &&
        carillon_osek_repeats_first(counter, only, left, false)) {
        return;
    }
    carillon_osek_tick(counter);
}
#else
static inline void carillon_osek_tick_over(CounterType counter, AlarmType only)
{
    (void)only;
    carillon_osek_tick(counter);
}
#endif

#if CARILLON_OSEK_LONE
/* The same of a part that has a cursor alone in it. */
static inline __attribute__((always_inline)) void carillon_osek_lone_tick_over(CounterType part, uint32_t cursor)
{
    const carillon_base left = carillon_base_left();
    struct carillon_osek_counter_state *const state = &carillon_osek_counter_states[part];
    if (!carillon_ticker_is_over(&state->ticker, left)) {
        return;
    }
    const struct carillon_osek_step *const step = carillon_osek_step_in_time(part, cursor, left);
    if (step == NULL) {
        carillon_osek_tick(part);
        return;
    }
    carillon_osek_counter_serves(state, true);
    carillon_osek_act_point(step);
    carillon_osek_counter_serves(state, false);
}
#endif

#endif
#endif

#endif
