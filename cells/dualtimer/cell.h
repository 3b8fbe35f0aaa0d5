/* SPDX-License-Identifier: Apache-2.0
 *
 * ARM SP804-like dual timer of the CMSDK: two 32-bit down counters that share an interrupt.  They
 * expire at 0 and reload a tick later from the background load, which is thus the interval after the
 * running one.  An expiry is remembered whether the interrupt is enabled or not, so arming clears first.
 */
#ifndef CARILLON_CELL_DUALTIMER_H
#define CARILLON_CELL_DUALTIMER_H

#include "carillon_board.h"
#include "carillon_port.h"

/* Each cell has DUALTIMER_BASE, which carillon_board.h says; the halves of a device are as far apart. */
#define DUALTIMER_HALF 0x20u
#define DUALTIMER_LOAD(cell) DUALTIMER_BASE(cell)
#define DUALTIMER_CONTROL(cell) (DUALTIMER_BASE(cell) + 0x8u)
#define DUALTIMER_CLEAR(cell) (DUALTIMER_BASE(cell) + 0xCu)
#define DUALTIMER_ASKS(cell) (DUALTIMER_BASE(cell) + 0x14u)
#define DUALTIMER_BACKGROUND(cell) (DUALTIMER_BASE(cell) + 0x18u)

/* Periodic, 32 bits. */
#define DUALTIMER_SETTING 0x42u
#define DUALTIMER_INTERRUPT 0x20u
#define DUALTIMER_ENABLE 0x80u

#define DUALTIMER_PREPARE(cell, first, period, prescaler)                                                      \
    CARILLON_STORE(DUALTIMER_CONTROL(cell), DUALTIMER_SETTING), CARILLON_STORE(DUALTIMER_LOAD(cell), (first)), \
        CARILLON_STORE(DUALTIMER_BACKGROUND(cell), (period)-1u)
#define DUALTIMER_START(cell) \
    CARILLON_STORE(DUALTIMER_CONTROL(cell), DUALTIMER_SETTING | DUALTIMER_ENABLE | DUALTIMER_INTERRUPT)
/* A cell that is armed later, a deadline or the control cell. */
#define DUALTIMER_START_DISARMED(cell) CARILLON_STORE(DUALTIMER_CONTROL(cell), DUALTIMER_SETTING | DUALTIMER_ENABLE)
#define DUALTIMER_COUNTER(cell) (DUALTIMER_BASE(cell) + 4u)
/* What the counter reads, plus the time, for a cell that expires at `offset`. */
#define DUALTIMER_PHASE(offset) (offset)
#define DUALTIMER_STOP(cell) CARILLON_STORE(DUALTIMER_CONTROL(cell), 0u), CARILLON_STORE(DUALTIMER_CLEAR(cell), 1u)

/* What the register reads after reset: the interrupt is enabled, and the timer is not. */
#define DUALTIMER_UNTOUCHED(cell, width)                         \
    {                                                            \
        DUALTIMER_CONTROL(cell), UINT32_MAX, DUALTIMER_INTERRUPT \
    }

/* A handler may return at once: the line has been let go by then. */
static inline void dualtimer_acknowledge(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    carillon_port_write(DUALTIMER_CLEAR(cell), 1u);
    carillon_port_settle();
}

/* Whether a cell asks for an interrupt: it has expired since it was cleared, and is armed.
 *
 * The halves have one line to the controller, which is high while any of them asks, so that a handler asks each and
 * answers those that do:
 *
 * 1. One that asks when the handler has looked at it keeps the line high: the controller, whose input is a level, takes
 *    the interrupt again when the handler has returned.
 * 2. One that was disarmed after the controller took the request asks no more, and is not answered.  If it was the only
 *    one, the handler does nothing.
 * 3. Clearing, arming and disarming are stores to the half's own registers: what the other one asks for stays. */
static inline bool dualtimer_asks(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    return carillon_port_read(DUALTIMER_ASKS(cell)) != 0u;
}

static inline void dualtimer_arm(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    carillon_port_write(DUALTIMER_CLEAR(cell), 1u);
    carillon_port_write(DUALTIMER_CONTROL(cell), DUALTIMER_SETTING | DUALTIMER_ENABLE | DUALTIMER_INTERRUPT);
}

/* As carillon_port_disarm: a deadline does not interrupt after its task was counted as ended. */
static inline void dualtimer_disarm(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    carillon_port_write(DUALTIMER_CONTROL(cell), DUALTIMER_SETTING | DUALTIMER_ENABLE);
    carillon_port_barrier();
}

/* A multiplexed cell.  A step holds the interval from its point to the next.  When the cell expires, that interval
 * begins; the handler writes the interval after it to the background load.
 *
 * The device does not count its expiries: a cell whose handler comes too late repeats an interval, and its handler
 * could not tell how often.  So the cell's neighbour is the timekeeper: it counts down from 2^32 - 1 for ever and
 * interrupts nothing.  `due` is what it reads when the cell expires next, as long as the handler is in time. */
#define DUALTIMER_REARM_REGISTER(cell) DUALTIMER_BACKGROUND(cell)
#define DUALTIMER_INTERVAL(interval, period) (interval)

#define DUALTIMER_TIMEKEEPER_PREPARE(cell)                                                                        \
    CARILLON_STORE(DUALTIMER_CONTROL(cell), DUALTIMER_SETTING), CARILLON_STORE(DUALTIMER_LOAD(cell), UINT32_MAX), \
        CARILLON_STORE(DUALTIMER_BACKGROUND(cell), UINT32_MAX)

