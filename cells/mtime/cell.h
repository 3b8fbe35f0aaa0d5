/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine timer of RISC-V: mtime, a counter of 64 bits that never stops, and one register that it is compared with.
 * It asks for an interrupt as long as mtime is not less than mtimecmp, so that an expiry whose time has passed comes
 * at once, and none is lost.
 *
 * A start sets mtime to 0, and the cell's first expiry is in mtimecmp by then.  The device has no reload: acknowledging
 * adds the period, and re-arming a multiplexed cell adds the next interval. */
#ifndef CARILLON_CELL_MTIME_H
#define CARILLON_CELL_MTIME_H

#include "carillon_port.h"

#define MTIME_LOW CARILLON_MTIME
#define MTIME_HIGH (CARILLON_MTIME + 4u)
#define MTIME_COMPARE_LOW CARILLON_MTIMECMP
#define MTIME_COMPARE_HIGH (CARILLON_MTIMECMP + 4u)
#define MTIME_NEVER UINT32_C(0xFFFFFFFF)
#define MTIME_SOURCE 7u
/* As a time base: what has been counted since the start, modulo 2^32. */
#define MTIME_FREE carillon_port_read(MTIME_LOW)

/* The lower halves alone: no period is half of their range. */
#define MTIME_LEFT(cell, period) (carillon_port_read(MTIME_COMPARE_LOW) - MTIME_FREE)

/* The period, in one place whichever files include this. */
extern uint32_t mtime_period;
__attribute__((weak)) uint32_t mtime_period;

#define MTIME_PREPARE(cell, first, period, prescaler)                               \
    CARILLON_STORE((carillon_address)(uintptr_t)&mtime_period, (uint32_t)(period)), \
        CARILLON_STORE(MTIME_COMPARE_LOW, (uint32_t)(first)),                       \
        CARILLON_STORE(MTIME_COMPARE_HIGH, (uint32_t)((uint64_t)(first) >> 32)), CARILLON_STORE(MTIME_HIGH, 0u)
#define MTIME_START(cell) CARILLON_STORE(MTIME_LOW, 0u)
#define MTIME_STOP(cell) CARILLON_STORE(MTIME_COMPARE_HIGH, MTIME_NEVER)

/* The upper half is read before and after the lower one: if it is the same, so it was in between. */
static inline uint64_t mtime_now(void)
{
    uint32_t high;
    uint32_t low;
    do { /* again once in 2^32 ticks */
        high = carillon_port_read(MTIME_HIGH);
        low = carillon_port_read(MTIME_LOW);
    } while (carillon_port_read(MTIME_HIGH) != high);
    return ((uint64_t)high << 32) | low;
}

static inline uint64_t mtime_compare(void)
{
    return ((uint64_t)carillon_port_read(MTIME_COMPARE_HIGH) << 32) | carillon_port_read(MTIME_COMPARE_LOW);
}

/* Neither half alone makes a time that has passed.
 *
 * 1. The request falls some time after the store, the privileged specification says no more.  A handler that returns
 *    before is entered again and takes one expiry for two.
 * 2. So this waits until the request has fallen.
 * 3. It waits no longer than until `at`: then the request is due anew, whether it has fallen or not. */
static inline void mtime_set(uint64_t at)
{
    CARILLON_REGISTER(MTIME_COMPARE_HIGH) = MTIME_NEVER;
    CARILLON_REGISTER(MTIME_COMPARE_LOW) = (uint32_t)at;
    CARILLON_REGISTER(MTIME_COMPARE_HIGH) = (uint32_t)(at >> 32);
    while (carillon_port_is_pending(MTIME_SOURCE) && (mtime_now() < at)) {
    }
}

/* Expiries that have passed are one request, that which is being served. */
static inline void mtime_acknowledge(uint32_t cell)
{
    (void)cell;
    const uint64_t now = mtime_now();
    uint64_t at = mtime_compare();
    do { /* bounded by the periods that the handler is late */
        at += mtime_period;
    } while (at <= now);
    mtime_set(at);
}

#define MTIME_REARM_REGISTER(cell) MTIME_COMPARE_LOW
#define MTIME_INTERVAL(interval, period) ((uint32_t)(interval))

/* Re-arming acknowledges, too: the interval counts from the point that is served. */
static inline void mtime_rearm(struct carillon_multiplex *multiplex)
{
    const uint64_t now = mtime_now();
    const struct carillon_step *step = multiplex->next;
    uint64_t at = mtime_compare() + step->interval;
    while (at <= now) { /* passed already: bounded by the points that the handler is late */
        step = step->next;
        at += step->interval;
    }
    multiplex->next = step->next;
    mtime_set(at);
}

#endif
