/* SPDX-License-Identifier: Apache-2.0
 *
 * The 16-bit timers of AVR: a cell is one of the compare channels A, B and C of a timer.
 *
 * In a round, a timer counts it (waveform mode 12: from 0 to ICR).  Each channel matches once in it, at its own time,
 * with nothing to be set again.  A timer begins at 0 with its start store.  A channel whose first expiry is more than
 * a round away has matched once before, and that match is forgotten (FINISH) before interrupts are on.
 *
 * A channel that serves several points matches at one after the other: its handler sets the match to the next one.
 * In mode 12, unlike in the modes that drive a motor, a match that is set is in force at once.  The counter is never
 * touched, so nothing drifts, and no sequence of instructions has to be timed.
 *
 * The conventional kernel's cell, and a clock that is not periodic (clock.h), is a channel of a timer that runs freely
 * (mode 0): the same, with a turn of 65536.
 *
 * Registers are set in the order that the devices want: a match in mode 0; the length in mode 12, where it can be
 * written.
 *
 * carillon_board.h says where a cell has its registers: AVR16_CONTROL_A, _CONTROL_B, _COUNT and _LENGTH (ICR) of its
 * timer, and AVR16_MATCH of its channel.  It has the cell's AVR16_SOURCE, and AVR16_COUNT_OF, the counter of the timer
 * that a match belongs to.
 */
#ifndef CARILLON_CELL_AVR16_H
#define CARILLON_CELL_AVR16_H

#include "carillon_board.h"
#include "carillon_port.h"

#define AVR16_ROUND 0x18u /* WGMn3, WGMn2 */

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
        CARILLON_STORE(AVR16_CONTROL_B(cell), AVR16_ROUND),                                                   \
        CARILLON_STORE(CARILLON_WORD | AVR16_LENGTH(cell), (carillon_value)((period)-1u))
#define AVR16_START(cell) CARILLON_STORE(AVR16_CONTROL_B(cell), AVR16_ROUND | CARILLON_CLOCK_SELECT)
#endif
#define AVR16_STOP(cell) CARILLON_STORE(AVR16_CONTROL_B(cell), 0u)

/* In a round that follows a global time (sync.h): the counter begins at `begin`, and `place` is what it counts when the
 * cell expires. */
#define AVR16_TURN_PREPARE(cell, begin, place)                                            \
    CARILLON_STORE(AVR16_CONTROL_B(cell), 0u), CARILLON_STORE(AVR16_CONTROL_A(cell), 0u), \
        CARILLON_STORE(CARILLON_WORD | AVR16_COUNT(cell), (begin)),                       \
        CARILLON_STORE(CARILLON_WORD | AVR16_MATCH(cell), (place)-1u),                    \
        CARILLON_STORE(AVR16_CONTROL_B(cell), AVR16_ROUND),                               \
        CARILLON_STORE(CARILLON_WORD | AVR16_LENGTH(cell), (carillon_value)(CARILLON_SYNC_TURN - 1u))
#define AVR16_TURN_FINISH(cell, place)                           \
    CARILLON_STORE(CARILLON_AWAIT | AVR16_COUNT(cell), (place)), \
        CARILLON_STORE_UNPEND(AVR16_SOURCE(cell), CARILLON_SOURCE_BIT(AVR16_SOURCE(cell)))
#define AVR16_SYNC(cell) CARILLON_SHIFT(CARILLON_WORD | AVR16_LENGTH(cell), (carillon_value)(CARILLON_SYNC_TURN - 1u))
/* As a time base, which runs freely: what has been counted since the start, modulo 2^16; locked. */
#define AVR16_UP(cell) CARILLON_REGISTER_16(AVR16_COUNT(cell))

/* What is left to the next match, from 1: the flag is set as the counter leaves the match. */
static inline uint32_t avr16_left(uint16_t match, uint16_t now, uint32_t period)
{
    const uint32_t left = (uint32_t)match - now + 1u;
    return (now <= match) ? left : (left + period);
}
#define AVR16_LEFT(cell, period) \
    avr16_left(CARILLON_REGISTER_16(AVR16_MATCH(cell)), CARILLON_REGISTER_16(AVR16_COUNT(cell)), (period))

