/* SPDX-License-Identifier: Apache-2.0
 *
 * The timers of Nordic's nRF51 and nRF52 in their mode of 16 bits.  A cell is one of the compare channels 0 to 2 of a
 * timer, whose counter runs freely.  Channel 3 tells what the counter reads, which no register does: a store captures
 * it. All channels of a timer have one interrupt.
 *
 * A cell has its own period, which acknowledging adds to its match.  The counter is never touched after its start, so
 * nothing drifts, and no sequence of instructions has to be timed.
 *
 * 1. A match sets the channel's event, whether that may interrupt or not.  The event is a level to the interrupt
 *    controller until a store clears it.  The load of the counter that follows makes sure that the store has arrived.
 * 2. A match that is set to what the counter reads, or has passed, would come a turn later.  So whoever moves a match
 *    looks at the counter afterwards.  What has passed by then is skipped: it is one request with that which is served.
 * 3. A deadline's match is moved when it is armed, to the first of its points that lies ahead.
 *
 * carillon_board.h says where a cell has its timer (NRFTIMER_TIMER), and which channel it is (NRFTIMER_CHANNEL).  With
 * each clock, the board defines the counter's prescaler, CARILLON_CLOCK_SELECT, and NRFTIMER_REARM_TIME: in units, what
 * the chip takes at most from capturing the counter to the store of a match. */
#ifndef CARILLON_CELL_NRFTIMER_H
#define CARILLON_CELL_NRFTIMER_H

#include "carillon_board.h"
#include "carillon_port.h"

#define NRFTIMER_TASK_START 0x000u
#define NRFTIMER_TASK_STOP 0x004u
#define NRFTIMER_TASK_CLEAR 0x00Cu
#define NRFTIMER_TASK_CAPTURE 0x04Cu /* of channel 3 */
#define NRFTIMER_ENABLE 0x304u
#define NRFTIMER_DISABLE 0x308u
#define NRFTIMER_MODE 0x504u
#define NRFTIMER_WIDTH 0x508u
#define NRFTIMER_PRESCALER 0x510u
#define NRFTIMER_CAPTURED 0x54Cu /* the match of channel 3 */

#define NRFTIMER_MATCH(cell) (NRFTIMER_TIMER(cell) + 0x540u + (4u * NRFTIMER_CHANNEL(cell)))
#define NRFTIMER_EVENT(cell) (NRFTIMER_TIMER(cell) + 0x140u + (4u * NRFTIMER_CHANNEL(cell)))
#define NRFTIMER_MASK(cell) (UINT32_C(0x10000) << NRFTIMER_CHANNEL(cell))
#define NRFTIMER_EVENT_OF(match) ((match) & ~UINT32_C(0x400)) /* 0x540 and on: 0x140 and on */
#define NRFTIMER_OF(match) ((match) & ~UINT32_C(0xFFF))       /* timers lie at multiples of 4096 */

/* The period of each cell, in one place whichever files include this. */
#define NRFTIMER_CELLS 9u
extern uint32_t nrftimer_periods[NRFTIMER_CELLS];
__attribute__((weak)) uint32_t nrftimer_periods[NRFTIMER_CELLS];

#define NRFTIMER_PREPARE(cell, first, period, prescaler)                                                              \
    CARILLON_STORE((carillon_address)(uintptr_t)&nrftimer_periods[cell], (uint32_t)(period)),                         \
        CARILLON_STORE(NRFTIMER_TIMER(cell) + NRFTIMER_TASK_STOP, 1u),                                                \
        CARILLON_STORE(NRFTIMER_TIMER(cell) + NRFTIMER_TASK_CLEAR, 1u),                                               \
        CARILLON_STORE(NRFTIMER_TIMER(cell) + NRFTIMER_MODE, 0u),  /* it counts time */                               \
        CARILLON_STORE(NRFTIMER_TIMER(cell) + NRFTIMER_WIDTH, 0u), /* 16 bits */                                      \
        CARILLON_STORE(NRFTIMER_TIMER(cell) + NRFTIMER_PRESCALER, CARILLON_CLOCK_SELECT),                             \
        CARILLON_STORE(NRFTIMER_MATCH(cell), (uint32_t)(first)&UINT16_MAX), CARILLON_STORE(NRFTIMER_EVENT(cell), 0u), \
        CARILLON_STORE(NRFTIMER_TIMER(cell) + NRFTIMER_ENABLE, NRFTIMER_MASK(cell))
