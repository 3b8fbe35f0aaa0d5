/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine timer as a compare clock: kernel/clock/clock.h says what these operations promise.
 *
 * The clock counts in the lower half of mtime; an expiry is in the 2^32 ticks from now on.  It comes even if its time
 * passes while it is set. */
#ifndef CARILLON_CELL_MTIME_CLOCK_H
#define CARILLON_CELL_MTIME_CLOCK_H

#include "cells/mtime/cell.h"

static inline uint32_t carillon_device_now(void)
{
    return carillon_port_read(MTIME_LOW);
}

static inline void carillon_device_set(uint32_t at)
{
    const uint64_t now = mtime_now();
    mtime_set(now + (uint32_t)(at - (uint32_t)now));
}

/* Nothing to do where the clock is never disarmed.  An older expiry is forgotten as soon as the next one is set. */
static inline void carillon_device_enable(void)
{
    if (!CARILLON_CLOCK_KEEPS_TIME) {
        carillon_port_enable(CARILLON_CLOCK_SOURCE, CARILLON_SOURCE_BIT(CARILLON_CLOCK_SOURCE));
    }
}

static inline void carillon_device_disarm(void)
{
    carillon_port_hold(CARILLON_CLOCK_SOURCE, CARILLON_SOURCE_BIT(CARILLON_CLOCK_SOURCE));
}

static inline void carillon_device_acknowledge(void)
{
    CARILLON_REGISTER(MTIME_COMPARE_HIGH) = MTIME_NEVER;
}

/* An expiry whose time has passed. */
static inline void carillon_device_request(void)
{
    mtime_set(0u);
}

#endif
