/* SPDX-License-Identifier: Apache-2.0
 *
 * The compare channels of a timer of STM32 with 32 bits (RM0090, chapter 18): four matches of a counter that runs
 * freely, which share an interrupt.  A cell is a channel.
 *
 * The timer is started with those of cells/stm32tim, by the same store.  A cell has its own period, which acknowledging
 * adds to its match.  The counter is never touched after its start, so nothing drifts, and no sequence of instructions
 * has to be timed.
 *
 * 1. A match sets the channel's flag, whether DIER lets it be a request or not.  A flag is cleared by a 0, and left by
 *    a
 *    1.  Bits of DIER are set and cleared through the processor's bit-band alias, by one store.
 * 2. A match that is set to what the counter reads may set the flag at once, or in a turn, which takes a minute.  So
 *    whoever moves a match looks at the counter afterwards.  What has passed by then is skipped, and a flag that it may
 *    have set is cleared.
 * 3. A deadline's match is moved when it is armed, to the first of its points that lies ahead.
 * 4. In a round that follows a global time, matches are moved by one more (sync.h): STM32MATCH_SYNC.
 *
 * carillon_board.h says where a cell has its timer (STM32MATCH_BASE) and which channel it is (STM32MATCH_CHANNEL, from
 * 0). STM32MATCH_SLAVE and STM32MATCH_STARTER: cells/stm32tim. */
#ifndef CARILLON_CELL_STM32MATCH_H
#define CARILLON_CELL_STM32MATCH_H

#include "carillon_board.h"
#include "carillon_port.h"
#include "cells/stm32tim/starter.h"
#include "kernel/contract/sync.h"

#define STM32MATCH_DIER 0x0Cu
#define STM32MATCH_SR 0x10u
#define STM32MATCH_GENERATE 0x14u /* EGR: of a channel, sets its flag */
#define STM32MATCH_COUNT 0x24u

#define STM32MATCH_MATCH(cell) (STM32MATCH_BASE(cell) + 0x34u + (4u * STM32MATCH_CHANNEL(cell)))
#define STM32MATCH_OF(match) ((match) & ~UINT32_C(0x3FF)) /* timers lie at multiples of 1024 */
/* A flag's place in SR and DIER: that of channel 0 is bit 1.  The matches begin at 0x34. */
#define STM32MATCH_PLACE(cell) (1u + STM32MATCH_CHANNEL(cell))
#define STM32MATCH_PLACE_OF(match) (1u + ((((match)&0x3FFu) - 0x34u) / 4u))
#define STM32MATCH_ANSWERED(place) (~(UINT32_C(1) << (place)))
/* The word that is one bit of a register of a device. */
#define STM32MATCH_ALIAS(reg, place) (UINT32_C(0x42000000) + ((reg)-UINT32_C(0x40000000)) * 32u + (place)*4u)
#define STM32MATCH_LETS(cell) STM32MATCH_ALIAS(STM32MATCH_BASE(cell) + STM32MATCH_DIER, STM32MATCH_PLACE(cell))
#define STM32MATCH_FLAG(cell) STM32MATCH_ALIAS(STM32MATCH_BASE(cell) + STM32MATCH_SR, STM32MATCH_PLACE(cell))

#define STM32MATCH_COUNTS 0x04u /* CR1: URS, UG sets no flag */

#define STM32MATCH_BIT(cell) (UINT32_C(1) << (cell))

/* The period of each cell, in one place whichever files include this. */
extern uint32_t stm32match_periods[4];
__attribute__((weak)) uint32_t stm32match_periods[4];

#define STM32MATCH_PREPARE(cell, first, period, prescaler)                                                          \
    CARILLON_STORE((carillon_address)(uintptr_t)&stm32match_periods[cell], (uint32_t)(period)),                     \
        STM32TIM_STARTER_PREPARE(STM32MATCH_STARTER(0u)), CARILLON_STORE(STM32MATCH_BASE(cell), STM32MATCH_COUNTS), \
        CARILLON_STORE(STM32MATCH_BASE(cell) + 0x08u, STM32MATCH_SLAVE(cell)),                                      \
        CARILLON_STORE(STM32MATCH_BASE(cell) + 0x18u, 0u), /* CCMR1 and 2: compare, and drive nothing */            \
        CARILLON_STORE(STM32MATCH_BASE(cell) + 0x1Cu, 0u), CARILLON_STORE(STM32MATCH_BASE(cell) + 0x28u, 0u),       \
        CARILLON_STORE(STM32MATCH_BASE(cell) + 0x2Cu, UINT32_MAX), /* PSC, ARR: it turns after 2^32 */              \
        CARILLON_STORE(STM32MATCH_BASE(cell) + 0x14u, 1u),         /* UG: from 0 */                                 \
        CARILLON_STORE(STM32MATCH_MATCH(cell), (uint32_t)(first)),                                                  \
        CARILLON_STORE(STM32MATCH_BASE(cell) + STM32MATCH_SR, 0u), CARILLON_STORE(STM32MATCH_LETS(cell), 1u)
