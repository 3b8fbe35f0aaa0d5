/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters, and the queues in which alarms and schedule tables wait.  AUTOSAR OS R4, 8.4.17 and 8.4.18, has what an
 * application asks of a counter.
 *
 * What waits for a counter stands in its event queue (queue.h), whose time is the counter's: a tick touches the
 * distance to the first alone.
 *
 * A counter is a time that runs on.  Where there is a time base (base.h), the handler of a tick finds out how many have
 * passed and catches up with them, expiry by expiry; and services see the time as it is, not as it was when the last
 * tick was served. */
#include "kernel/osek/counter.h"
#include "kernel/osek/act.h"
#if CARILLON_TICKLESS
#include "kernel/time/clock.h"
#endif

#if CARILLON_OSEK_COUNTERS > 0

#define COUNTS ((CARILLON_OSEK_ALARM_ACTIONS & CARILLON_ACTION_BIT(CARILLON_ACTION_COUNT)) != 0u)
#define CALLS ((CARILLON_OSEK_ALARM_ACTIONS & CARILLON_ACTION_BIT(CARILLON_ACTION_CALL)) != 0u)

#if CARILLON_OSEK_QUEUES
struct carillon_osek_alarm_state carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + CARILLON_OSEK_CURSORS];
#endif

struct carillon_osek_counter_state carillon_osek_counter_states[CARILLON_OSEK_PARTS];

#if CARILLON_OSEK_ALARMS > 0
void carillon_osek_act(const struct carillon_osek_alarm *alarm)
{
    const uint32_t set = CARILLON_OSEK_ALARM_ACTIONS & ~CARILLON_ACTION_BIT(CARILLON_ACTION_COUNT);
#if CALLS
    if (carillon_is_action(set, alarm->action, CARILLON_ACTION_CALL)) {
        const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_CALLBACK);
        alarm->operand.function();
        carillon_osek_leave_hook(before);
        return;
    }
#endif
    carillon_act(set & ~CARILLON_ACTION_BIT(CARILLON_ACTION_CALL), alarm->action, alarm->object, &alarm->operand);
}
#endif

static inline void count(struct carillon_osek_counter_state *it, const struct carillon_osek_counter *counter)
{
    it->value = (it->value == counter->max_allowed) ? 0u : (it->value + 1u);
}

#if CARILLON_OSEK_QUEUES

#if CARILLON_TICKLESS
/* A tickless counter has no interrupt of its own in each tick.  The clock of the time services tells the time, as the
 * time base (base.h), and has an event for the tick to which the counter may be left.
 *
 * 1. The event is counted from `at`, a tick of the counter, and not from now: so it is due in a tick, and there is no
 *    drift.
 * 2. If its time has come before it could be put in, it is put in as due now.  The handler then counts the ticks from
 *    `at`, so that nothing is counted twice or left out, however late it comes.
 * 3. The counter is left for CARILLON_BASE_AHEAD units at most, and the clock's handler is late by
 *    CARILLON_CLOCK_LATEST at most (clock.h).  Together they are less than the range of a time.  So a reading of the
 *    clock tells how many ticks have passed, for ever.
 * 4. Everything is under the lock, or in the clock's handler, whose level is that of the lock. */
static struct carillon_timed wakes[CARILLON_OSEK_COUNTERS];

static inline struct carillon_event *event_of(CounterType counter)
{
#if CARILLON_TIME_FAR
    return &wakes[counter].event.event;
#else
    return &wakes[counter].event;
#endif
}

static void wake_at(CounterType counter, carillon_base at, carillon_base units)
{
    struct carillon_timed *const timed = &wakes[counter];
    struct carillon_event *const event = event_of(counter);
    if (carillon_event_is_queued(event)) {
        carillon_clock_remove(event);
    }
    timed->kind = CARILLON_ACTION_TICK;
    timed->task = counter;
    if (!carillon_clock_insert_from(event, (carillon_time)(0u - at), (carillon_time)units)) {
        carillon_clock_insert(event, 0u);
    }
}
#endif

