/* SPDX-License-Identifier: Apache-2.0
 *
 * The 16-bit timers of AVR: a cell is one of the compare channels A, B and C of a timer.
 *
 * In a round, a timer counts it (waveform mode 14: from 0 to ICR) and each channel matches once in it, at its own
 * time, with nothing to be set again.  A timer begins at 0 with its start store; a channel whose first expiry is more
 * than a round away has matched once before, and that match is forgotten (FINISH) before interrupts are on.
 *
 * The conventional kernel's cell, and a clock that is not periodic (clock.h), is a channel of a timer that runs freely
 * (mode 0, where a match that is set is in force at once); a handler adds the next interval to the match, so nothing
 * drifts.
 *
 * Registers are set in the order that the devices want: a match in mode 0, where it takes effect at once; the length
 * in mode 12, where it can be written; the mode last.
 *
 * carillon_board.h says where a cell has them: AVR16_CONTROL_A, _CONTROL_B, _COUNT and _LENGTH (ICR) of its timer, and
 * AVR16_MATCH of its channel; its AVR16_SOURCE; and AVR16_COUNT_OF, the counter of the timer that a match belongs to.
 */
#ifndef CARILLON_CELL_AVR16_H
#define CARILLON_CELL_AVR16_H

#include "carillon_board.h"
#include "carillon_port.h"

#define AVR16_ROUND_A 0x02u /* WGMn1 */
#define AVR16_ROUND_B 0x18u /* WGMn3, WGMn2 */

/* The place of a match in the round, from 1. */
#define AVR16_PLACE(first, period) (((first)-1u) % (period) + 1u)

#define AVR16_STOPPED(cell)                                                               \
    CARILLON_STORE(AVR16_CONTROL_B(cell), 0u), CARILLON_STORE(AVR16_CONTROL_A(cell), 0u), \
        CARILLON_STORE(CARILLON_WORD | AVR16_COUNT(cell), 0u)
#define AVR16_FREE_PREPARE(cell, first, period, prescaler) \
    AVR16_STOPPED(cell), CARILLON_STORE(CARILLON_WORD | AVR16_MATCH(cell), (carillon_value)((first)-1u))
#define AVR16_FREE_START(cell) CARILLON_STORE(AVR16_CONTROL_B(cell), CARILLON_CLOCK_SELECT)
#if CARILLON_CONVENTIONAL
#define AVR16_PREPARE AVR16_FREE_PREPARE
#define AVR16_START AVR16_FREE_START
#else
#define AVR16_PREPARE(cell, first, period, prescaler)                                                         \
    AVR16_STOPPED(cell),                                                                                      \
        CARILLON_STORE(CARILLON_WORD | AVR16_MATCH(cell), (carillon_value)(AVR16_PLACE(first, period) - 1u)), \
        CARILLON_STORE(AVR16_CONTROL_B(cell), AVR16_ROUND_B),                                                 \
        CARILLON_STORE(CARILLON_WORD | AVR16_LENGTH(cell), (carillon_value)((period)-1u)),                    \
        CARILLON_STORE(AVR16_CONTROL_A(cell), AVR16_ROUND_A)
#define AVR16_START(cell) CARILLON_STORE(AVR16_CONTROL_B(cell), AVR16_ROUND_B | CARILLON_CLOCK_SELECT)
#endif
#define AVR16_STOP(cell) CARILLON_STORE(AVR16_CONTROL_B(cell), 0u)
/* As a time base, which runs freely: what has been counted since the start, modulo 2^16; locked. */
#define AVR16_UP(cell) CARILLON_REGISTER_16(AVR16_COUNT(cell))

/* Of a cell whose first expiry is more than a period away: when the counter has passed its match, forget it. */
#define AVR16_FINISH(cell, first, period)                                                                        \
    CARILLON_STORE(CARILLON_AWAIT | AVR16_COUNT(cell), (carillon_value)(AVR16_PLACE(first, period) % (period))), \
        CARILLON_STORE_UNPEND(AVR16_SOURCE(cell), CARILLON_SOURCE_BIT(AVR16_SOURCE(cell)))

#define AVR16_REARM_REGISTER(cell) (CARILLON_WORD | AVR16_MATCH(cell))
#define AVR16_INTERVAL(interval, period) (interval)

/* Go to the next point: the interval counts from the match.  A handler that comes late skips the points that have
 * passed, and one that passes before it can be set, in AVR16_REARM_TIME from looking at the counter: the loop is
 * bounded by them. */
#define AVR16_REARM_TIME (40u / CARILLON_INSTRUCTIONS_PER_TICK + 1u)
static inline void avr16_rearm(struct carillon_multiplex *multiplex)
{
    const carillon_address match = multiplex->reg & CARILLON_ADDRESS;
    const carillon_address count = AVR16_COUNT_OF(match);
    const uint16_t last = CARILLON_REGISTER_16(match);
    const struct carillon_step *step = multiplex->next;
    uint32_t ahead = step->interval;
    while (ahead <= ((uint32_t)(uint16_t)(CARILLON_REGISTER_16(count) - last) + AVR16_REARM_TIME)) {
        step = step->next;
        ahead += step->interval;
    }
    CARILLON_REGISTER_16(match) = (uint16_t)(last + (uint16_t)ahead);
    multiplex->next = step->next;
}

#endif
