/* SPDX-License-Identifier: Apache-2.0
 *
 * A cell of the timer array as a one-shot clock: kernel/clock/clock.h says what these operations promise.
 *
 * The reload value is the range of the clock, so that what the counter reads, modulo that, is the ticks to the expiry
 * before and after it.  The store to ADJUST moves the expiry by the same number of ticks whenever it arrives.  It may
 * move the expiry into what has passed by then: the cell expires at once, and no event is lost. */
#ifndef CARILLON_CELL_ARRAY_CLOCK_H
#define CARILLON_CELL_ARRAY_CLOCK_H

#include "cells/array/cell.h"

#define ARRAY_RANGE (UINT32_C(1) << CARILLON_CLOCK_BITS)

static inline uint32_t carillon_device_remaining(void)
{
    return carillon_port_read(ARRAY_COUNTER(CARILLON_CLOCK_CELL)) & (ARRAY_RANGE - 1u);
}

/* The count is from 1 to the range, before and after. */
static inline void carillon_device_shift(uint32_t by)
{
    const uint32_t sum = carillon_port_read(ARRAY_COUNTER(CARILLON_CLOCK_CELL)) + by;
    carillon_port_write(ARRAY_ADJUST(CARILLON_CLOCK_CELL), (sum > ARRAY_RANGE) ? (by - ARRAY_RANGE) : by);
}

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

/* The controller has forgotten the request when the handler begins. */
static inline void carillon_device_acknowledge(void)
{
}

static inline void carillon_device_request(void)
{
    carillon_port_request(CARILLON_CLOCK_SOURCE);
}

#endif