/* A cell that is armed later: a deadline. */
#define STM32MATCH_HOLD(cell) CARILLON_STORE(STM32MATCH_LETS(cell), 0u)
#define STM32MATCH_START(bits) STM32TIM_STARTER_START(STM32MATCH_STARTER(0u), (bits))
#define STM32MATCH_TRIGGER_PREPARE(delay) STM32TIM_STARTER_WAIT(STM32MATCH_STARTER(0u), (delay))
#define STM32MATCH_TRIGGER_START(select) STM32TIM_STARTER_LET(STM32MATCH_STARTER(0u), (select))
#define STM32MATCH_STOP(cell)                                                                     \
    CARILLON_STORE(STM32MATCH_BASE(cell), 0u), CARILLON_STORE(STM32MATCH_BASE(cell) + 0x08u, 0u), \
        CARILLON_STORE(STM32MATCH_LETS(cell), 0u), CARILLON_STORE(STM32MATCH_BASE(cell) + STM32MATCH_SR, 0u)
/* What the registers read after reset.  If the timer's clock is off, its reload register reads 0. */
#define STM32MATCH_UNTOUCHED(cell, width)                                                               \
    {STM32MATCH_BASE(cell), UINT32_MAX, 0u}, {STM32MATCH_BASE(cell) + STM32MATCH_DIER, UINT32_MAX, 0u}, \
    {                                                                                                   \
        STM32MATCH_BASE(cell) + 0x2Cu, UINT32_MAX, UINT32_MAX >> (32u - (width))                        \
    }
#define STM32MATCH_MEASURED(cell) STM32MATCH_BASE(cell), 1u, (STM32MATCH_BASE(cell) + STM32MATCH_COUNT)
/* As a clock, whose match moves: the same. */
#define STM32MATCH_FREE_PREPARE STM32MATCH_PREPARE
#define STM32MATCH_FREE_START STM32MATCH_START

/* What the counter of a match's timer reads. */
static inline uint32_t stm32match_now(carillon_address match)
{
    return CARILLON_REGISTER(STM32MATCH_OF(match) + STM32MATCH_COUNT);
}
/* As a time base: what has been counted since the start, modulo 2^32. */
#define STM32MATCH_UP(cell) stm32match_now(STM32MATCH_MATCH(cell))
#define STM32MATCH_LEFT(cell, period) \
    (carillon_port_read(STM32MATCH_MATCH(cell)) - stm32match_now(STM32MATCH_MATCH(cell)))

/* Whether the counter, which reads `now`, is certain to come to `at` within `most`. */
static inline bool stm32match_lies_ahead(uint32_t at, uint32_t now, uint32_t most)
{
    return (at - now - 1u) < most;
}

/* Who moves a match holds back the sync point, which may not come between load and store (sync.h).  What has passed is
 * what the counter reads; or the sync point, if a cell of the round has been moved beyond that. */
#if CARILLON_SYNC
#define STM32MATCH_SYNC(cell) CARILLON_SHIFT(STM32MATCH_MATCH(cell), (cell)) /* whose period is one of four */
extern uint32_t stm32match_point; /* when the sync cell expires next, in what the matches' counter reads */

static inline uint32_t stm32match_hold(void)
{
    return carillon_port_lock();
}

static inline void stm32match_let_go(uint32_t saved)
{
    carillon_port_unlock(saved);
}

static inline uint32_t stm32match_passed(carillon_address match)
{
    const struct carillon_sync *const sync = &carillon_syncs[0]; /* its boards have one mode then */
    const uint32_t now = stm32match_now(match);
    const uint32_t point = stm32match_point - sync->length;
    const uint32_t ahead = point - now;
    const uint32_t bit = UINT32_C(1) << (STM32MATCH_PLACE_OF(match) - 1u);
    return (((bit & sync->moves) != 0u) && ((int32_t)ahead > 0)) ? point : now;
}
#else
static inline uint32_t stm32match_hold(void)
{
    return 0u;
}

