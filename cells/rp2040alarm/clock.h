/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm of the RP2040 as a compare clock: kernel/clock/clock.h says what these operations promise.  A one-shot clock
 * is the same here.
 *
 * The counter runs freely and is never written.  The clock counts from what it read at the start.  It is the alarm that
 * moves, from one expiry to the next. */
#ifndef CARILLON_CELL_RP2040ALARM_CLOCK_H
#define CARILLON_CELL_RP2040ALARM_CLOCK_H

#include "cells/rp2040alarm/cell.h"

static inline uint32_t carillon_device_now(void)
{
    return RP2040ALARM_FREE;
}

static inline void carillon_device_set(uint32_t at)
{
    CARILLON_REGISTER(RP2040ALARM_ALARM(CARILLON_CLOCK_CELL)) = at + carillon_port_epoch;
}

/* Nothing to do where the clock is never disarmed. */
static inline void carillon_device_enable(void)
{
    if (!CARILLON_CLOCK_KEEPS_TIME) {
        carillon_port_write(RP2040ALARM_RAW, RP2040ALARM_BIT(CARILLON_CLOCK_CELL));
        carillon_port_write(RP2040ALARM_SET(RP2040ALARM_ENABLE), RP2040ALARM_BIT(CARILLON_CLOCK_CELL));
    }
}

static inline void carillon_device_disarm(void)
{
    rp2040alarm_disarm(CARILLON_CLOCK_CELL);
}

static inline void carillon_device_acknowledge(void)
{
    carillon_port_write(RP2040ALARM_RAW, RP2040ALARM_BIT(CARILLON_CLOCK_CELL));
}

#endif
