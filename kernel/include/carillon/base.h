/* SPDX-License-Identifier: Apache-2.0
 *
 * The time base: a counter that runs on, whoever holds interrupts back.
 *
 * A tick is an interrupt, and a source has one pending bit: whatever is held back for longer than a tick (by a round's
 * task, a lock, an ISR) finds one request where several ticks have passed.  How many it were is asked here.
 *
 * The base counts down, from CARILLON_BASE_PERIOD, and begins anew; one that counts up is negated.  Its readings are
 * compared by their difference alone.  CARILLON_BASE_PERIOD is 0 where the whole range of the type is counted;
 * elsewhere it is a multiple of every tick that is counted, so that each tick keeps its phase for ever.
 *
 * 1. Whoever counts ticks keeps `at`, what the base read at the last tick that has been counted.
 * 2. The base and the ticking cell are started together and count the same clock, so that when a tick's interrupt is
 *    served, the base is at the tick or after it, and never before.
 * 3. The difference is exact up to CARILLON_BASE_MOST units.  What is more is a reading from before `at`: before the
 *    first tick, between the start of the cells and time 0.
 * 4. A tick that passes while others are counted is either counted with them, and its interrupt then finds nothing to
 *    count, or is left to its interrupt.  None is counted twice or left out.
 *
 * Every function is called locked. */
#ifndef CARILLON_BASE_H
#define CARILLON_BASE_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"

#ifndef CARILLON_BASE_BITS
#define CARILLON_BASE_BITS 0
#endif

#if CARILLON_BASE_BITS > 0

/* CARILLON_BASE_PERIOD; CARILLON_BASE_MOST; CARILLON_BASE_ORIGIN, what the base reads at time 0; and
 * CARILLON_BASE_LEFT, an expression that reads it. */
#include "carillon_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#if CARILLON_BASE_BITS <= 16
typedef uint16_t carillon_base;
#else
typedef uint32_t carillon_base;
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

/* Ticks of `units` that have passed since `at`. */
static inline carillon_base carillon_base_ticks(carillon_base at, carillon_base units)
{
    const carillon_base left = carillon_base_left();
    carillon_base passed = (carillon_base)(at - left);
    if (left > at) {
        passed = (carillon_base)(passed + CARILLON_BASE_PERIOD);
    }
    return ((passed < units) || (passed > CARILLON_BASE_MOST)) ? 0u : (carillon_base)(passed / units);
}

/* Has exactly one tick passed since `at`?  It may say no although one has, where the base has begun anew. */
static inline bool carillon_base_one(carillon_base at, carillon_base units)
{
    const carillon_base passed = (carillon_base)(at - carillon_base_left());
    return (carillon_base)(passed - units) < units;
}

/* The last tick until now, of those that are counted from time 0 on. */
static inline carillon_base carillon_base_last(carillon_base units)
{
#if CARILLON_MODES > 0
    const carillon_base passed = carillon_base_later(CARILLON_BASE_ORIGIN, carillon_base_left());
    return carillon_base_later(CARILLON_BASE_ORIGIN, (carillon_base)(passed - (passed % units)));
#else
    (void)units;
    return CARILLON_BASE_ORIGIN; /* the cells have just been started */
#endif
}

#ifdef __cplusplus
}
#endif

#endif

#endif