static inline void stm32match_let_go(uint32_t saved)
{
    (void)saved;
}

static inline uint32_t stm32match_passed(carillon_address match)
{
    return stm32match_now(match);
}
#endif

/* A match that comes while its handler sets it is pending from its edge on, and stays so when the line is let go.  Where
 * another channel still asks, it is pending again at the handler's end. */
static inline void stm32match_forget(carillon_address match)
{
    CARILLON_REGISTER(STM32MATCH_OF(match) + STM32MATCH_SR) = STM32MATCH_ANSWERED(STM32MATCH_PLACE_OF(match));
    carillon_port_forget(STM32MATCH_SOURCE(0u), CARILLON_SOURCE_BIT(STM32MATCH_SOURCE(0u)));
}

/* Move the match of a periodic cell to its first point, from where it is, that the counter comes to. */
static __attribute__((noipa, unused)) void stm32match_skip(carillon_address match, uint32_t period)
{
    uint32_t at = CARILLON_REGISTER(match);
    while (!stm32match_lies_ahead(at, stm32match_passed(match), period)) { /* bounded by the periods that have passed */
        at += period;
        CARILLON_REGISTER(match) = at;
        stm32match_forget(match);
    }
}

/* The same where it lies ahead, or one period before: as many instructions in both cases. */
static __attribute__((noipa, unused)) void stm32match_move(carillon_address match, uint32_t period)
{
    const uint32_t last = CARILLON_REGISTER(match);
    const uint32_t passed = stm32match_lies_ahead(last, stm32match_passed(match), period) ? 0u : UINT32_MAX;
    const uint32_t at = (last + (period & passed));
    CARILLON_REGISTER(match) = at;
    if (!stm32match_lies_ahead(at, stm32match_passed(match), period)) {
        stm32match_skip(match, period);
    }
}

/* A handler may return at once: the line has been let go by then.  The match is moved before the flag is cleared: what it
 * was may lie ahead once more, and sets the flag (sync.h). */
static inline void stm32match_acknowledge(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    const uint32_t saved = stm32match_hold();
    const uint32_t period = stm32match_periods[cell];
    const uint32_t at = carillon_port_read(STM32MATCH_MATCH(cell)) + period;
    carillon_port_write(STM32MATCH_MATCH(cell), at);
    carillon_port_write(STM32MATCH_BASE(cell) + STM32MATCH_SR, STM32MATCH_ANSWERED(STM32MATCH_PLACE(cell)));
    if (!stm32match_lies_ahead(at, stm32match_passed(STM32MATCH_MATCH(cell)), period)) {
        stm32match_skip(STM32MATCH_MATCH(cell), period);
    }
    stm32match_let_go(saved);
}

/* The same in two steps, around a task that no other request of the cell may interrupt.  Before it, the flag is
 * cleared, and the counter read.  After it, the match is moved.  So the task starts sooner.  What has passed by `since`
 * is one with the point that the task has run for.  If a point has passed after that, the cell asks once more at once.
 */
static inline uint32_t stm32match_begin(uint32_t cell)
{
    (void)cell;
    carillon_port_write(STM32MATCH_BASE(cell) + STM32MATCH_SR, STM32MATCH_ANSWERED(STM32MATCH_PLACE(cell)));
    return stm32match_now(STM32MATCH_MATCH(cell));
}

/* The match lies at the last point, or ahead if that was found late. */
static __attribute__((noipa, unused)) void stm32match_again(carillon_address match, uint32_t period, uint32_t since)
{
    uint32_t at = CARILLON_REGISTER(match);
    while (!stm32match_lies_ahead(at, since, period)) { /* bounded by the periods that have passed */
        at += period;
    }
    CARILLON_REGISTER(match) = at;
    while (!stm32match_lies_ahead(at, stm32match_now(match), period)) { /* the same */
        CARILLON_REGISTER(STM32MATCH_OF(match) + STM32MATCH_GENERATE) = UINT32_C(1) << STM32MATCH_PLACE_OF(match);
        at += period;
        CARILLON_REGISTER(match) = at;
    }
}

static inline void stm32match_next(uint32_t cell, uint32_t since)
{
    (void)cell;
    const uint32_t period = stm32match_periods[cell];
    const uint32_t at = carillon_port_read(STM32MATCH_MATCH(cell)) + period;
    if (stm32match_lies_ahead(at, since, period)) {
        carillon_port_write(STM32MATCH_MATCH(cell), at);
        if (stm32match_lies_ahead(at, stm32match_now(STM32MATCH_MATCH(cell)), period)) {
            return;
        }
    }
    stm32match_again(STM32MATCH_MATCH(cell), period, since);
}

