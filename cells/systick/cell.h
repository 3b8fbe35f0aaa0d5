/* SPDX-License-Identifier: Apache-2.0
 *
 * SysTick, the 24-bit down counter of every Cortex-M. A store to the reload register takes effect when the
 * counter reaches 0.  So the first interval is loaded before the start and the period right after it.
 */
#ifndef CARILLON_CELL_SYSTICK_H
#define CARILLON_CELL_SYSTICK_H

#include "carillon_port.h"

#define SYSTICK_CONTROL UINT32_C(0xE000E010)
#define SYSTICK_RELOAD UINT32_C(0xE000E014)
#define SYSTICK_VALUE UINT32_C(0xE000E018)
#define SYSTICK_ICSR UINT32_C(0xE000ED04)
#define SYSTICK_ICSR_UNPEND (UINT32_C(1) << 25)

/* Processor clock, interrupt, enable. */
#define SYSTICK_RUN 7u

#define SYSTICK_PREPARE(cell, first, period, prescaler) \
    CARILLON_STORE(SYSTICK_RELOAD, (first)-1u), CARILLON_STORE(SYSTICK_VALUE, 0u)
/* What the register reads after reset, but for the bit that says that the counter has been at 0. */
#define SYSTICK_UNTOUCHED(cell, width)   \
    {                                    \
        SYSTICK_CONTROL, SYSTICK_RUN, 0u \
    }
#define SYSTICK_START(cell) CARILLON_STORE(SYSTICK_CONTROL, SYSTICK_RUN)
#define SYSTICK_FINISH(cell, first, period) CARILLON_STORE(SYSTICK_RELOAD, (period)-1u)
#define SYSTICK_LEFT(cell, period) carillon_port_read(SYSTICK_VALUE)
#define SYSTICK_STOP(cell) CARILLON_STORE(SYSTICK_CONTROL, 0u), CARILLON_STORE(SYSTICK_ICSR, SYSTICK_ICSR_UNPEND)

#endif
