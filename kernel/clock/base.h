/* SPDX-License-Identifier: Apache-2.0
 *
 * The time base: a counter that runs on while interrupts are held back.
 *
 * It serves the counters of the OSEK system and the periodic clock of the time services (kernel/clock/clock_steps.h).
 *
 * A tick is an interrupt, and a source has one pending bit.  A task of a round, a lock or an ISR may hold the interrupt
 * back for longer than a tick.  Its handler then finds one request where several ticks have passed.  The time base says
 * how many ticks have passed.
 *
 * The base counts down from CARILLON_BASE_PERIOD, and begins anew; a counter that counts up is negated.  Readings are
 * compared only by their difference.  If the whole range of the type is counted, CARILLON_BASE_PERIOD is 0.  Otherwise
 * it is a multiple of every tick that is counted, so that each tick keeps its phase for ever.
 *
 * 1. What counts ticks keeps `at`, the reading of the base at the last tick that has been counted.
 * 2. The base and the ticking cell are started together and count the same clock.  So when a tick's interrupt is
 *    served, the base is at the tick or after it, and never before.
 * 3. The difference is exact up to CARILLON_BASE_MOST units.  A greater difference is a reading from before `at`:
 *    before the first tick, between the start of the cells and time 0.
 * 4. A tick that passes while others are counted is either counted with them, and its interrupt then finds nothing to
 *    count, or is left to its interrupt.  None is counted twice or left out.
 *
 * Of tickless counters the base is the clock's time, negated.  No cell ticks then: counter.c has the argument in place
 * of 2. There is no CARILLON_BASE_ORIGIN, and CARILLON_BASE_AHEAD is as far as the clock can be set.
 *
 * Every function is called locked. */
#ifndef CARILLON_BASE_H
#define CARILLON_BASE_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"

#if CARILLON_BASE_BITS > 0

#if CARILLON_TICKLESS
#include "kernel/clock/queue.h"
#ifdef __cplusplus
extern "C" {
#endif
carillon_time carillon_clock_now(void); /* of kernel/clock/clock.h: the base is the clock's time, negated */
#ifdef __cplusplus
}
#endif
#endif

/* CARILLON_BASE_PERIOD; CARILLON_BASE_MOST; CARILLON_BASE_AHEAD, a sixteenth of that or 0; CARILLON_BASE_ORIGIN, what
 * the base reads at time 0; and CARILLON_BASE_LEFT, an expression that reads it. */
#include "carillon_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#if CARILLON_BASE_BITS <= 16
typedef uint16_t carillon_base;
#if CARILLON_BASE_PERIOD > 0x8000
#error "a time base counts half the range of its type at most, or all of it"
#endif
#else
typedef uint32_t carillon_base;
#if CARILLON_BASE_PERIOD > 0x80000000
#error "a time base counts half the range of its type at most, or all of it"
#endif
#endif

static inline carillon_base carillon_base_left(void)
{
    return (carillon_base)(CARILLON_BASE_LEFT);
}

/* A reading, so many units (at most a period) later. */
static inline carillon_base carillon_base_later(carillon_base at, carillon_base units)
{
    const carillon_base later = (carillon_base)(at - units);
    return (units > at) ? (carillon_base)(later + CARILLON_BASE_PERIOD) : later;
}

/* Units from `at` to a reading; more than CARILLON_BASE_MOST if `at` has not been reached. */
static inline carillon_base carillon_base_past(carillon_base at, carillon_base left)
{
    const carillon_base difference = (carillon_base)(at - left);
    return (left > at) ? (carillon_base)(difference + CARILLON_BASE_PERIOD) : difference;
}

/* More than CARILLON_BASE_MOST units?  Never where that is all that a reading can tell: the clock of tickless counters
 * never reads what is ahead. */
#if (CARILLON_BASE_BITS <= 16) && (CARILLON_BASE_MOST >= 65535u)
static inline bool carillon_base_beyond(carillon_base passed)
{
    (void)passed;
    return false;
}
#else
static inline bool carillon_base_beyond(carillon_base passed)
{
    return passed > CARILLON_BASE_MOST;
}
#endif

/* Ticks of `units` that have passed since `at`, until a reading, and until now.  None if `at` has not been reached:
 * more than CARILLON_BASE_MOST units seem to have passed then. */
static inline carillon_base carillon_base_ticks_until(carillon_base at, carillon_base units, carillon_base left)
{
    const carillon_base passed = carillon_base_past(at, left);
    return ((passed < units) || carillon_base_beyond(passed)) ? 0u : (carillon_base)(passed / units);
}
static inline carillon_base carillon_base_ticks(carillon_base at, carillon_base units)
{
    return carillon_base_ticks_until(at, units, carillon_base_left());
}

/* Units that have passed since `at`, until a reading; none if `at` has not been reached. */
static inline carillon_base carillon_base_units_until(carillon_base at, carillon_base left)
{
    const carillon_base passed = carillon_base_past(at, left);
    return carillon_base_beyond(passed) ? 0u : passed;
}

/* For how many ticks of `units` whoever counts them may only look: CARILLON_BASE_AHEAD units at most, or a tick. */
static inline carillon_base carillon_base_ticks_ahead(carillon_base units)
{
    if (units > CARILLON_BASE_AHEAD) {
        return 1u;
    }
    return (carillon_base)(CARILLON_BASE_AHEAD / units);
}

/* Whether exactly one tick has passed since `at`.  The answer may be no although one has, if the base has begun anew.
 * The difference is then more than half the type's range, which is more than two ticks. */
static inline bool carillon_base_one(carillon_base at, carillon_base units)
{
    const carillon_base passed = (carillon_base)(at - carillon_base_left());
    return (carillon_base)(passed - units) < units;
}

/* The last tick until a reading, of those that are counted from time 0 on.  Time 0 of tickless counters is when StartOS
 * starts them. */
#if CARILLON_TICKLESS
static inline carillon_base carillon_base_last(carillon_base units, carillon_base left)
{
    (void)units;
    return left;
}
#else
static inline carillon_base carillon_base_last(carillon_base units, carillon_base left)
{
    if (CARILLON_MODES == 0) {
        return CARILLON_BASE_ORIGIN; /* the cells have just been started */
    }
    const carillon_base passed = carillon_base_later(CARILLON_BASE_ORIGIN, left);
    return carillon_base_later(CARILLON_BASE_ORIGIN, (carillon_base)(passed - (passed % units)));
}
#endif

#ifdef __cplusplus
}
#endif

#else

typedef uint8_t carillon_base; /* no time base: counters count their interrupts */
static inline carillon_base carillon_base_left(void)
{
    return 0u;
}

#endif

#endif
