/* SPDX-License-Identifier: Apache-2.0
 *
 * ARM CMSDK APB timers: 32-bit down counters that expire at 0 and reload a tick later.  A store to the
 * reload register also sets the counter, so a running cell cannot be given another interval without drift:
 * these cells are not multiplexed.  The interrupt-enable bit decides whether an expiry is remembered at
 * all, so a cell that is not armed leaves nothing stale.
 */
#ifndef CARILLON_CELL_CMSDK_H
#define CARILLON_CELL_CMSDK_H

#include "carillon_board.h"
#include "carillon_port.h"

/* Each cell has CMSDK_BASE, which carillon_board.h says. */
#define CMSDK_CONTROL(cell) CMSDK_BASE(cell)
#define CMSDK_COUNTER(cell) (CMSDK_BASE(cell) + 0x4u)
#define CMSDK_RELOAD(cell) (CMSDK_BASE(cell) + 0x8u)
#define CMSDK_CLEAR(cell) (CMSDK_BASE(cell) + 0xCu)

#define CMSDK_ENABLE 1u
#define CMSDK_INTERRUPT 8u

#define CMSDK_PREPARE(cell, first, period, prescaler)                                              \
    CARILLON_STORE(CMSDK_RELOAD(cell), (period)-1u), CARILLON_STORE(CMSDK_COUNTER(cell), (first)), \
        CARILLON_STORE(CMSDK_CLEAR(cell), 1u)
/* While the cell stands still, a store here says when it first expires; the rest stays as prepared. */
#define CMSDK_FIRST(cell) CMSDK_COUNTER(cell)
/* What the counter reads, plus the time, for a cell that expires at `offset`. */
#define CMSDK_PHASE(offset) (offset)
#define CMSDK_START(cell) CARILLON_STORE(CMSDK_CONTROL(cell), CMSDK_ENABLE | CMSDK_INTERRUPT)
/* A cell that is armed later, a deadline or the control cell. */
#define CMSDK_START_DISARMED(cell) CARILLON_STORE(CMSDK_CONTROL(cell), CMSDK_ENABLE)
#define CMSDK_STOP(cell) CARILLON_STORE(CMSDK_CONTROL(cell), 0u), CARILLON_STORE(CMSDK_CLEAR(cell), 1u)

/* What the register reads after reset. */
#define CMSDK_UNTOUCHED(cell, width)        \
    {                                       \
        CMSDK_CONTROL(cell), UINT32_MAX, 0u \
    }

/* A handler may return at once: the line has been let go by then. */
static inline void cmsdk_acknowledge(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    carillon_port_write(CMSDK_CLEAR(cell), 1u);
    carillon_port_settle();
}

static inline void cmsdk_arm(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    carillon_port_write(CMSDK_CONTROL(cell), CMSDK_ENABLE | CMSDK_INTERRUPT);
}

/* As carillon_port_disarm: a deadline does not interrupt after its task was counted as ended. */
static inline void cmsdk_disarm(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    carillon_port_write(CMSDK_CONTROL(cell), CMSDK_ENABLE);
    carillon_port_barrier();
}

#endif
