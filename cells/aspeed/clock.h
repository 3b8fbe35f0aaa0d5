/* SPDX-License-Identifier: Apache-2.0
 *
 * An Aspeed timer as a one-shot clock: kernel/clock/clock.h says what these operations promise.
 *
 * The reload value is 2^24.  A counter that gets to 0 begins at the reload value in the same tick.  So what it reads,
 * modulo 2^24, is the ticks to the expiry before and after it.  For the same reason no shift is ever to 0: 2^24 means
 * the same.  (32 bits would do on silicon, but for one tick.  QEMU cannot shift a counter further than the time since
 * power-up, for which the runner makes room by a loop of 2^24 instructions.) */
#ifndef CARILLON_CELL_ASPEED_CLOCK_H
#define CARILLON_CELL_ASPEED_CLOCK_H

#include "cells/aspeed/cell.h"

#if CARILLON_CLOCK_BITS != 24
#error "the clock's reload value is 2^24"
#endif

static inline uint32_t carillon_device_remaining(void)
{
    return carillon_port_read(ASPEED_COUNTER(CARILLON_CLOCK_CELL)) & UINT32_C(0xFFFFFF);
}

/* The store comes five instructions after the load, and the counter runs on by as many ticks.  Nothing may come in
 * between: if it could, interrupts are locked for as long. */
static inline void carillon_device_shift(uint32_t by)
{
    const uint32_t saved = CARILLON_CLOCK_EXPOSED ? carillon_port_lock() : 0u;
    uint32_t scratch;
    __asm__ volatile("ldr %0, [%1]\n\t"
                     "adds %0, %0, %2\n\t"
                     "bics %0, %0, #0xFF000000\n\t"
                     "it eq\n\t"
                     "moveq %0, #0x1000000\n\t"
                     "str %0, [%1]\n\t"
                     : "=&r"(scratch)
                     : "r"(ASPEED_COUNTER(CARILLON_CLOCK_CELL)), "r"(by - 5u)
                     : "cc", "memory");
    if (CARILLON_CLOCK_EXPOSED) {
        carillon_port_unlock(saved);
    }
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
