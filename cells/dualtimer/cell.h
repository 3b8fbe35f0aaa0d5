/* SPDX-License-Identifier: Apache-2.0
 *
 * ARM SP804-like dual timer of the CMSDK: two 32-bit down counters that share an interrupt.  The
 * background load is the interval after the running one.
 */
#ifndef CARILLON_CELL_DUALTIMER_H
#define CARILLON_CELL_DUALTIMER_H

#include "carillon_port.h"

#define DUALTIMER_BASE(cell) (UINT32_C(0x40002000) + 0x20u * (cell))
#define DUALTIMER_LOAD(cell) DUALTIMER_BASE(cell)
#define DUALTIMER_CONTROL(cell) (DUALTIMER_BASE(cell) + 0x8u)
#define DUALTIMER_CLEAR(cell) (DUALTIMER_BASE(cell) + 0xCu)
#define DUALTIMER_BACKGROUND(cell) (DUALTIMER_BASE(cell) + 0x18u)

/* Periodic, interrupt, 32 bits. */
#define DUALTIMER_SETTING 0x62u
#define DUALTIMER_ENABLE 0x80u

#define DUALTIMER_PREPARE(cell, first, period, prescaler)                                                     \
    {DUALTIMER_CONTROL(cell), DUALTIMER_SETTING}, {DUALTIMER_LOAD(cell), (first)-1u},              \
        {DUALTIMER_BACKGROUND(cell), (period)-1u}
#define DUALTIMER_START(cell)                                                                      \
    {                                                                                              \
        DUALTIMER_CONTROL(cell), DUALTIMER_SETTING | DUALTIMER_ENABLE                              \
    }
#define DUALTIMER_STOP(cell) {DUALTIMER_CONTROL(cell), 0u}, {DUALTIMER_CLEAR(cell), 1u}

static inline void dualtimer_acknowledge(uint32_t cell)
{
    carillon_port_write(DUALTIMER_CLEAR(cell), 1u);
}

#endif
