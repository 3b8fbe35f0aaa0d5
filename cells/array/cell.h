/* SPDX-License-Identifier: Apache-2.0
 *
 * The timer array of hardware/timer_array: 32-bit down counters with a reload, started together by one store.
 *
 * A cell's first interval is its count, which is stored before the start, and its period the reload value.  A store to
 * ADJUST moves the expiry of a cell that runs, whatever the count is when it arrives.  What is moved into the past
 * expires at once: no point is lost to a store that comes late.  Points that have passed before are skipped.
 */
#ifndef CARILLON_CELL_ARRAY_H
#define CARILLON_CELL_ARRAY_H

#include "carillon_board.h"
#include "carillon_port.h"

#include "cells/array/registers.h"

/* carillon_board.h says where the array is: ARRAY_BASE. */
#define ARRAY_COUNTER(cell) (ARRAY_BASE(cell) + ARRAY_COUNT_OFFSET(cell))
#define ARRAY_RELOAD(cell) (ARRAY_BASE(cell) + ARRAY_RELOAD_OFFSET(cell))
#define ARRAY_ADJUST(cell) (ARRAY_BASE(cell) + ARRAY_ADJUST_OFFSET(cell))
#define ARRAY_BIT(cell) (UINT32_C(1) << (cell))

/* The controller enables the sources, so that every cell requests. */
#define ARRAY_PREPARE(cell, first, period, prescaler)                                           \
    CARILLON_STORE(ARRAY_COUNTER(cell), (first)), CARILLON_STORE(ARRAY_RELOAD(cell), (period)), \
        CARILLON_STORE(ARRAY_BASE(cell) + ARRAY_ENABLE_OFFSET, ARRAY_BIT(cell))
/* What the counter reads, plus the time, for a cell that expires at `offset`. */
#define ARRAY_PHASE(offset) (offset)
#define ARRAY_START(bits) CARILLON_STORE(ARRAY_BASE(0u) + ARRAY_START_OFFSET, (bits))

/* A schedule table starts by two stores.  RESTART begins its cells so far ahead of where they are to be that none expires
 * before MOVE says when the table begins: the kernel adds that to its value.  A round's handlers may hold that store back
 * for less than so long (TABLE_AHEAD in allocate/table_cells.py). */
#define ARRAY_AHEAD 0x10000000u
#define ARRAY_RESTART_PREPARE(cell, first, period, prescaler)                   \
    CARILLON_STORE(ARRAY_BASE(cell) + ARRAY_FIRST_OFFSET(cell),                 \
                   (uint32_t)(first) + ARRAY_AHEAD - CARILLON_PORT_SINCE_READ), \
        CARILLON_STORE(ARRAY_RELOAD(cell), (period)),                           \
        CARILLON_STORE(ARRAY_BASE(cell) + ARRAY_ENABLE_OFFSET, ARRAY_BIT(cell))
#define ARRAY_RESTART(bits) CARILLON_STORE(ARRAY_BASE(0u) + ARRAY_RESTART_OFFSET, (bits))
#define ARRAY_MOVE() CARILLON_STORE(ARRAY_BASE(0u) + ARRAY_MOVE_OFFSET, 0u - ARRAY_AHEAD)
#define ARRAY_STOP_TOGETHER(bits) CARILLON_STORE(ARRAY_BASE(0u) + ARRAY_STOP_OFFSET, (bits))
#define ARRAY_STOP(cell) CARILLON_STORE(ARRAY_BASE(cell) + ARRAY_STOP_OFFSET, ARRAY_BIT(cell))

/* What stops and starts the cells whose words are stored, as they stand; with a reload value of 0 a cell stops at 0. */
#define ARRAY_PAUSE (ARRAY_BASE(0u) + ARRAY_STOP_OFFSET)
#define ARRAY_RESUME (ARRAY_BASE(0u) + ARRAY_START_OFFSET)
#define ARRAY_WORD(cell) ARRAY_BIT(cell)
#define ARRAY_ALL(words) (words)

/* A task's deadlines request from the expiry on that activates the task, until the end of its handler is stored to DONE. */
#define ARRAY_ARMS(cell, bits) CARILLON_STORE(ARRAY_BASE(cell) + ARRAY_ARMS_OFFSET(cell), (bits))
#define ARRAY_HOLD(cell) CARILLON_STORE(ARRAY_BASE(cell) + ARRAY_DISABLE_OFFSET, ARRAY_BIT(cell))

/* Of a running cell that RESTART has begun, and of any that runs: carillon_port_shift stores what is to be added. */
#define ARRAY_ALIGN(cell, first, period) CARILLON_SHIFT(ARRAY_ADJUST(cell), 0u - ARRAY_AHEAD)
#define ARRAY_SYNC(cell) CARILLON_SHIFT(ARRAY_ADJUST(cell), 0u)

/* A step of a multiplexed cell that would count `period` by itself. */
#define ARRAY_REARM_REGISTER(cell) ARRAY_ADJUST(cell)
#define ARRAY_INTERVAL(interval, period) ((uint32_t)(interval) - (uint32_t)(period))
/* The same for a deadline, moved before it expires: nothing was counted by itself. */
#define ARRAY_POSTPONE(interval) ((uint32_t)(interval))

/* Move a multiplexed cell to its next point.
 *
 * Points that have passed are skipped, as they were absorbed by the activation that waited: the cell counts a period by
 * itself once only.  A point that passes between the load and the store expires at once, and the handler comes again. */
static inline void array_rearm(struct carillon_multiplex *multiplex)
{
    const struct carillon_step *step = multiplex->next;
    const carillon_address reg = multiplex->reg;
    uint32_t added = step->interval;
    const uint32_t left = carillon_port_read(reg);
    while ((int32_t)(left + added) <= 0) { /* bounded by the steps that an overrun can pass */
        step = step->next;
        added += step->interval + carillon_port_read(reg + ARRAY_RELOAD_OFFSET(0u) - ARRAY_ADJUST_OFFSET(0u));
    }
    carillon_port_write(reg, added);
    multiplex->next = step->next;
}

/* A deadline that was met, before it expires: the next one lies ahead. */
static inline void array_postpone(struct carillon_multiplex *multiplex)
{
    const struct carillon_step *const step = multiplex->next;
    carillon_port_write(multiplex->reg, step->interval);
    multiplex->next = step->next;
}

#endif