#if CARILLON_OSEK_AHEAD
__attribute__((noinline)) void carillon_osek_look_ahead(CounterType part)
{
    const CounterType counter = carillon_osek_only_part(part);
    struct carillon_osek_counter_state *const it = &carillon_osek_counter_states[counter];
    const carillon_base units = (carillon_base)carillon_osek_counters[counter].units;
    if (units != 0u) {
        const carillon_time left = carillon_queue_left(&it->queue);
        const carillon_base most = carillon_osek_most_ahead(units);
        it->ahead = (left < most) ? (carillon_base)left : most;
#if CARILLON_TICKLESS
        const carillon_base before = it->wake;
#endif
        it->wake = (carillon_base)(carillon_base_later(it->at, (carillon_base)(it->ahead * units)) + 1u);
#if CARILLON_TICKLESS
        if ((it->wake != before) || !carillon_event_is_queued(event_of(counter))) {
            wake_at(counter, it->at, (carillon_base)(it->ahead * units));
        }
#endif
    }
}
#endif

/* Count a tick: is the queue to be asked for what is due? */
static inline bool advance(struct carillon_osek_counter_state *it, const struct carillon_osek_counter *counter)
{
    count(it, counter);
    return carillon_queue_tick(&it->queue);
}

#if CARILLON_OSEK_ALARMS > 0
/* Take the alarm of `state`, which is due, out of the queue; a cyclic one is set again, counted from its expiry. */
static void expire(struct carillon_queue *queue, struct carillon_osek_alarm_state *state)
{
    if (state->cycle == 0u) {
        carillon_queue_pop(queue);
    } else {
#if CARILLON_OSEK_FAR
        carillon_queue_repeat_far(queue, &state->event, state->cycle);
#else
        carillon_queue_repeat(queue, (carillon_time)state->cycle);
#endif
    }
}
#endif

/* Serves what is due in this tick, in order of expiry, then of setting.  An alarm that increments another counter has
 * all of that counter's alarms served before the next of its own; `depth` counts such counters.  None is there twice:
 * the tool refuses circles. */
static __attribute__((noinline)) void serve(CounterType counter)
{
#if COUNTS
    CounterType stack[CARILLON_OSEK_COUNTERS];
    uint32_t depth = 0u;
    stack[0] = counter;
#endif
    for (;;) {
#if COUNTS
        struct carillon_queue *const queue = &carillon_osek_counter_states[carillon_osek_only_part(stack[depth])].queue;
#else
        struct carillon_queue *const queue = &carillon_osek_counter_states[carillon_osek_only_part(counter)].queue;
#endif
        struct carillon_osek_alarm_state *const state =
            (struct carillon_osek_alarm_state *)(void *)carillon_queue_due(queue);
        if (state == NULL) {
#if COUNTS
            if (depth != 0u) {
                depth--;
                continue;
            }
#endif
            return;
        }
#if CARILLON_OSEK_FAR
        if (carillon_queue_next_lap(queue, &state->event)) {
            continue;
        }
#endif
#if CARILLON_OSEK_CURSORS > 0
        if (state >= &carillon_osek_alarm_states[CARILLON_OSEK_ALARMS]) {
            carillon_osek_expire_points(queue, state);
            continue;
        }
#endif
#if CARILLON_OSEK_ALARMS > 0
        expire(queue, state);
        const struct carillon_osek_alarm *const alarm = &carillon_osek_alarms[state - carillon_osek_alarm_states];
#if COUNTS
        if (alarm->action == CARILLON_ACTION_COUNT) {
            if (advance(&carillon_osek_counter_states[alarm->object], &carillon_osek_counters[alarm->object])) {
                depth++;
                stack[depth] = alarm->object;
            }
            continue;
        }
#endif
        carillon_osek_act(alarm);
#endif
    }
}

#endif

/* In most ticks nothing is due. */
static inline void tick(CounterType counter)
{
#if CARILLON_OSEK_QUEUES
    if (advance(&carillon_osek_counter_states[counter], &carillon_osek_counters[counter])) {
        serve(counter);
    }
#else
    count(&carillon_osek_counter_states[counter], &carillon_osek_counters[counter]);
#endif
}