/* A cell that is armed later, a deadline, expires before the first round begins in name only: arming moves it. */
#define NRFTIMER_HOLD(cell) CARILLON_STORE(NRFTIMER_TIMER(cell) + NRFTIMER_DISABLE, NRFTIMER_MASK(cell))
#define NRFTIMER_START(cell) CARILLON_STORE(NRFTIMER_TIMER(cell) + NRFTIMER_TASK_START, 1u)
#define NRFTIMER_STOP(cell)                                                           \
    CARILLON_STORE(NRFTIMER_TIMER(cell) + NRFTIMER_TASK_STOP, 1u),                    \
        CARILLON_STORE(NRFTIMER_TIMER(cell) + NRFTIMER_DISABLE, NRFTIMER_MASK(cell)), \
        CARILLON_STORE(NRFTIMER_EVENT(cell), 0u)
/* What the registers read after reset: no channel of the timer may interrupt. */
#define NRFTIMER_UNTOUCHED(cell, width)                                 \
    {                                                                   \
        NRFTIMER_TIMER(cell) + NRFTIMER_ENABLE, NRFTIMER_MASK(cell), 0u \
    }
#define NRFTIMER_FREE_PREPARE NRFTIMER_PREPARE
#define NRFTIMER_FREE_START NRFTIMER_START

/* What the counter of a match's timer reads.  A handler that comes between the two captures it later, and the later
 * reading is as good. */
static inline uint32_t nrftimer_now(carillon_address match)
{
    CARILLON_REGISTER(NRFTIMER_OF(match) + NRFTIMER_TASK_CAPTURE) = 1u;
    return CARILLON_REGISTER(NRFTIMER_OF(match) + NRFTIMER_CAPTURED);
}
/* As a time base: what has been counted since the start, modulo 2^16. */
#define NRFTIMER_UP(cell) nrftimer_now(NRFTIMER_MATCH(cell))
#define NRFTIMER_LEFT(cell, period) (carillon_port_read(NRFTIMER_MATCH(cell)) - nrftimer_now(NRFTIMER_MATCH(cell)))

/* Whether the counter, which reads `now`, is certain to come to `at` within `most`. */
static inline bool nrftimer_lies_ahead(uint32_t at, uint32_t now, uint32_t most)
{
    return ((at - now - 1u) & UINT16_MAX) < most;
}

/* A match that comes while its handler sets it is pending from its edge on, and stays so when the line is let go.  The
 * timer at 0x4000n000 has interrupt n; where another channel still asks, it is pending again at the handler's end. */
static inline void nrftimer_forget(carillon_address match)
{
    CARILLON_REGISTER(NRFTIMER_EVENT_OF(match)) = 0u;
    const uint32_t source = 16u + ((match >> 12) & 31u);
    carillon_port_forget(source, CARILLON_SOURCE_BIT(source));
}

/* Move the match of a periodic cell to its first point, from where it is, that the counter comes to. */
static __attribute__((noipa, unused)) void nrftimer_skip(carillon_address match, uint32_t period)
{
    uint32_t at = CARILLON_REGISTER(match);
    while (!nrftimer_lies_ahead(at, nrftimer_now(match), period)) { /* bounded by the periods that have passed */
        at = (at + period) & UINT16_MAX;
        CARILLON_REGISTER(match) = at;
        nrftimer_forget(match);
    }
}

/* The same where it lies ahead, or one period before: as many instructions in both cases. */
static __attribute__((noipa, unused)) void nrftimer_move(carillon_address match, uint32_t period)
{
    const uint32_t last = CARILLON_REGISTER(match);
    const uint32_t passed = nrftimer_lies_ahead(last, nrftimer_now(match), period) ? 0u : UINT32_MAX;
    const uint32_t at = (last + (period & passed)) & UINT16_MAX;
    CARILLON_REGISTER(match) = at;
    if (!nrftimer_lies_ahead(at, nrftimer_now(match), period)) {
        nrftimer_skip(match, period);
    }
}

