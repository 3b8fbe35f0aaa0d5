/* SPDX-License-Identifier: Apache-2.0
 *
 * A CMSDK timer as a one-shot clock that restarts: kernel/clock/clock.h says what these operations promise.
 *
 * The counter is loaded without its reload value, which is 2^31 - 1: after 0 it reads that, which is -1.  A tick is
 * several instructions, so what passes between reading and loading is no whole number of ticks.  Each expiry is off by
 * a part of a tick: the third cause of drift of the RELTEQ paper. */
#ifndef CARILLON_CELL_CMSDK_CLOCK_H
#define CARILLON_CELL_CMSDK_CLOCK_H

#include "cells/cmsdk/cell.h"

static inline uint32_t carillon_device_remaining(void)
{
    return carillon_port_read(CMSDK_COUNTER(CARILLON_CLOCK_CELL));
}

static inline void carillon_device_load(uint32_t ticks)
{
    carillon_port_write(CMSDK_COUNTER(CARILLON_CLOCK_CELL), ticks);
}

/* Nothing to do where the clock is never disarmed; a masked timer does not remember an expiry. */
static inline void carillon_device_enable(void)
{
    if (!CARILLON_CLOCK_KEEPS_TIME) {
        cmsdk_arm(CARILLON_CLOCK_CELL);
    }
}

static inline void carillon_device_disarm(void)
{
    cmsdk_disarm(CARILLON_CLOCK_CELL);
}

static inline void carillon_device_acknowledge(void)
{
    cmsdk_acknowledge(CARILLON_CLOCK_CELL);
}

static inline void carillon_device_request(void)
{
    carillon_port_request(CARILLON_CLOCK_SOURCE);
}

#endif
