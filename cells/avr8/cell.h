/* SPDX-License-Identifier: Apache-2.0
 *
 * An 8-bit timer of AVR: its one cell is compare channel B.
 *
 * The timer counts from 0 to OCRnA (waveform mode 2).  So channel A says how long its round is, and B matches once in
 * it with nothing to be set again.  In this mode, a compare register takes effect at once (ATmega328P and ATmega32U4
 * data sheets, 8-bit Timer/Counter, Clear Timer on Compare Match Mode).
 *
 * Its round is at most 256 ticks long and, as that of every timer, not shorter than `lead`.  It begins at 0 with its
 * start store.  If the first expiry is more than a round away, B has matched once before, and that match is
 * forgotten (FINISH) before interrupts are on.
 *
 * carillon_board.h says where the cell has its registers: AVR8_CONTROL_A, _CONTROL_B, _COUNT, _LENGTH (OCRnA) and
 * _MATCH (OCRnB); and its AVR8_SOURCE. */
#ifndef CARILLON_CELL_AVR8_H
#define CARILLON_CELL_AVR8_H

#include "carillon_board.h"
#include "carillon_port.h"

#define AVR8_ROUND 0x02u /* WGMn1 in TCCRnA */

/* The place of a match in the round, from 1. */
#define AVR8_PLACE(first, period) (((first)-1u) % (period) + 1u)

#define AVR8_STOPPED(cell)                                                              \
    CARILLON_STORE(AVR8_CONTROL_B(cell), 0u), CARILLON_STORE(AVR8_CONTROL_A(cell), 0u), \
        CARILLON_STORE(AVR8_COUNT(cell), 0u)
#define AVR8_FREE_PREPARE(cell, first, period, prescaler) \
    AVR8_STOPPED(cell), CARILLON_STORE(AVR8_MATCH(cell), (carillon_value)((first)-1u))
#define AVR8_FREE_START(cell) CARILLON_STORE(AVR8_CONTROL_B(cell), CARILLON_CLOCK_SELECT)
#define AVR8_PREPARE(cell, first, period, prescaler)                                                        \
    AVR8_STOPPED(cell), CARILLON_STORE(AVR8_MATCH(cell), (carillon_value)(AVR8_PLACE(first, period) - 1u)), \
        CARILLON_STORE(AVR8_LENGTH(cell), (carillon_value)((period)-1u)),                                   \
        CARILLON_STORE(AVR8_CONTROL_A(cell), AVR8_ROUND)
#define AVR8_START(cell) CARILLON_STORE(AVR8_CONTROL_B(cell), CARILLON_CLOCK_SELECT)
#define AVR8_STOP(cell) CARILLON_STORE(AVR8_CONTROL_B(cell), 0u)

/* What is left to the next match, from 1: the flag is set as the counter leaves the match. */
static inline uint32_t avr8_left(uint8_t match, uint8_t now, uint32_t period)
{
    const uint32_t left = (uint32_t)match - now + 1u;
    return (now <= match) ? left : (left + period);
}
#define AVR8_LEFT(cell, period) \
    avr8_left(CARILLON_REGISTER(AVR8_MATCH(cell)), CARILLON_REGISTER(AVR8_COUNT(cell)), (period))

/* Of a cell whose first expiry is more than a period away: when the counter has passed its match, forget it. */
#define AVR8_FINISH(cell, first, period)                                                                            \
    CARILLON_STORE(CARILLON_AWAIT_BYTE | AVR8_COUNT(cell), (carillon_value)(AVR8_PLACE(first, period) % (period))), \
        CARILLON_STORE_UNPEND(AVR8_SOURCE(cell), CARILLON_SOURCE_BIT(AVR8_SOURCE(cell)))

#endif