#if (CARILLON_BASE_BITS > 0) && CARILLON_OSEK_QUEUES

/* Count all ticks that have passed, and serve each expiry in its own.  Bounded by the expiries for which interrupts
 * have been held back.  An empty queue begins anew, so that it does not count down to what looks like an expiry. */
static __attribute__((noinline)) void catch_up(CounterType counter)
{
    struct carillon_osek_counter_state *const it = &carillon_osek_counter_states[counter];
    const carillon_base units = (carillon_base)carillon_osek_counters[counter].units;
#if CARILLON_OSEK_LEVEL_COUNTERS
    it->serving = true;
#endif
    for (;;) {
        const carillon_osek_distance passed = carillon_osek_uncounted(counter);
        if (passed == 0u) {
            break;
        }
#if CARILLON_QUEUE_COUNTERS
        const carillon_osek_distance step = 1u; /* what is left may be more than to the first */
#else
        const carillon_time left = carillon_queue_left(&it->queue); /* what was due has been served */
        const carillon_osek_distance step = (passed < left) ? passed : left;
#endif
        it->at = carillon_base_later(it->at, (carillon_base)(step * units));
        it->value = carillon_osek_later(&carillon_osek_counters[counter], it->value, step);
        carillon_queue_advance(&it->queue, (carillon_time)step);
        if (carillon_queue_left(&it->queue) == 0u) {
            serve(counter);
        }
    }
#if CARILLON_OSEK_AHEAD
    carillon_queue_rest(&it->queue);
#endif
#if CARILLON_OSEK_LEVEL_COUNTERS
    it->serving = false;
#endif
    carillon_osek_look_ahead(counter);
}

#if CARILLON_OSEK_CURSORS > 0
void carillon_osek_catch_up(CounterType counter)
{
    catch_up(carillon_osek_only_part(counter));
}
#endif

void carillon_osek_tick(CounterType any)
{
    const CounterType counter = carillon_osek_only_part(any);
#if !CARILLON_OSEK_AHEAD || CARILLON_OSEK_SOFTWARE
    const uint32_t saved = carillon_osek_lock();
#endif
#if CARILLON_OSEK_AHEAD
    catch_up(counter);
#else
    struct carillon_osek_counter_state *const it = &carillon_osek_counter_states[counter];
    const struct carillon_osek_counter *const fixed = &carillon_osek_counters[counter];
    const carillon_base units = (carillon_base)fixed->units;
    const carillon_base at = it->at;
    if (carillon_base_one(at, units)) {       /* mostly */
        it->at = (carillon_base)(at - units); /* as it has not begun anew, so has this not */
        if (advance(it, fixed)) {
            serve(counter);
        }
    } else {
        catch_up(counter);
    }
#endif
#if !CARILLON_OSEK_AHEAD || CARILLON_OSEK_SOFTWARE
    carillon_osek_unlock(saved);
#endif
}

#if CARILLON_OSEK_LEVEL_COUNTERS
void carillon_osek_last_tick(CounterType counter, uint32_t saved)
{
    catch_up(carillon_osek_only_part(counter));
    carillon_osek_unlock(saved);
}
#endif

#else

void carillon_osek_tick(CounterType counter)
{
    const uint32_t saved = carillon_osek_lock();
    tick(counter);
    carillon_osek_unlock(saved);
}

#endif

StatusType(IncrementCounter)(CounterType counter)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_IncrementCounter, .object = counter);
    CHECK((counter < CARILLON_OSEK_COUNTERS) && (carillon_osek_counters[counter].software != 0u),
          OSServiceId_IncrementCounter, E_OS_ID, .object = counter);
    const uint32_t saved = carillon_osek_lock();
    tick(counter);
    carillon_osek_unlock(saved);
    return E_OK;
}

