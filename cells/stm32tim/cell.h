/* SPDX-License-Identifier: Apache-2.0
 *
 * General-purpose and advanced timers of STM32 (RM0090, chapters 17 and 18): counters of 16 or 32 bits with a
 * prescaler. A cell is a timer that counts down; it expires a unit after it has read 0, by its update event.
 *
 * Nothing here depends on how long an instruction takes:
 *
 * 1. One store starts all cells.  They are slaves in trigger mode, and their trigger is the output reference of channel
 *    1 of another timer, the starter (starter.h).  The slaves begin as many cycles of the timers' clock after the
 *    store as the synchronisation takes, which is the same for all whose buses have one clock.
 *    What runs already is not touched: a trigger starts a counter that stands still.  So a round and what runs
 *    beneath it are started one after the other, each prepared before its own start.
 * 2. The reload register is preloaded: what it gets while the counter runs holds from the next update event on.  So the
 *    first interval is loaded by a forced update (UG), and the interval after it is stored before the start.
 * 3. The interrupt is a level: a request stands until its flag is cleared.  A flag is set whether DIER lets it be a
 *    request or not.  So arming clears it first.
 * 4. The counter may be written while it counts (18.4.10).  The prescaler goes on meanwhile, so that what is left of a
 *    budget is a unit less at most after each preemption.
 *
 * An interval has two units at least: a counter whose reload value is 0 stands still.
 */
#ifndef CARILLON_CELL_STM32TIM_H
#define CARILLON_CELL_STM32TIM_H

#include "carillon_board.h"
#include "carillon_port.h"
#include "cells/stm32tim/starter.h"

/* carillon_board.h says where a cell has its timer (STM32TIM_BASE), and where the starter is (STM32TIM_STARTER).
 * STM32TIM_SLAVE makes the timer a slave of the starter: trigger mode, and the internal trigger that the starter is. */
#define STM32TIM_CR1(cell) STM32TIM_BASE(cell)
#define STM32TIM_SMCR(cell) (STM32TIM_BASE(cell) + 0x08u)
#define STM32TIM_DIER(cell) (STM32TIM_BASE(cell) + 0x0Cu)
#define STM32TIM_SR(cell) (STM32TIM_BASE(cell) + 0x10u)
#define STM32TIM_EGR(cell) (STM32TIM_BASE(cell) + 0x14u)
#define STM32TIM_COUNTER(cell) (STM32TIM_BASE(cell) + 0x24u)
#define STM32TIM_PSC(cell) (STM32TIM_BASE(cell) + 0x28u)
#define STM32TIM_ARR(cell) (STM32TIM_BASE(cell) + 0x2Cu)

#define STM32TIM_UP 0x04u   /* URS: up, and the reload register is in force at once */
#define STM32TIM_DOWN 0x94u /* ARPE, DIR and URS: down, with a preloaded reload register; UG sets no flag */
#define STM32TIM_UPDATE 1u  /* UIE, UIF and UG */
#define STM32TIM_ANSWERED (~UINT32_C(1)) /* of SR: UIF is cleared */

#define STM32TIM_BIT(cell) (UINT32_C(1) << (cell))

#define STM32TIM_PREPARE(cell, first, period, prescaler)                                                               \
    STM32TIM_STARTER_PREPARE(STM32TIM_STARTER(0u)), CARILLON_STORE(STM32TIM_CR1(cell), STM32TIM_DOWN),                 \
        CARILLON_STORE(STM32TIM_SMCR(cell), STM32TIM_SLAVE(cell)), CARILLON_STORE(STM32TIM_PSC(cell), (prescaler)-1u), \
        CARILLON_STORE(STM32TIM_ARR(cell), (first)-1u), CARILLON_STORE(STM32TIM_EGR(cell), STM32TIM_UPDATE),           \
        CARILLON_STORE(STM32TIM_ARR(cell), (period)-1u), CARILLON_STORE(STM32TIM_SR(cell), 0u),                        \
        CARILLON_STORE(STM32TIM_DIER(cell), STM32TIM_UPDATE)
