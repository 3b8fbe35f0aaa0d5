/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells of the virtual controller: down counters with a reload, all started by one store.  Counters are in
 * units of a cell's own clock; the controller converts them to ticks of the schedule.
 */
#ifndef CARILLON_CELL_VIRTUAL_H
#define CARILLON_CELL_VIRTUAL_H

#include "carillon_port.h"

#define VIRTUAL_START_ALL UINT32_C(0x200000)
/* What stops and starts the cell whose word is stored, as it stands; with a reload value of 0 it stops at 0.  One word
 * stops all cells with a reload value of 0. */
#define VIRTUAL_PAUSE UINT32_C(0x200004)
#define VIRTUAL_RESUME UINT32_C(0x200008)
#define VIRTUAL_CELLS UINT32_C(0x300000)
#define VIRTUAL_COUNTER(cell) (VIRTUAL_CELLS + 16u * (cell))
#define VIRTUAL_RELOAD(cell) (VIRTUAL_CELLS + 16u * (cell) + 4u)
#define VIRTUAL_PRESCALER(cell) (VIRTUAL_CELLS + 16u * (cell) + 12u)
#define VIRTUAL_STOP_CELL(cell) (VIRTUAL_CELLS + 16u * (cell) + 8u)
/* What a cell has counted since it last expired by itself, modulo its reload value.  And where it is to expire, instead
 * of at its end, from the first store on. */
#define VIRTUAL_COMPARE UINT32_C(0x400000)
#define VIRTUAL_UP(cell) (VIRTUAL_COMPARE + 8u * (cell))
#define VIRTUAL_MATCH(cell) (VIRTUAL_COMPARE + 8u * (cell) + 4u)

/* A cell with a reload other than 0 takes part in the next start. */
#define VIRTUAL_PREPARE(cell, first, period, prescaler) \
    CARILLON_STORE(VIRTUAL_RELOAD(cell), (period)), CARILLON_STORE(VIRTUAL_PRESCALER(cell), (prescaler))
#define VIRTUAL_WORD(cell) ((uint32_t)(cell) + 1u)
#define VIRTUAL_ALL(words) (UINT32_MAX + (0u * (words)))
#define VIRTUAL_PHASE(offset) (offset)
#define VIRTUAL_BIT(cell) 0u
#define VIRTUAL_START(bits) CARILLON_STORE(VIRTUAL_START_ALL, 1u)
#define VIRTUAL_STOP(cell) CARILLON_STORE(VIRTUAL_STOP_CELL(cell), 1u)
#define VIRTUAL_ALIGN(cell, first, period) CARILLON_SHIFT(VIRTUAL_COUNTER(cell), (uint32_t)(first) - (uint32_t)(period))

#define VIRTUAL_SYNC(cell) CARILLON_SHIFT(VIRTUAL_COUNTER(cell), 0u)

#define VIRTUAL_REARM_REGISTER(cell) VIRTUAL_COUNTER(cell)
#define VIRTUAL_INTERVAL(interval, period) ((uint32_t)(interval) - (uint32_t)(period))
#define VIRTUAL_POSTPONE(interval) ((uint32_t)(interval))

static inline void virtual_rearm(struct carillon_multiplex *multiplex)
{
    const struct carillon_step *step = multiplex->next;
    uint32_t sum = carillon_port_read(multiplex->reg) + step->interval;
    multiplex->next = step->next;
    while ((int32_t)sum <= 0) { /* passed already: bounded by the steps that an overrun can pass */
        step = multiplex->next;
        sum += step->interval + carillon_port_read(multiplex->reg + 4u);
        multiplex->next = step->next;
    }
    carillon_port_write(multiplex->reg, sum);
}

static inline void virtual_postpone(struct carillon_multiplex *multiplex)
{
    const struct carillon_step *const step = multiplex->next;
    carillon_port_write(multiplex->reg, carillon_port_read(multiplex->reg) + step->interval);
    multiplex->next = step->next;
}

#endif