/* The same of a cell that may not have expired.  If it is not armed, its flag is nobody's. */
static __attribute__((noipa, unused)) void stm32match_answer(carillon_address match, uint32_t period)
{
    const uint32_t place = STM32MATCH_PLACE_OF(match);
    const uint32_t saved = stm32match_hold();
    if ((CARILLON_REGISTER(STM32MATCH_OF(match) + STM32MATCH_SR) & (UINT32_C(1) << place)) != 0u) {
        stm32match_skip(match, period);
        CARILLON_REGISTER(STM32MATCH_OF(match) + STM32MATCH_SR) = STM32MATCH_ANSWERED(place);
    }
    stm32match_let_go(saved);
}
#define stm32match_take_back(cell) stm32match_answer(STM32MATCH_MATCH(cell), stm32match_periods[cell])

/* Whether a cell asks for an interrupt: it has expired since it was acknowledged, and is armed. */
static inline bool stm32match_expired(uint32_t cell) /* of one that is always armed */
{
    (void)cell;
    return carillon_port_read(STM32MATCH_FLAG(cell)) != 0u;
}
static inline bool stm32match_asks(uint32_t cell)
{
    return stm32match_expired(cell) && (carillon_port_read(STM32MATCH_LETS(cell)) != 0u);
}

static inline void stm32match_arm(uint32_t cell)
{
    (void)cell;
    const uint32_t saved = stm32match_hold();
    stm32match_move(STM32MATCH_MATCH(cell), stm32match_periods[cell]);
    carillon_port_write(STM32MATCH_BASE(cell) + STM32MATCH_SR, STM32MATCH_ANSWERED(STM32MATCH_PLACE(cell)));
    carillon_port_write(STM32MATCH_LETS(cell), 1u);
    stm32match_let_go(saved);
}

/* As carillon_port_disarm: a deadline does not interrupt after its task was counted as ended. */
static inline void stm32match_disarm(uint32_t cell)
{
    (void)cell;
    carillon_port_write(STM32MATCH_LETS(cell), 0u);
    carillon_port_barrier();
}

/* A multiplexed cell, whose match moves from point to point: re-arming it acknowledges its request, too.
 *
 * The match says when the point was that is served, and a step how far the next one is from it.  Points that have
 * passed are skipped, as they were absorbed by the activation that waited. */
#define STM32MATCH_REARM_REGISTER(cell) STM32MATCH_MATCH(cell)
#define STM32MATCH_INTERVAL(interval, period) (interval)

static __attribute__((noipa, unused)) void stm32match_late(carillon_address match, struct carillon_multiplex *multiplex)
{
    const struct carillon_step *step = multiplex->next;
    uint32_t at = CARILLON_REGISTER(match);
    while (!stm32match_lies_ahead(at, stm32match_passed(match),
                                  step->interval)) { /* bounded by the points that have passed */
        step = step->next;
        at += step->interval;
        CARILLON_REGISTER(match) = at;
        stm32match_forget(match);
    }
    multiplex->next = step->next;
}

static inline void stm32match_rearm(struct carillon_multiplex *multiplex)
{
    const carillon_address match = multiplex->reg;
    const uint32_t saved = stm32match_hold();
    const struct carillon_step *const step = multiplex->next;
    const uint32_t at = CARILLON_REGISTER(match) + step->interval;
    CARILLON_REGISTER(match) = at;
    CARILLON_REGISTER(STM32MATCH_OF(match) + STM32MATCH_SR) = STM32MATCH_ANSWERED(STM32MATCH_PLACE_OF(match));
    if (!stm32match_lies_ahead(at, stm32match_passed(match), step->interval)) {
        stm32match_late(match, multiplex);
    } else {
        multiplex->next = step->next;
    }
    stm32match_let_go(saved);
}

/* The same of a cell that may not have expired. */
static __attribute__((noipa, unused)) void stm32match_answer_at(carillon_address match,
                                                                struct carillon_multiplex *multiplex)
{
    if ((CARILLON_REGISTER(STM32MATCH_OF(match) + STM32MATCH_SR) & (UINT32_C(1) << STM32MATCH_PLACE_OF(match))) != 0u) {
        stm32match_rearm(multiplex);
    }
}
#define stm32match_take_back_at(cell, multiplex) stm32match_answer_at(STM32MATCH_MATCH(cell), (multiplex))

#endif
