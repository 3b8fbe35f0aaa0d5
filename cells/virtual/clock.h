/* SPDX-License-Identifier: Apache-2.0
 *
 * A virtual cell as a one-shot or a compare clock: kernel/clock/clock.h says what these operations promise.
 *
 * The reload value is the range of the clock, so that what the down counter reads, modulo that, is the ticks to the
 * expiry before and after it.  As a compare clock the same cell counts upwards (VIRTUAL_UP). */
#ifndef CARILLON_CELL_VIRTUAL_CLOCK_H
#define CARILLON_CELL_VIRTUAL_CLOCK_H

#include "cells/virtual/cell.h"

#define VIRTUAL_RANGE (UINT32_C(1) << CARILLON_CLOCK_BITS)

#if CARILLON_CLOCK == CARILLON_CLOCK_ONE_SHOT
static inline uint32_t carillon_device_remaining(void)
{
    return carillon_port_read(VIRTUAL_COUNTER(CARILLON_CLOCK_CELL)) & (VIRTUAL_RANGE - 1u);
}

static inline void carillon_device_shift(uint32_t by)
{
    const uint32_t sum = (carillon_device_remaining() + by) & (VIRTUAL_RANGE - 1u);
    carillon_port_write(VIRTUAL_COUNTER(CARILLON_CLOCK_CELL), (sum == 0u) ? VIRTUAL_RANGE : sum);
}
#else
static inline uint32_t carillon_device_now(void)
{
    return carillon_port_read(VIRTUAL_UP(CARILLON_CLOCK_CELL));
}

static inline void carillon_device_set(uint32_t at)
{
    carillon_port_write(VIRTUAL_MATCH(CARILLON_CLOCK_CELL), at);
}
#endif

/* Nothing to do where the clock is never disarmed. */
static inline void carillon_device_enable(void)
{
    if (!CARILLON_CLOCK_KEEPS_TIME) {
        carillon_port_arm(CARILLON_CLOCK_SOURCE, CARILLON_SOURCE_BIT(CARILLON_CLOCK_SOURCE));
    }
}

static inline void carillon_device_disarm(void)
{
    carillon_port_hold(CARILLON_CLOCK_SOURCE, CARILLON_SOURCE_BIT(CARILLON_CLOCK_SOURCE));
}

static inline void carillon_device_acknowledge(void)
{
}

static inline void carillon_device_request(void)
{
    carillon_port_request(CARILLON_CLOCK_SOURCE);
}

#endif