#if CARILLON_TIMEKEEPERS
/* From the register that a multiplexed cell is re-armed by: one of its own, and the counter of its neighbour. */
#define DUALTIMER_OF(reg, member) (((reg)-DUALTIMER_BACKGROUND(0u)) + (member))
#define DUALTIMER_TIMEKEEPER(reg) DUALTIMER_OF(reg, DUALTIMER_COUNTER(0u) + DUALTIMER_HALF)
#define DUALTIMER_TIME(reg) carillon_port_read(DUALTIMER_TIMEKEEPER(reg))

/* In units, from reading the timekeeper: to the store of the background load, which must come before the expiry; to
 * the store that starts the cell anew.  Where a tick is several instructions, the second waits for the beginning of one
 * (carillon_port_start_at): it looks at as many ticks as a tick has instructions. */
#define DUALTIMER_REARM_TIME ((40u / CARILLON_INSTRUCTIONS_PER_TICK) + 2u)
#define DUALTIMER_RESTART_TIME ((160u / CARILLON_INSTRUCTIONS_PER_TICK) + CARILLON_INSTRUCTIONS_PER_TICK + 8u)

/* The handler of a multiplexed cell comes too late, or too early.
 *
 * 1. Early: its request is not the cell's but that of 5.  The cell is on its way to a point that lies ahead.
 * 2. Late: the cell has expired again since the point that it is served for, at times that are no points.  It is set
 *    up anew for the first point that is far enough ahead.  It is started as at the beginning of a round.  A store
 *    comes when the timekeeper reads `begin`, so that the cell expires when the timekeeper reads `due`, on the tick.
 * 3. Before that it must not be certain what time it is: the search is not locked, since it is as long as the handler
 *    is late.  It is bounded by the points that have passed.  Whether there is time enough is looked at again, locked.
 * 4. What the cell has asked for since the handler began was no point's request, and is forgotten, while it stands.
 * 5. A point that passes after the handler has begun is a request that waits, as if the cell had expired there.  One
 *    that is too near to be set is waited for: it must not be served early.
 *
 * 2^31 units after the point it is served for at most; a handler that is later could not be told from an early one. */
static __attribute__((noinline, unused)) void dualtimer_late(struct carillon_multiplex *multiplex)
{
    const carillon_address reg = multiplex->reg;
    const uint32_t entered = multiplex->due - DUALTIMER_TIME(reg);
    if (entered > (UINT32_MAX / 2u)) {
        return;
    }
    const struct carillon_step *step = multiplex->next;
    uint32_t ahead = step->interval; /* of the next point, from the one that is served */
    bool waits = false;
    uint32_t saved;
    uint32_t now;
    for (;;) {
        while (ahead <= ((multiplex->due - DUALTIMER_TIME(reg)) + (2u * DUALTIMER_RESTART_TIME))) {
            if (ahead > entered) {
                while (ahead > (multiplex->due - DUALTIMER_TIME(reg))) { /* twice DUALTIMER_RESTART_TIME at most */
                }
                waits = true;
            }
            step = step->next;
            ahead += step->interval;
        }
        saved = carillon_port_lock();
        now = DUALTIMER_TIME(reg);
        if (ahead > ((multiplex->due - now) + (2u * DUALTIMER_RESTART_TIME))) {
            break;
        }
        carillon_port_unlock(saved);
    }
    const uint32_t begin = now - DUALTIMER_RESTART_TIME;
    multiplex->due -= ahead;
    multiplex->next = step->next;
    carillon_port_write(DUALTIMER_OF(reg, DUALTIMER_CONTROL(0u)), DUALTIMER_SETTING);
    carillon_port_write(DUALTIMER_OF(reg, DUALTIMER_LOAD(0u)), begin - multiplex->due);
    carillon_port_write(DUALTIMER_OF(reg, DUALTIMER_CLEAR(0u)), 1u);
    carillon_port_settle();
    carillon_port_forget(multiplex->source, CARILLON_SOURCE_BIT(multiplex->source));
    if (!CARILLON_CONVENTIONAL && waits) {
        carillon_port_request(multiplex->source); /* the conventional handler carries out all that has passed */
    }
    const struct carillon_store background = CARILLON_STORE(reg, multiplex->next->interval - 1u);
    const struct carillon_store start = CARILLON_STORE(DUALTIMER_OF(reg, DUALTIMER_CONTROL(0u)),
                                                       DUALTIMER_SETTING | DUALTIMER_ENABLE | DUALTIMER_INTERRUPT);
    carillon_port_start_at(DUALTIMER_TIMEKEEPER(reg), begin, &background, 1u, &start, 1u);
    carillon_port_unlock(saved);
}

/* Nothing may come between reading the time and the store. */
static inline void dualtimer_rearm(struct carillon_multiplex *multiplex)
{
    __asm__ volatile("cpsid i" ::: "memory"); /* a handler begins unlocked */
    const struct carillon_step *const step = multiplex->next;
    const uint32_t interval = step->interval;
    if ((multiplex->due - DUALTIMER_TIME(multiplex->reg)) >= (interval - DUALTIMER_REARM_TIME)) {
        __asm__ volatile("cpsie i" ::: "memory");
        dualtimer_late(multiplex);
        return;
    }
    const struct carillon_step *const following = step->next;
    multiplex->due -= interval;
    multiplex->next = following;
    carillon_port_write(multiplex->reg, following->interval - 1u);
    __asm__ volatile("cpsie i" ::: "memory");
}
#endif

#endif
