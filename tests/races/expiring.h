/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweeps the expiry of a cell, EXPIRING_CELL, over what a task does between arm_expiry and disarm_expiry (sweep.h). */
#ifndef EXPIRING_H
#define EXPIRING_H

#include "sweep.h"

static void wrong(unsigned what);

/* The driver's timer tells whether the cell has expired between `arm` and `disarm`. */
static volatile uint32_t ahead;

static uint32_t until_expiry(void)
{
    return CARILLON_REGISTER(ASPEED_COUNTER(EXPIRING_CELL)) & UINT32_C(0xFFFFFF);
}

static void arm_expiry(void)
{
    CARILLON_REGISTER(ASPEED_RELOAD(CELL)) = UINT32_C(0x1000000);
    const uint32_t left = until_expiry();
    CARILLON_REGISTER(ASPEED_CONTROL(0u)) |= ASPEED_BIT(CELL);
    ahead = UINT32_C(0x1000000) - left;
    if (left < (STATE->instruction + 100u)) {
        wrong(2u); /* no room for a longer sweep */
    }
    carillon_port_delay(left + MARGIN - STATE->instruction);
    armed = 1u;
}

static void disarm_expiry(void)
{
    if ((armed != 0u) && (CARILLON_REGISTER(ASPEED_COUNTER(CELL)) < ahead)) {
        interfered = 1u;
        STATE->swept++;
    }
    armed = 0u;
}

#endif