/* Of a cell whose first expiry is more than a period away: when the counter has passed its match, forget it. */
#define AVR16_FINISH(cell, first, period)                                                                        \
    CARILLON_STORE(CARILLON_AWAIT | AVR16_COUNT(cell), (carillon_value)(AVR16_PLACE(first, period) % (period))), \
        CARILLON_STORE_UNPEND(AVR16_SOURCE(cell), CARILLON_SOURCE_BIT(AVR16_SOURCE(cell)))

#define AVR16_REARM_REGISTER(cell) (CARILLON_WORD | AVR16_MATCH(cell))
#define AVR16_INTERVAL(interval, period) (interval)
#define AVR16_POSTPONE(interval) (interval)

/* What the counter counts to as a rule.  A turn that is longer stands still there for the points: they all lie before,
 * or in the next turn, and none within what a shorter turn leaves out. */
#if CARILLON_CONVENTIONAL
#define AVR16_TOP(match) UINT16_MAX
#elif CARILLON_SYNC_TURN
#define AVR16_TOP(match) ((uint16_t)(CARILLON_SYNC_TURN - 1u))
#else
#define AVR16_TOP(match) CARILLON_REGISTER_16(AVR16_LENGTH_OF(match))
#endif

static inline uint16_t avr16_now(carillon_address count, uint16_t top)
{
    const uint16_t now = CARILLON_REGISTER_16(count);
    return (CARILLON_SYNC_TURN && (now > top)) ? top : now;
}

/* What the counter has counted since it was at `last`, less than a turn. */
static inline uint16_t avr16_since(uint16_t now, uint16_t last, uint16_t top)
{
    const uint16_t since = (uint16_t)(now - last);
    return (now < last) ? (uint16_t)(since + top + 1u) : since;
}

/* The place of the counter that comes `ahead`, a turn at most, after `last`. */
static inline uint16_t avr16_place(uint16_t last, uint16_t ahead, uint16_t top)
{
    const uint16_t place = (uint16_t)(last + ahead);
    return ((place < last) || (place > top)) ? (uint16_t)(place - (uint16_t)(top + 1u)) : place;
}

/* Go to the next point, locked.
 *
 * 1. The match still says when the point was that is served, and a step says how far the next one is from it.  So what
 *    is set does not depend on when the handler comes, and a handler in time sets the match of the next point.
 * 2. The counter says how late the handler is: by less than a turn, or by as many turns more.  A round's timer turns
 *    with the round, so that the first point that lies ahead is the same whatever the turns.  The cell comes back to
 *    its ticks however late the handler is.  A counter that runs freely tells the time only within a turn.
 * 3. Points that have passed are skipped, as they were absorbed by the activation that waited; the loop is bounded by
 *    them.
 * 4. A point that passes before its match can be set, in AVR16_REARM_TIME from looking at the counter, is skipped as
 *    well.  A match that is set to what the counter has left would come a turn later, and no store can request an
 *    interrupt.
 * 5. A match that is set in time is in force when the counter gets there, and its request stands until it is served.
 * 6. Until it is set, the match is where it was: if the counter comes there once more, a turn later, the point of that
 *    turn asks, as it should.  The handler of that request finds a match that lies ahead, which looks like one that is
 *    late by nearly a turn.  It skips the points of a turn, and sets the same match again. */
#define AVR16_REARM_TIME ((64u / CARILLON_INSTRUCTIONS_PER_TICK) + 1u)

#if CARILLON_LAPS
/* Whether a match is none of its points: the counter has some turns left to the next one (carillon_step).
 *
 * 7. A match that is not moved comes once in each turn.  So an interval of some turns and a rest takes as many matches
 *    more as it has turns; the last of them is the point. */
static inline bool avr16_lap(struct carillon_multiplex *multiplex)
{
    if (multiplex->laps == 0u) {
        return false;
    }
    multiplex->laps--;
    return true;
}

/* The length of a step, in units. */
static inline uint32_t avr16_length(const struct carillon_step *step)
{
    return ((step->interval != 0u) ? step->interval : 0x10000u) + ((uint32_t)step->laps << 16u);
}

/* The same as avr16_late(), of a counter that runs freely and has turned less than once since the point.
 *
 * 8. The match is set where the point is, which may be some turns before it.  If it were set shortly before the counter
 *    gets there, it might come or not.  So the counter is let pass: for less than twice AVR16_REARM_TIME.
 * 9. What the counter reads then says how many matches come before the point; it is not near one of them. */
