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

#include "carillon_board.h"
#include "carillon_port.h"

/* carillon_board.h says where a cell has its ASPEED_COUNTER, and where all have their ASPEED_CONTROL. */
#define ASPEED_CONTROL_CLEAR (ASPEED_CONTROL(0u) + 0xCu)
#define ASPEED_RELOAD(cell) (ASPEED_COUNTER(cell) + 4u)

/* Enable, and an interrupt at the end; clocked by the APB. */
#define ASPEED_BIT(cell) (UINT32_C(5) << (4u * (cell)))

#define ASPEED_PREPARE(cell, first, period, prescaler) CARILLON_STORE(ASPEED_RELOAD(cell), (period))
/* What the counter reads, plus the time, for a cell that expires at `offset`. */
#define ASPEED_PHASE(offset) (offset)
#define ASPEED_START(bits) CARILLON_STORE(ASPEED_CONTROL(0u), (bits))
#define ASPEED_RESTART(bits) ASPEED_START(bits)
/* A cell's part of the control register, which a store replaces as a whole. */
#define ASPEED_KEEP(cell) CARILLON_STORE(ASPEED_CONTROL(0u), UINT32_C(15) << (4u * (cell)))
#define ASPEED_STOP(cell) CARILLON_STORE(ASPEED_CONTROL_CLEAR, ASPEED_BIT(cell))
#define ASPEED_STOP_TOGETHER(bits) CARILLON_STORE(ASPEED_CONTROL_CLEAR, (bits))
/* carillon_port_align stores two instructions after it loads. */
#define ASPEED_ALIGN(cell, first, period) \
    CARILLON_SHIFT(ASPEED_COUNTER(cell), (uint32_t)(first) - (uint32_t)(period)-2u)

/* carillon_port_shift stores two instructions after it loads. */
#define ASPEED_SYNC(cell) CARILLON_SHIFT(ASPEED_COUNTER(cell), 0u - 2u)

/* A step of a multiplexed cell that would count `period` by itself.  aspeed_rearm stores three
 * instructions after it loads. */
#define ASPEED_REARM_REGISTER(cell) ASPEED_COUNTER(cell)
#define ASPEED_INTERVAL(interval, period) ((uint32_t)(interval) - (uint32_t)(period)-3u)
/* The same for a deadline, moved before it expires: nothing was counted by itself. */
#define ASPEED_POSTPONE(interval) ((uint32_t)(interval)-3u)

/* The handler of a multiplexed cell comes too late for the next point.  `addend` is that point's, `entered` is what
 * the counter read, and the multiplex is a step further already.
 *
 * 1. The search is not locked, since it is as long as the handler is late.  It is bounded by the points that have
 *    passed.  A skipped interval was not counted by the cell, so the reload value and the allowance in its step are
 *    added back.
 * 2. Load and store are locked, and five instructions apart where the step allows for three.  If the point has passed
 *    meanwhile, the search goes on behind it.
 * 3. A point that passes after the counter was first read is a request that waits, as if the cell had expired there.
 *    The request is made after the point: one that is skipped is five ticks ahead at most.
 * 4. The cell itself expires if the search lasts until it has reloaded: the counter reads more than before then.  That
 *    is a point's request, which waits in the controller, and the search begins anew.
 * 5. A request that 3 has made finds a cell that has not expired.  What its counter reads is what it would read had it
 *    expired a round before, so that the handler is late once more, and finds the same point again. */
static __attribute__((noinline, unused)) void aspeed_late(struct carillon_multiplex *multiplex, uint32_t addend,
                                                          uint32_t entered)
{
    const carillon_address counter = multiplex->reg;
    const uint32_t back = carillon_port_read(counter + 4u) + 3u;
    const struct carillon_step *step = multiplex->next;
    uint32_t ahead = addend;
    uint32_t skipped = addend;
    uint32_t before = entered;
    uint32_t stored = 0u;
    do {
        uint32_t now = carillon_port_read(counter);
        if (now > before) {
            step = multiplex->next;
            ahead = addend;
        }
        before = now;
        while ((int32_t)(now + ahead) <= 0) {
            skipped = ahead;
            ahead += step->interval + back;
            step = step->next;
        }
        __asm__ volatile("cpsid i\n\t"
                         "ldr %1, [%2]\n\t"
                         "cmp %1, %3\n\t"
                         "bhi 1f\n\t"
                         "adds %1, %1, %4\n\t"
                         "ble 1f\n\t"
                         "str %1, [%2]\n\t"
                         "mov %0, #1\n"
                         "1:\n\t"
                         "cpsie i\n\t"
                         : "+r"(stored), "=&r"(now)
                         : "r"(counter), "r"(before), "r"(ahead - 2u)
                         : "cc", "memory");
    } while (stored == 0u);
    multiplex->next = step;
    if (!CARILLON_CONVENTIONAL && ((int32_t)(entered + skipped + 3u) > 0)) {
        carillon_port_request(carillon_port_current()); /* the conventional handler carries out all that has passed */
    }
}

/* Shift the counter of a multiplexed cell to its next point.
 *
 * The counter runs on between its load and its store, so nothing may interrupt them.  If the sum is not
 * positive, the point has passed already: aspeed_late finds the first that has not, so that a task that
 * overruns loses activations but never its cell.
 */
static inline void aspeed_rearm(struct carillon_multiplex *multiplex)
{
    register struct carillon_multiplex *const it __asm__("r0") = multiplex;
    __asm__ volatile("ldrd r1, r3, [r0]\n\t"
                     "ldrd r1, r2, [r1]\n\t"
                     "str r1, [r0]\n\t"
                     "cpsid i\n\t"
                     "ldr r1, [r3]\n\t"
                     "adds r1, r1, r2\n\t"
                     "ble 2f\n\t"
                     "str r1, [r3]\n"
                     "1:\n\t"
                     "cpsie i\n\t"
                     ".subsection 1\n"
                     "2:\n\t"
                     "cpsie i\n\t"
                     "push {r0, lr}\n\t"
                     "sub r3, r1, r2\n\t"
                     "mov r1, r2\n\t"
                     "mov r2, r3\n\t"
                     "bl %c1\n\t"
                     "pop {r0, lr}\n\t"
                     "b 1b\n\t"
                     ".previous\n"
                     :
                     : "r"(it), "i"(aspeed_late)
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