/* A handler may return at once: the line has been let go by then. */
static inline void nrftimer_acknowledge(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    const uint32_t period = nrftimer_periods[cell];
    const uint32_t at = carillon_port_read(NRFTIMER_MATCH(cell)) + period;
    carillon_port_write(NRFTIMER_EVENT(cell), 0u);
    carillon_port_write(NRFTIMER_MATCH(cell), at & UINT16_MAX);
    if (!nrftimer_lies_ahead(at, nrftimer_now(NRFTIMER_MATCH(cell)), period)) {
        nrftimer_skip(NRFTIMER_MATCH(cell), period);
    }
}

/* The same of a cell that may not have expired.  If it is not armed, its event is nobody's. */
static __attribute__((noipa, unused)) void nrftimer_answer(carillon_address match, uint32_t period)
{
    if (CARILLON_REGISTER(NRFTIMER_EVENT_OF(match)) != 0u) {
        CARILLON_REGISTER(NRFTIMER_EVENT_OF(match)) = 0u;
        nrftimer_skip(match, period);
    }
}
#define nrftimer_take_back(cell) nrftimer_answer(NRFTIMER_MATCH(cell), nrftimer_periods[cell])

/* Whether a cell asks for an interrupt: it has expired since it was acknowledged, and is armed. */
static inline bool nrftimer_asks(uint32_t cell)
{
    (void)cell;
    return (carillon_port_read(NRFTIMER_EVENT(cell)) != 0u) &&
           ((carillon_port_read(NRFTIMER_TIMER(cell) + NRFTIMER_ENABLE) & NRFTIMER_MASK(cell)) != 0u);
}

static inline void nrftimer_arm(uint32_t cell)
{
    (void)cell;
    nrftimer_move(NRFTIMER_MATCH(cell), nrftimer_periods[cell]);
    carillon_port_write(NRFTIMER_EVENT(cell), 0u);
    carillon_port_write(NRFTIMER_TIMER(cell) + NRFTIMER_ENABLE, NRFTIMER_MASK(cell));
}

/* As carillon_port_disarm: a deadline does not interrupt after its task was counted as ended. */
static inline void nrftimer_disarm(uint32_t cell)
{
    (void)cell;
    carillon_port_write(NRFTIMER_TIMER(cell) + NRFTIMER_DISABLE, NRFTIMER_MASK(cell));
    (void)carillon_port_read(NRFTIMER_TIMER(cell) + NRFTIMER_ENABLE);
    carillon_port_barrier();
}

/* A multiplexed cell, whose match moves from point to point: re-arming it acknowledges its request, too.
 *
 * The match says when the point was that is served, and a step how far the next one is from it.  Points that have
 * passed are skipped, as they were absorbed by the activation that waited. */
#define NRFTIMER_REARM_REGISTER(cell) NRFTIMER_MATCH(cell)
#define NRFTIMER_INTERVAL(interval, period) (interval)

static __attribute__((noipa, unused)) void nrftimer_late(carillon_address match, struct carillon_multiplex *multiplex)
{
    const struct carillon_step *step = multiplex->next;
    uint32_t at = CARILLON_REGISTER(match);
    while (!nrftimer_lies_ahead(at, nrftimer_now(match), step->interval)) { /* bounded by the points that have passed */
        step = step->next;
        at = (at + step->interval) & UINT16_MAX;
        CARILLON_REGISTER(match) = at;
        nrftimer_forget(match);
    }
    multiplex->next = step->next;
}

static inline void nrftimer_rearm(struct carillon_multiplex *multiplex)
{
    const carillon_address match = multiplex->reg;
    const struct carillon_step *const step = multiplex->next;
    const uint32_t at = CARILLON_REGISTER(match) + step->interval;
    CARILLON_REGISTER(NRFTIMER_EVENT_OF(match)) = 0u;
    CARILLON_REGISTER(match) = at & UINT16_MAX;
    if (!nrftimer_lies_ahead(at, nrftimer_now(match), step->interval)) {
        nrftimer_late(match, multiplex);
        return;
    }
    multiplex->next = step->next;
}

/* The same of a cell that may not have expired. */
static __attribute__((noipa, unused)) void nrftimer_answer_at(carillon_address match,
                                                              struct carillon_multiplex *multiplex)
{
    if (CARILLON_REGISTER(NRFTIMER_EVENT_OF(match)) != 0u) {
        nrftimer_rearm(multiplex);
    }
}
#define nrftimer_take_back_at(cell, multiplex) nrftimer_answer_at(NRFTIMER_MATCH(cell), (multiplex))

#endif