static __attribute__((noinline, unused)) void avr16_late_freely(struct carillon_multiplex *multiplex)
{
    const carillon_address match = multiplex->reg & CARILLON_ADDRESS;
    const carillon_address count = AVR16_COUNT_OF(match);
    const uint16_t last = CARILLON_REGISTER_16(match);
    const struct carillon_step *step = multiplex->next;
    uint32_t ahead = avr16_length(step);
    for (;;) {
        const uint16_t place = (uint16_t)(last + (uint16_t)ahead);
        uint16_t now;
        do {
            now = CARILLON_REGISTER_16(count);
        } while ((uint16_t)(place - now) <= AVR16_REARM_TIME);
        const uint16_t since = (uint16_t)(now - last);
        if (ahead > since) {
            CARILLON_REGISTER_16(match) = place;
            multiplex->laps = (uint16_t)((ahead - since - 1u) >> 16u);
            multiplex->next = step->next;
            return;
        }
        step = step->next;
        ahead += avr16_length(step);
    }
}

static inline void avr16_begin_laps(struct carillon_multiplex *multiplex, const struct carillon_step *step)
{
    multiplex->laps = step->laps;
}
#else
static inline void avr16_late_freely(struct carillon_multiplex *multiplex)
{
    (void)multiplex;
}

static inline void avr16_begin_laps(struct carillon_multiplex *multiplex, const struct carillon_step *step)
{
    (void)multiplex;
    (void)step;
}
#endif

static __attribute__((noinline, unused)) void avr16_late(struct carillon_multiplex *multiplex)
{
    const carillon_address match = multiplex->reg & CARILLON_ADDRESS;
    const carillon_address count = AVR16_COUNT_OF(match);
    const uint16_t top = AVR16_TOP(match);
    const uint16_t last = CARILLON_REGISTER_16(match);
    const struct carillon_step *step = multiplex->next;
    if (CARILLON_LAPS && (top == UINT16_MAX)) {
        avr16_late_freely(multiplex);
        return;
    }
    const uint16_t entered = avr16_now(count, top);
    const uint32_t before = (uint32_t)avr16_since(entered, last, top) + AVR16_REARM_TIME;
    uint32_t passed = before;
    uint32_t ahead = step->interval;
    while (ahead <= passed) {
        do {
            step = step->next;
            ahead += step->interval;
        } while (ahead <= passed);
        passed = before + avr16_since(avr16_now(count, top), entered, top); /* the search takes time, too */
    }
    while (ahead > top) { /* a few times at most: less than two turns have passed, and no step is more than one */
        ahead -= (uint32_t)top + 1u;
    }
    CARILLON_REGISTER_16(match) = avr16_place(last, (uint16_t)ahead, top);
    multiplex->next = step->next;
}

static inline void avr16_rearm(struct carillon_multiplex *multiplex)
{
    const carillon_address match = multiplex->reg & CARILLON_ADDRESS;
    const uint16_t top = AVR16_TOP(match);
    const uint16_t last = CARILLON_REGISTER_16(match);
    const struct carillon_step *const step = multiplex->next;
    const uint16_t ahead = (uint16_t)step->interval;
    if (avr16_since(avr16_now(AVR16_COUNT_OF(match), top), last, top) >= (uint16_t)(ahead - AVR16_REARM_TIME)) {
        avr16_late(multiplex);
        return;
    }
    avr16_begin_laps(multiplex, step);
    CARILLON_REGISTER_16(match) = avr16_place(last, ahead, top);
    multiplex->next = step->next;
}

/* A deadline that was met: go to the next one before it expires.  The task has ended before its deadline, and the next
 * deadline is that of a later activation, so it lies ahead. */
static inline void avr16_postpone(struct carillon_multiplex *multiplex)
{
    const carillon_address match = multiplex->reg & CARILLON_ADDRESS;
    const struct carillon_step *const step = multiplex->next;
    const uint32_t saved = carillon_port_lock();
    CARILLON_REGISTER_16(match) = avr16_place(CARILLON_REGISTER_16(match), (uint16_t)step->interval, AVR16_TOP(match));
    carillon_port_unlock(saved);
    multiplex->next = step->next;
}

#endif
