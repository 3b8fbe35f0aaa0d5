/* SPDX-License-Identifier: Apache-2.0
 *
 * A channel of a 16-bit timer of AVR as a compare clock: kernel/clock/clock.h says what these operations promise.  A
 * one-shot clock is the same here.
 *
 * The counter runs freely and is never written, so that nothing of a tick, nor of the prescaler's count, is ever lost.
 * It is the match that moves, from one expiry to the next.  A match is noticed when the counter has left it, so the
 * register holds one less than the expiry.
 *
 * Registers of 16 bits share a byte in between: the accesses below are locked, as everything of the clock is. */
#ifndef CARILLON_CELL_AVR16_CLOCK_H
#define CARILLON_CELL_AVR16_CLOCK_H

#include "cells/avr16/cell.h"

static inline uint16_t carillon_device_now(void)
{
    return CARILLON_REGISTER_16(AVR16_COUNT(CARILLON_CLOCK_CELL));
}

static inline void carillon_device_set(uint16_t at)
{
    CARILLON_REGISTER_16(AVR16_MATCH(CARILLON_CLOCK_CELL)) = (uint16_t)(at - 1u);
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

/* The processor has forgotten the request when the handler begins. */
static inline void carillon_device_acknowledge(void)
{
}

#endif
