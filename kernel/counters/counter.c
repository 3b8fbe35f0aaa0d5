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
#include "kernel/counters/counter.h"
#include "kernel/jobs/error.h"
#if CARILLON_TICKLESS
#include "kernel/clock/clock.h"

#include "carillon/time.h" /* after the kernel's own headers, which do not see the names of objects */
#endif

#if CARILLON_OSEK_COUNTERS > 0

#if CARILLON_OSEK_QUEUES
struct carillon_osek_alarm_state carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + CARILLON_OSEK_CURSORS];
#endif

struct carillon_osek_counter_state carillon_osek_counter_states[CARILLON_OSEK_PARTS];

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

#if CARILLON_TIME_FAR
#define NEAR(far) (&(far)->event)
#else
#define NEAR(near) (near)
#endif

static inline struct carillon_event *event_of(CounterType counter)
{
    return NEAR(&wakes[counter].event);
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

/* A counter is left until another tick than before, if `moved`. */
static inline void wake_if(CounterType counter, carillon_base units, bool moved)
{
    const struct carillon_osek_counter_state *const state = &carillon_osek_counter_states[counter];
    if (moved || !carillon_event_is_queued(event_of(counter))) {
        wake_at(counter, state->ticker.at, (carillon_base)(state->ahead * units));
    }
}
#elif CARILLON_OSEK_AHEAD
static inline void wake_if(CounterType counter, carillon_base units, bool moved)
{
    (void)counter;
    (void)units;
    (void)moved;
}
#endif

#if CARILLON_OSEK_AHEAD
__attribute__((noinline)) void carillon_osek_look_ahead(CounterType part)
{
    const CounterType counter = carillon_osek_only_part(part);
    struct carillon_osek_counter_state *state = &carillon_osek_counter_states[counter];
    const carillon_base units = (carillon_base)carillon_osek_counters[counter].units;
    __asm__("" : "+r"(state)); /* the address is worked out once, and not for each member */
    if (units != 0u) {
        const carillon_base before = state->ticker.wake;
        state->ahead = carillon_ticker_ahead(&state->ticker, carillon_ticker_most(units, CARILLON_LAP));
        carillon_ticker_leave(&state->ticker, units, state->ahead);
        wake_if(counter, units, state->ticker.wake != before);
    }
}
#endif

#endif

/* What the counter reads now, whoever has counted; locked. */
static inline __attribute__((always_inline)) TickType value_of(CounterType counter)
{
    const TickType value = carillon_osek_counter_states[counter].value;
    return carillon_osek_later(&carillon_osek_counters[counter], value, carillon_osek_uncounted(counter));
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