#if CARILLON_OSEK_QUEUES
void carillon_osek_start_counters(AppModeType mode)
{
#if CARILLON_BASE_BITS > 0
    const carillon_base now = carillon_base_left(); /* once: all parts of a counter begin in the same tick */
#endif
    for (uint32_t counter = 0; counter < CARILLON_OSEK_PARTS; counter++) {
        carillon_queue_init(&carillon_osek_counter_states[counter].queue);
#if CARILLON_BASE_BITS > 0
        const carillon_base units = (carillon_base)carillon_osek_counters[counter].units;
        if (units != 0u) {
            carillon_osek_counter_states[counter].at = carillon_base_last(units, now);
            carillon_osek_look_ahead((CounterType)counter);
        }
#endif
    }
#if CARILLON_OSEK_QUEUE_STARTS
    for (uint32_t alarm = 0; alarm < CARILLON_OSEK_ALARMS; alarm++) {
        const struct carillon_osek_alarm *const it = &carillon_osek_alarms[alarm];
        if ((((it->autostart >> mode) & 1u) != 0u) && (it->cell == NULL)) {
            carillon_osek_alarm_states[alarm].cycle = it->cycle;
            carillon_osek_insert(it->counter, &carillon_osek_alarm_states[alarm],
                                 (it->absolute != 0u) ? carillon_osek_until(it->counter, 0u, it->start)
                                                      : (carillon_osek_distance)it->start);
        }
    }
#endif
#if CARILLON_OSEK_CURSORS > 0
    carillon_osek_start_schedule_tables(mode);
#endif
    (void)mode;
}
#endif

#if CARILLON_OSEK_LEVEL_CELLS
void carillon_osek_call_cells(carillon_vector cells)
{
    if ((carillon_osek_hook & IN_ERROR_HOOK) == 0u) {
        cells();
    }
}
#endif

/* What the counter reads now, whoever has counted; locked. */
static TickType value_of(CounterType counter)
{
    const TickType value = carillon_osek_counter_states[counter].value;
#if CARILLON_OSEK_QUEUES
    return carillon_osek_later(&carillon_osek_counters[counter], value, carillon_osek_uncounted(counter));
#else
    return value;
#endif
}

StatusType GetCounterValue(CounterType counter, TickRefType value)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_GetCounterValue, .object = counter, .reference = value);
    CHECK(counter < CARILLON_OSEK_COUNTERS, OSServiceId_GetCounterValue, E_OS_ID, .object = counter,
          .reference = value);
    CHECK_POINTER(value, OSServiceId_GetCounterValue, .object = counter, .reference = value);
    REQUIRE(carillon_osek_counters[counter].ticked != 0u, OSServiceId_GetCounterValue, E_OS_ID, .object = counter,
            .reference = value);
    const uint32_t saved = carillon_osek_lock();
    *value = value_of(counter);
    carillon_osek_unlock(saved);
    return E_OK;
}

StatusType GetElapsedValue(CounterType counter, TickRefType value, TickRefType elapsed)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_GetElapsedValue, .object = counter, .reference = value,
                .other = elapsed);
    CHECK(counter < CARILLON_OSEK_COUNTERS, OSServiceId_GetElapsedValue, E_OS_ID, .object = counter, .reference = value,
          .other = elapsed);
    CHECK_POINTER(value, OSServiceId_GetElapsedValue, .object = counter, .reference = value, .other = elapsed);
    CHECK_POINTER(elapsed, OSServiceId_GetElapsedValue, .object = counter, .reference = elapsed);
    REQUIRE(carillon_osek_counters[counter].ticked != 0u, OSServiceId_GetElapsedValue, E_OS_ID, .object = counter,
            .reference = value, .other = elapsed);
    const TickType most = carillon_osek_counters[counter].max_allowed;
    const TickType before = *value;
    CHECK(before <= most, OSServiceId_GetElapsedValue, E_OS_VALUE, .object = counter, .reference = value,
          .other = elapsed);
    const uint32_t saved = carillon_osek_lock();
    const TickType now = value_of(counter);
    carillon_osek_unlock(saved);
    if (now >= before) {
        *elapsed = now - before;
    } else {
        *elapsed = (most - before) + now + 1u;
    }
    *value = now;
    return E_OK;
}

#endif
