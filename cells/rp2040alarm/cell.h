/* SPDX-License-Identifier: Apache-2.0
 *
 * The alarms of the RP2040 (datasheet, section 4.6): four matches of one counter of microseconds, with an interrupt
 * each. The counter runs from the start of the chip, and is never written.
 *
 * A start reads the counter once (CARILLON_EPOCH), and each alarm is set to its own interval after that (ALIGN).  A
 * cell has its own period, which acknowledging adds to its alarm.  So nothing drifts, and no sequence of instructions
 * has to be timed.
 *
 * 1. An alarm fires when the counter comes to it, whether it may interrupt or not, and is armed no more then.  Its raw
 *    interrupt is a level until a store clears it.
 * 2. An alarm that is set to what the counter reads may fire at once, or in an hour.  So whoever sets an alarm looks at
 *    the counter afterwards.  What has passed by then is skipped, and a request that it may have made is forgotten.
 * 3. A deadline's alarm is moved when it is armed, to the first of its points that lies ahead.
 * 4. In a round that follows a global time, alarms are moved by one more (sync.h): RP2040ALARM_SYNC.
 *
 * carillon_board.h says where a cell has its alarm, RP2040ALARM_ALARM. */
#ifndef CARILLON_CELL_RP2040ALARM_H
#define CARILLON_CELL_RP2040ALARM_H

#include "carillon_board.h"
#include "carillon_port.h"
#include "kernel/contract/sync.h"

#define RP2040ALARM_TIMER UINT32_C(0x40054000)
#define RP2040ALARM_ARMED (RP2040ALARM_TIMER + 0x20u)
#define RP2040ALARM_NOW (RP2040ALARM_TIMER + 0x28u)
#define RP2040ALARM_RAW (RP2040ALARM_TIMER + 0x34u)
#define RP2040ALARM_ENABLE (RP2040ALARM_TIMER + 0x38u)
#define RP2040ALARM_FORCE (RP2040ALARM_TIMER + 0x3Cu)
#define RP2040ALARM_ASKS (RP2040ALARM_TIMER + 0x40u)
#define RP2040ALARM_SET(reg) ((reg) + 0x2000u) /* where a store sets bits of a register, and clears them */
#define RP2040ALARM_CLEAR(reg) ((reg) + 0x3000u)

#define RP2040ALARM_BIT_OF(alarm) (UINT32_C(1) << (((alarm) >> 2u) & 3u)) /* alarm n is at 0x10 + 4 n */
#define RP2040ALARM_BIT(cell) RP2040ALARM_BIT_OF(RP2040ALARM_ALARM(cell))

/* The period of each cell, in one place whichever files include this. */
extern uint32_t rp2040alarm_periods[4];
__attribute__((weak)) uint32_t rp2040alarm_periods[4];

#define RP2040ALARM_PREPARE(cell, first, period, prescaler)                                      \
    CARILLON_STORE((carillon_address)(uintptr_t)&rp2040alarm_periods[cell], (uint32_t)(period)), \
        CARILLON_STORE(RP2040ALARM_ARMED, RP2040ALARM_BIT(cell)), /* not armed any more */       \
        CARILLON_STORE(RP2040ALARM_RAW, RP2040ALARM_BIT(cell)),                                  \
        CARILLON_STORE(RP2040ALARM_SET(RP2040ALARM_ENABLE), RP2040ALARM_BIT(cell))
/* A cell that is armed later: a deadline. */
#define RP2040ALARM_HOLD(cell) CARILLON_STORE(RP2040ALARM_CLEAR(RP2040ALARM_ENABLE), RP2040ALARM_BIT(cell))
/* The cells begin to count with the reading of the counter, at the first store of a start.  This store clears what
 * would force their interrupts. */
