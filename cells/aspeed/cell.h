/* SPDX-License-Identifier: Apache-2.0
 *
 * Aspeed timers (AST1030, AST2x00): eight 32-bit down counters with reload, started together by one store.
 *
 * A start begins at the reload value, so a cell starts at its period and its running counter is then
 * shifted to its offset.  A counter must never be shifted to 0 or below: the emulator's line inverts and
 * storms, and silicon would wait for a wrap.
 */
#ifndef CARILLON_CELL_ASPEED_H
#define CARILLON_CELL_ASPEED_H

#include "carillon_port.h"

#define ASPEED_TIMERS UINT32_C(0x7E782000)
#define ASPEED_CONTROL (ASPEED_TIMERS + 0x30u)
#define ASPEED_CONTROL_CLEAR (ASPEED_TIMERS + 0x3Cu)

/* Cells 0 to 7 are TMR1 to TMR8; the control registers lie between TMR3 and TMR4. */
#define ASPEED_COUNTER(cell) (ASPEED_TIMERS + 0x10u * ((cell) < 3u ? (cell) : (cell) + 1u))
#define ASPEED_RELOAD(cell) (ASPEED_COUNTER(cell) + 4u)

/* Enable, and an interrupt at the end; clocked by the APB. */
#define ASPEED_BIT(cell) (UINT32_C(5) << (4u * (cell)))

#define ASPEED_PREPARE(cell, first, period, prescaler) CARILLON_STORE(ASPEED_RELOAD(cell), (period))
/* What the counter reads, plus the time, for a cell that expires at `offset`. */
#define ASPEED_PHASE(offset) (offset)
#define ASPEED_START(bits) CARILLON_STORE(ASPEED_CONTROL, (bits))
#define ASPEED_STOP(cell) CARILLON_STORE(ASPEED_CONTROL_CLEAR, ASPEED_BIT(cell))
/* carillon_port_align stores two instructions after it loads. */
#define ASPEED_ALIGN(cell, first, period) \
    CARILLON_SHIFT(ASPEED_COUNTER(cell), (uint32_t)(first) - (uint32_t)(period)-2u)

/* A step of a multiplexed cell that would count `period` by itself.  aspeed_rearm stores three
 * instructions after it loads. */
#define ASPEED_REARM_REGISTER(cell) ASPEED_COUNTER(cell)
#define ASPEED_INTERVAL(interval, period) ((uint32_t)(interval) - (uint32_t)(period)-3u)
/* The same for a deadline, moved before it expires: nothing was counted by itself. */
#define ASPEED_POSTPONE(interval) ((uint32_t)(interval)-3u)

/* Shift the counter of a multiplexed cell to its next point.
 *
 * The counter runs on between its load and its store, so nothing may interrupt them.  If the sum is not
 * positive, the point has passed already: the loop at 2 skips to the first that has not, so that a task
 * that overruns loses activations but never its cell.  A skipped interval was not counted by the cell, so
 * the reload value and the allowance in its step are added back.
 */
static inline void aspeed_rearm(struct carillon_multiplex *multiplex)
{
    __asm__ volatile("ldrd r1, r3, [%0]\n\t"
                     "ldrd r1, r2, [r1]\n\t"
                     "str r1, [%0]\n\t"
                     "cpsid i\n\t"
                     "ldr r1, [r3]\n\t"
                     "adds r1, r1, r2\n\t"
                     "ble 2f\n\t"
                     "str r1, [r3]\n"
                     "1:\n\t"
                     "cpsie i\n\t"
                     ".subsection 1\n"
                     "2:\n\t"
                     "ldr r1, [%0]\n\t"
                     "ldr r12, [r1]\n\t"
                     "str r12, [%0]\n\t"
                     "ldr r12, [r1, #4]\n\t"
                     "add r2, r2, r12\n\t"
                     "ldr r12, [r3, #4]\n\t"
                     "add r2, r2, r12\n\t"
                     "add r2, r2, #3\n\t"
                     "ldr r1, [r3]\n\t"
                     "adds r1, r1, r2\n\t"
                     "ble 2b\n\t"
                     "str r1, [r3]\n\t"
                     "b 1b\n\t"
                     ".previous\n"
                     :
                     : "r"(multiplex)
                     : "r1", "r2", "r3", "r12", "cc", "memory");
}

/* Postpone the counter of a multiplexed deadline, which has not expired, to its next point. */
static inline void aspeed_postpone(struct carillon_multiplex *multiplex)
{
    __asm__ volatile("ldrd r1, r3, [%0]\n\t"
                     "ldrd r1, r2, [r1]\n\t"
                     "str r1, [%0]\n\t"
                     "cpsid i\n\t"
                     "ldr r1, [r3]\n\t"
                     "add r1, r1, r2\n\t"
                     "nop\n\t"
                     "str r1, [r3]\n\t"
                     "cpsie i\n\t"
                     :
                     : "r"(multiplex)
                     : "r1", "r2", "r3", "cc", "memory");
}

#endif
