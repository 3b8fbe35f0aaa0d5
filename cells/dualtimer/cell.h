/* SPDX-License-Identifier: Apache-2.0
 *
 * ARM SP804-like dual timer of the CMSDK: two 32-bit down counters that share an interrupt.  They
 * expire at 0 and reload a tick later from the background load, which is thus the interval after the
 * running one.  An expiry is remembered whether the interrupt is enabled or not, so arming clears first.
 */
#ifndef CARILLON_CELL_DUALTIMER_H
#define CARILLON_CELL_DUALTIMER_H

#include "carillon_port.h"

#define DUALTIMER_BASE(cell) (UINT32_C(0x40002000) + 0x20u * (cell))
#define DUALTIMER_LOAD(cell) DUALTIMER_BASE(cell)
#define DUALTIMER_CONTROL(cell) (DUALTIMER_BASE(cell) + 0x8u)
#define DUALTIMER_CLEAR(cell) (DUALTIMER_BASE(cell) + 0xCu)
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

/* A handler may return at once: the line has been let go by then. */
static inline void dualtimer_acknowledge(uint32_t cell)
{
    carillon_port_write(DUALTIMER_CLEAR(cell), 1u);
    carillon_port_settle();
}

static inline void dualtimer_arm(uint32_t cell)
{
    carillon_port_write(DUALTIMER_CLEAR(cell), 1u);
    carillon_port_write(DUALTIMER_CONTROL(cell), DUALTIMER_SETTING | DUALTIMER_ENABLE | DUALTIMER_INTERRUPT);
}

/* As carillon_port_disarm: a deadline does not interrupt after its task was counted as ended. */
static inline void dualtimer_disarm(uint32_t cell)
{
    carillon_port_write(DUALTIMER_CONTROL(cell), DUALTIMER_SETTING | DUALTIMER_ENABLE);
    carillon_port_barrier();
}

/* A step holds the interval after the running one.  The store comes more than a tick after the expiry: the
 * running interval has been loaded by then. */
#define DUALTIMER_REARM_REGISTER(cell) DUALTIMER_BACKGROUND(cell)
#define DUALTIMER_INTERVAL(interval, period) ((interval)-1u)

static inline void dualtimer_rearm(struct carillon_multiplex *multiplex)
{
    const struct carillon_step *const step = multiplex->next;
    const uint32_t interval = step->interval;
    multiplex->next = step->next;
    carillon_port_write(multiplex->reg, interval);
}

#endif