#define RP2040ALARM_START(bits) CARILLON_STORE(RP2040ALARM_CLEAR(RP2040ALARM_FORCE), (bits))
#define RP2040ALARM_ALIGN(cell, first, period) CARILLON_SHIFT(RP2040ALARM_ALARM(cell), (first))
/* As a clock, whose alarm moves: the same. */
#define RP2040ALARM_FREE_PREPARE RP2040ALARM_PREPARE
#define RP2040ALARM_FREE_START RP2040ALARM_START
#define RP2040ALARM_STOP(cell)                                                    \
    CARILLON_STORE(RP2040ALARM_CLEAR(RP2040ALARM_ENABLE), RP2040ALARM_BIT(cell)), \
        CARILLON_STORE(RP2040ALARM_ARMED, RP2040ALARM_BIT(cell)),                 \
        CARILLON_STORE(RP2040ALARM_RAW, RP2040ALARM_BIT(cell))

/* What the registers read before anybody uses the alarm: its interrupt is not enabled, and it is not armed. */
#define RP2040ALARM_UNTOUCHED(cell, width)           \
    {RP2040ALARM_ENABLE, RP2040ALARM_BIT(cell), 0u}, \
    {                                                \
        RP2040ALARM_ARMED, RP2040ALARM_BIT(cell), 0u \
    }

/* As a time base: what has been counted since the start, modulo 2^32.  The counter itself has run since the chip has.
 */
#define RP2040ALARM_FREE (rp2040alarm_now() - carillon_port_epoch)
static inline uint32_t rp2040alarm_now(void)
{
    return carillon_port_read(RP2040ALARM_NOW);
}

#define RP2040ALARM_LEFT(cell, period) (carillon_port_read(RP2040ALARM_ALARM(cell)) - rp2040alarm_now())

/* Whether the counter, which reads `now`, is certain to come to `at` within `most`. */
static inline bool rp2040alarm_lies_ahead(uint32_t at, uint32_t now, uint32_t most)
{
    return (at - now - 1u) < most;
}

/* Who moves an alarm holds back the sync point, which may not come between load and store (sync.h).  What has passed is
 * what the counter reads; or the sync point, if a cell of the round has been moved beyond that. */
#if CARILLON_SYNC
#define RP2040ALARM_SYNC(cell) CARILLON_SHIFT(RP2040ALARM_ALARM(cell), (cell)) /* whose period is one of four */
static inline uint32_t rp2040alarm_hold(void)
{
    return carillon_port_lock();
}

static inline void rp2040alarm_let_go(uint32_t saved)
{
    carillon_port_unlock(saved);
}

static inline uint32_t rp2040alarm_passed(carillon_address alarm)
{
    const struct carillon_sync *const sync = &carillon_syncs[0]; /* the port has one mode */
    const uint32_t now = rp2040alarm_now();
    const uint32_t point = CARILLON_REGISTER(sync->counter) - sync->length;
    const bool beyond = ((RP2040ALARM_BIT_OF(alarm) & sync->moves) != 0u) && ((int32_t)(point - now) > 0);
    return beyond ? point : now;
}
#else
static inline uint32_t rp2040alarm_hold(void)
{
    return 0u;
}

static inline void rp2040alarm_let_go(uint32_t saved)
{
    (void)saved;
}

static inline uint32_t rp2040alarm_passed(carillon_address alarm)
{
    (void)alarm;
    return rp2040alarm_now();
}
#endif

/* An alarm that fires while its handler sets it is pending from its edge on, and stays so when the line is let go.  Alarm n
 * has interrupt n. */
static inline void rp2040alarm_forget(carillon_address alarm)
{
    CARILLON_REGISTER(RP2040ALARM_RAW) = RP2040ALARM_BIT_OF(alarm);
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_UNPEND) = RP2040ALARM_BIT_OF(alarm);
}

/* In the handler of a cell of budgets, whose alarm stays where it is (budget.h). */
static inline void rp2040alarm_keeps(uint32_t cell)
{
    (void)cell;
    carillon_port_write(RP2040ALARM_RAW, RP2040ALARM_BIT(cell));
}

/* Move a periodic cell's alarm to its first point, from where it is, that the counter comes to. */
static __attribute__((noipa, unused)) void rp2040alarm_skip(carillon_address alarm, uint32_t period)
{
    uint32_t at = CARILLON_REGISTER(alarm);
    while (
        !rp2040alarm_lies_ahead(at, rp2040alarm_passed(alarm), period)) { /* bounded by the periods that have passed */
        at += period;
        CARILLON_REGISTER(alarm) = at;
        rp2040alarm_forget(alarm);
    }
}

