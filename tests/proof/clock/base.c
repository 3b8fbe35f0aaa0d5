/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic of the time base, whose readings count down and begin anew: what is told is what has passed. */
#include "proof.h"

#include "kernel/clock/base.h"

#define TURN ((CARILLON_BASE_PERIOD == 0u) ? (UINT64_C(1) << CARILLON_BASE_BITS) : (uint64_t)CARILLON_BASE_PERIOD)

/* A reading, and what the base reads `units` later. */
#ifndef TICK
#define TICK 1u
#endif

static carillon_base at;
static uint64_t units;
static carillon_base left;

static void any_readings(uint64_t most)
{
    at = (carillon_base)nondet_uint();
    assume(at < TURN);
    units = nondet_uint();
    assume(units <= most);
    left = (carillon_base)((at >= units) ? (at - units) : (at + TURN - units));
}

static void later(void)
{
    any_readings(TURN - 1u);
    assert(carillon_base_later(at, (carillon_base)units) == left);
    assert(carillon_base_past(at, left) == units);
}

/* Ticks that have passed are counted, and the next count goes on where this one ended: none twice, none left out. */
static void ticks(void)
{
    any_readings(TURN - 1u);
    const carillon_base tick = TICK; /* a constant: a solver divides by nothing else in minutes */
    reading = left;
    const carillon_base count = carillon_base_ticks(at, tick);
    if (units > CARILLON_BASE_MOST) {
        assert((count == 0u) && (carillon_base_units_until(at, left) == 0u)); /* `at` has not been reached */
        return;
    }
    const uint64_t counted = (uint64_t)count * tick;
    assert((counted <= units) && (units - counted < tick));
    const carillon_base next = carillon_base_later(at, (carillon_base)counted);
    assert(carillon_base_units_until(next, left) == units - counted);
}

/* If it says that exactly one tick has passed, that is so. */
static void one(void)
{
    any_readings(CARILLON_BASE_MOST);
    const carillon_base tick = (carillon_base)any(1u, LONGEST_TICK);
    reading = left;
    if (carillon_base_one(at, tick)) {
        assert((units >= tick) && (units < 2u * (uint64_t)tick));
    }
}

/* So many ticks ahead, whoever looks is in time: at most AHEAD units, or a tick. */
static void ahead(void)
{
    const carillon_base tick = (carillon_base)any(1u, LONGEST_TICK);
    const carillon_base count = carillon_base_ticks_ahead(tick);
    assert(count >= 1u);
    assert((count == 1u) || ((uint64_t)count * tick <= CARILLON_BASE_AHEAD));
}

int main(void)
{
    STEP();
    THE_END;
}
