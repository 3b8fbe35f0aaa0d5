/* SPDX-License-Identifier: Apache-2.0
 *
 * A compare channel of a 32-bit timer of STM32 as a compare clock: kernel/clock/clock.h says what these operations
 * promise. A one-shot clock is the same here.
 *
 * The counter runs freely and is never written.  It is the match that moves, from one expiry to the next. */
#ifndef CARILLON_CELL_STM32MATCH_CLOCK_H
#define CARILLON_CELL_STM32MATCH_CLOCK_H

#include "cells/stm32match/cell.h"

static inline uint32_t carillon_device_now(void)
{
    return stm32match_now(STM32MATCH_MATCH(CARILLON_CLOCK_CELL));
}

static inline void carillon_device_set(uint32_t at)
{
    CARILLON_REGISTER(STM32MATCH_MATCH(CARILLON_CLOCK_CELL)) = at;
}

static inline void carillon_device_acknowledge(void)
{
    carillon_port_write(STM32MATCH_BASE(CARILLON_CLOCK_CELL) + STM32MATCH_SR,
                        STM32MATCH_ANSWERED(STM32MATCH_PLACE(CARILLON_CLOCK_CELL)));
    carillon_port_settle();
}

/* Nothing to do where the clock is never disarmed. */
static inline void carillon_device_enable(void)
{
    if (!CARILLON_CLOCK_KEEPS_TIME) {
        carillon_device_acknowledge();
        carillon_port_write(STM32MATCH_LETS(CARILLON_CLOCK_CELL), 1u);
    }
}

static inline void carillon_device_disarm(void)
{
    stm32match_disarm(CARILLON_CLOCK_CELL);
}

#endif