/* The sync cell of a round whose other cells are matches: it counts up, and so has a length that can be changed. */
#define STM32TIM_SYNC_PREPARE(cell, first, period, prescaler)                                                          \
    STM32TIM_STARTER_PREPARE(STM32TIM_STARTER(0u)), CARILLON_STORE(STM32TIM_CR1(cell), STM32TIM_UP),                   \
        CARILLON_STORE(STM32TIM_SMCR(cell), STM32TIM_SLAVE(cell)), CARILLON_STORE(STM32TIM_PSC(cell), (prescaler)-1u), \
        CARILLON_STORE(STM32TIM_ARR(cell), (period)-1u), CARILLON_STORE(STM32TIM_EGR(cell), STM32TIM_UPDATE),          \
        CARILLON_STORE(STM32TIM_COUNTER(cell), (period) - (first)), CARILLON_STORE(STM32TIM_SR(cell), 0u),             \
        CARILLON_STORE(STM32TIM_DIER(cell), STM32TIM_UPDATE)
#define STM32TIM_SYNC_LENGTH(cell) STM32TIM_ARR(cell)
/* A cell that is armed later: a deadline, or the control cell. */
#define STM32TIM_HOLD(cell) CARILLON_STORE(STM32TIM_DIER(cell), 0u)
#define STM32TIM_START(bits) STM32TIM_STARTER_START(STM32TIM_STARTER(0u), (bits))
/* The same by another timer, whose trigger the starter waits for from the second on: so many ticks behind it. */
#define STM32TIM_TRIGGER_PREPARE(delay) STM32TIM_STARTER_WAIT(STM32TIM_STARTER(0u), (delay))
#define STM32TIM_TRIGGER_START(select) STM32TIM_STARTER_LET(STM32TIM_STARTER(0u), (select))
#define STM32TIM_STOP(cell)                                                          \
    CARILLON_STORE(STM32TIM_CR1(cell), 0u), CARILLON_STORE(STM32TIM_SMCR(cell), 0u), \
        CARILLON_STORE(STM32TIM_DIER(cell), 0u), CARILLON_STORE(STM32TIM_SR(cell), 0u)
/* What the registers read after reset.  If the timer's clock is off, its reload register reads 0. */
#define STM32TIM_UNTOUCHED(cell, width)                                                                         \
    {STM32TIM_CR1(cell), UINT32_MAX, 0u}, {STM32TIM_SMCR(cell), UINT32_MAX, 0u},                                \
        {STM32TIM_DIER(cell), UINT32_MAX, 0u}, {STM32TIM_ARR(cell), UINT32_MAX, UINT32_MAX >> (32u - (width))}, \
        {STM32TIM_STARTER(cell) + 0x2Cu, UINT32_MAX, UINT32_MAX},                                               \
        {STM32TIM_STARTER_CR2(STM32TIM_STARTER(0u)), UINT32_MAX, 0u},                                           \
    {                                                                                                           \
        STM32TIM_STARTER_CCMR1(STM32TIM_STARTER(0u)), UINT32_MAX, 0u                                            \
    }
/* Where its counter is made to run after a reset, by what, and where it is read. */
#define STM32TIM_MEASURED(cell) STM32TIM_CR1(cell), 1u, STM32TIM_COUNTER(cell)
#define STM32TIM_LEFT(cell, period) (carillon_port_read(STM32TIM_COUNTER(cell)) + 1u)
/* What the counter reads, plus the time, for a cell that expires at `offset`: it reads 0 in the unit before. */
#define STM32TIM_PHASE(offset) ((offset)-1u)

/* A handler may return at once: the line has been let go by then.  A flag is cleared by a 0, and left by a 1.  The
 * value stored is a constant of its own.  The compiler would take a 0 from a variable that it knows to be 0.  That
 * would be the same store, but the image would not show it. */
static inline void stm32tim_acknowledge(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    carillon_port_write(STM32TIM_SR(cell), STM32TIM_ANSWERED);
    carillon_port_settle();
}

static inline void stm32tim_arm(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    carillon_port_write(STM32TIM_SR(cell), STM32TIM_ANSWERED);
    carillon_port_write(STM32TIM_DIER(cell), STM32TIM_UPDATE);
}

/* As carillon_port_disarm: a deadline does not interrupt after its task was counted as ended. */
static inline void stm32tim_disarm(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    carillon_port_write(STM32TIM_DIER(cell), 0u);
    carillon_port_barrier();
}

#endif