/* The same where it lies ahead, or one period before: as many instructions in both cases. */
static __attribute__((noipa, unused)) void rp2040alarm_move(carillon_address alarm, uint32_t period)
{
    const uint32_t saved = rp2040alarm_hold();
    const uint32_t last = CARILLON_REGISTER(alarm);
    const uint32_t passed = rp2040alarm_lies_ahead(last, rp2040alarm_passed(alarm), period) ? 0u : UINT32_MAX;
    const uint32_t at = (last + (period & passed));
    CARILLON_REGISTER(alarm) = at;
    if (!rp2040alarm_lies_ahead(at, rp2040alarm_passed(alarm), period)) {
        rp2040alarm_skip(alarm, period);
    }
    rp2040alarm_let_go(saved);
}

/* A handler may return at once: the line has been let go by then. */
static inline void rp2040alarm_acknowledge(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    const uint32_t saved = rp2040alarm_hold();
    const uint32_t period = rp2040alarm_periods[cell];
    const uint32_t at = carillon_port_read(RP2040ALARM_ALARM(cell)) + period;
    carillon_port_write(RP2040ALARM_RAW, RP2040ALARM_BIT(cell));
    carillon_port_write(RP2040ALARM_ALARM(cell), at);
    if (!rp2040alarm_lies_ahead(at, rp2040alarm_passed(RP2040ALARM_ALARM(cell)), period)) {
        rp2040alarm_skip(RP2040ALARM_ALARM(cell), period);
    }
    rp2040alarm_let_go(saved);
}

/* The same in two steps, around a task that no other request of the cell may interrupt.  Before it, the request is
 * cleared, and the counter read.  After it, the alarm is set.  So the task starts sooner.  What has passed by `since`
 * is one with the point that the task has run for.  If a point has passed after that, the cell asks once more. */
static inline uint32_t rp2040alarm_begin(uint32_t cell)
{
    (void)cell;
    carillon_port_write(RP2040ALARM_RAW, RP2040ALARM_BIT(cell));
    return rp2040alarm_now();
}

/* The alarm stands at the last point, or ahead if that was found late.  To ask once more it is set to what lies right
 * ahead, until it has fired there. */
static __attribute__((noipa, unused)) void rp2040alarm_again(carillon_address alarm, uint32_t period, uint32_t since)
{
    uint32_t at = CARILLON_REGISTER(alarm);
    bool passed = false;
    while (!rp2040alarm_lies_ahead(at, since, period)) { /* bounded by the periods that have passed */
        at += period;
    }
    CARILLON_REGISTER(alarm) = at;
    while (!rp2040alarm_lies_ahead(at, rp2040alarm_now(), period)) { /* the same */
        passed = true;
        at += period;
        CARILLON_REGISTER(alarm) = at;
    }
    if (passed) {
        while ((CARILLON_REGISTER(RP2040ALARM_RAW) & RP2040ALARM_BIT_OF(alarm)) == 0u) { /* within two units */
            const uint32_t soon = rp2040alarm_now() + 2u;
            CARILLON_REGISTER(alarm) = soon;
            while (rp2040alarm_lies_ahead(soon, rp2040alarm_now(), 2u)) {
            }
        }
        CARILLON_REGISTER(alarm) = at;
        while (!rp2040alarm_lies_ahead(at, rp2040alarm_now(), period)) { /* as above; it asks already */
            at += period;
            CARILLON_REGISTER(alarm) = at;
        }
    }
}

static inline void rp2040alarm_next(uint32_t cell, uint32_t since)
{
    (void)cell;
    const uint32_t period = rp2040alarm_periods[cell];
    const uint32_t at = carillon_port_read(RP2040ALARM_ALARM(cell)) + period;
    if (rp2040alarm_lies_ahead(at, since, period)) {
        carillon_port_write(RP2040ALARM_ALARM(cell), at);
        if (rp2040alarm_lies_ahead(at, rp2040alarm_now(), period)) {
            return;
        }
    }
    rp2040alarm_again(RP2040ALARM_ALARM(cell), period, since);
}

