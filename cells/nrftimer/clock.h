/* SPDX-License-Identifier: Apache-2.0
 *
 * A channel of a timer of nRF51 or nRF52 as a compare clock: kernel/clock/clock.h says what these operations promise.
 * A one-shot clock is the same here.
 *
 * The counter runs freely and is never written.  It is the match that moves, from one expiry to the next. */
#ifndef CARILLON_CELL_NRFTIMER_CLOCK_H
#define CARILLON_CELL_NRFTIMER_CLOCK_H

#include "cells/nrftimer/cell.h"

static inline uint16_t carillon_device_now(void)
{
    return (uint16_t)nrftimer_now(NRFTIMER_MATCH(CARILLON_CLOCK_CELL));
}

static inline void carillon_device_set(uint16_t at)
{
    CARILLON_REGISTER(NRFTIMER_MATCH(CARILLON_CLOCK_CELL)) = at;
}

/* Nothing to do where the clock is never disarmed. */
static inline void carillon_device_enable(void)
{
    if (!CARILLON_CLOCK_KEEPS_TIME) {
        carillon_port_write(NRFTIMER_EVENT(CARILLON_CLOCK_CELL), 0u);
        carillon_port_write(NRFTIMER_TIMER(CARILLON_CLOCK_CELL) + NRFTIMER_ENABLE, NRFTIMER_MASK(CARILLON_CLOCK_CELL));
    }
}

static inline void carillon_device_disarm(void)
{
    nrftimer_disarm(CARILLON_CLOCK_CELL);
}

static inline void carillon_device_acknowledge(void)
{
    carillon_port_write(NRFTIMER_EVENT(CARILLON_CLOCK_CELL), 0u);
    (void)carillon_port_read(NRFTIMER_EVENT(CARILLON_CLOCK_CELL)); /* which makes sure that the store has arrived */
}

#endif
