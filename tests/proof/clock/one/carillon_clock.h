/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer, as the clock's proofs have it: before and after each access, its counter moves on by anything up to JUMP.
 * Its true time is wider than the counter, and nothing of the clock sees it. */
#ifndef CARILLON_CLOCK_DEVICE_H
#define CARILLON_CLOCK_DEVICE_H

#include "proof.h"

#ifndef JUMP
#define JUMP 3u
#endif

#if CARILLON_CLOCK_BITS <= 8
typedef uint16_t true_time;
#else
typedef uint32_t true_time;
#endif
#define TURN ((true_time)CARILLON_CLOCK_MASK + 1u) /* of the counter */

static true_time now;
static true_time expiry; /* the next */
static bool enabled;     /* expiries ask for the handler */
static bool asked;       /* one has, and its handler has not begun */

static inline void passes(void)
{
    const true_time by = (true_time)nondet_uint();
    assume(by <= JUMP);
    now = (true_time)(now + by);
    if (expiry <= now) { /* once at most, as JUMP is less than a turn */
        asked = asked || enabled;
        expiry = (true_time)(expiry + TURN);
    }
}

/* Expire when the counter gets to `at`.  What is less than CARILLON_CLOCK_MINIMUM ahead is seen a turn later. */
static inline void expires_at(carillon_count at)
{
    passes();
    const true_time ahead = (true_time)((at - now) & CARILLON_CLOCK_MASK);
    expiry = (true_time)(now + ahead + ((ahead < CARILLON_CLOCK_MINIMUM) ? TURN : 0u));
    passes();
}

#if CARILLON_CLOCK == CARILLON_CLOCK_COMPARE
static inline carillon_count carillon_device_now(void)
{
    passes();
    const carillon_count count = (carillon_count)(now & CARILLON_CLOCK_MASK);
    passes();
    return count;
}
static inline void carillon_device_set(carillon_count at)
{
    expires_at(at);
}
#else
static true_time zero; /* where the counter is 0, modulo a turn */
static inline carillon_count carillon_device_remaining(void)
{
    passes();
    const carillon_count count = (carillon_count)((zero - now) & CARILLON_CLOCK_MASK);
    passes();
    return count;
}
#if CARILLON_CLOCK_RESTARTS
/* From load to store exactly CARILLON_CLOCK_COST pass: where they do not, the clock drifts by the difference. */
static true_time read_at;
static inline void carillon_device_load(carillon_count ticks)
{
    now = (true_time)(read_at + CARILLON_CLOCK_COST);
    zero = (true_time)(now + ticks);
    expiry = zero;
}
#else
static inline void carillon_device_shift(carillon_count by)
{
    zero = (true_time)(zero + by);
    expires_at((carillon_count)(zero & CARILLON_CLOCK_MASK));
}
#endif
#endif

static inline void carillon_device_enable(void)
{
    enabled = true;
}
static inline void carillon_device_disarm(void)
{
    enabled = false;
}
static inline void carillon_device_acknowledge(void)
{
    asked = false;
}
#if CARILLON_CLOCK_REQUESTS
static inline void carillon_device_request(void)
{
    asked = true;
}
#endif

#endif