/* The same of a cell that may not have expired.  If it is not armed, its request is nobody's. */
static __attribute__((noipa, unused)) void rp2040alarm_answer(carillon_address alarm, uint32_t period)
{
    const uint32_t saved = rp2040alarm_hold();
    if ((CARILLON_REGISTER(RP2040ALARM_RAW) & RP2040ALARM_BIT_OF(alarm)) != 0u) {
        CARILLON_REGISTER(RP2040ALARM_RAW) = RP2040ALARM_BIT_OF(alarm);
        rp2040alarm_skip(alarm, period);
    }
    rp2040alarm_let_go(saved);
}
#define rp2040alarm_take_back(cell) rp2040alarm_answer(RP2040ALARM_ALARM(cell), rp2040alarm_periods[cell])

/* Whether a cell asks for an interrupt: it has expired since it was acknowledged, and is armed. */
static inline bool rp2040alarm_asks(uint32_t cell)
{
    (void)cell;
    return (carillon_port_read(RP2040ALARM_ASKS) & RP2040ALARM_BIT(cell)) != 0u;
}

#define rp2040alarm_expired rp2040alarm_asks /* one load says both */

static inline void rp2040alarm_arm(uint32_t cell)
{
    (void)cell;
    rp2040alarm_move(RP2040ALARM_ALARM(cell), rp2040alarm_periods[cell]);
    carillon_port_write(RP2040ALARM_RAW, RP2040ALARM_BIT(cell));
    carillon_port_write(RP2040ALARM_SET(RP2040ALARM_ENABLE), RP2040ALARM_BIT(cell));
}

/* As carillon_port_disarm: a deadline does not interrupt after its task was counted as ended. */
static inline void rp2040alarm_disarm(uint32_t cell)
{
    (void)cell;
    carillon_port_write(RP2040ALARM_CLEAR(RP2040ALARM_ENABLE), RP2040ALARM_BIT(cell));
    carillon_port_barrier();
}

/* A multiplexed cell, whose alarm moves from point to point: re-arming it acknowledges its request, too.
 *
 * The alarm says when the point was that is served, and a step how far the next one is from it.  Points that have
 * passed are skipped, as they were absorbed by the activation that waited. */
#define RP2040ALARM_REARM_REGISTER(cell) RP2040ALARM_ALARM(cell)
#define RP2040ALARM_INTERVAL(interval, period) (interval)

static __attribute__((noipa, unused)) void rp2040alarm_late(carillon_address alarm,
                                                            struct carillon_multiplex *multiplex)
{
    const struct carillon_step *step = multiplex->next;
    uint32_t at = CARILLON_REGISTER(alarm);
    while (!rp2040alarm_lies_ahead(at, rp2040alarm_passed(alarm),
                                   step->interval)) { /* bounded by the points that have passed */
        step = step->next;
        at += step->interval;
        CARILLON_REGISTER(alarm) = at;
        rp2040alarm_forget(alarm);
    }
    multiplex->next = step->next;
}

static inline void rp2040alarm_rearm(struct carillon_multiplex *multiplex)
{
    const carillon_address alarm = multiplex->reg;
    const uint32_t saved = rp2040alarm_hold();
    const struct carillon_step *const step = multiplex->next;
    const uint32_t at = CARILLON_REGISTER(alarm) + step->interval;
    CARILLON_REGISTER(RP2040ALARM_RAW) = RP2040ALARM_BIT_OF(alarm);
    CARILLON_REGISTER(alarm) = at;
    if (!rp2040alarm_lies_ahead(at, rp2040alarm_passed(alarm), step->interval)) {
        rp2040alarm_late(alarm, multiplex);
    } else {
        multiplex->next = step->next;
    }
    rp2040alarm_let_go(saved);
}

/* The same of a cell that may not have expired. */
static __attribute__((noipa, unused)) void rp2040alarm_answer_at(carillon_address alarm,
                                                                 struct carillon_multiplex *multiplex)
{
    if ((CARILLON_REGISTER(RP2040ALARM_RAW) & RP2040ALARM_BIT_OF(alarm)) != 0u) {
        rp2040alarm_rearm(multiplex);
    }
}
#define rp2040alarm_take_back_at(cell, multiplex) rp2040alarm_answer_at(RP2040ALARM_ALARM(cell), (multiplex))

#endif
