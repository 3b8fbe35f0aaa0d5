/* SPDX-License-Identifier: Apache-2.0
 *
 * The start of a table on cells that are set while they stand still, and started by a store each (table_cells.h):
 *
 * 1. A start reads the time base.  The first cell's store comes CARILLON_BASE_SET ticks after that, at the beginning of
 *    a tick, and each other CARILLON_BASE_SPACING ticks after the one before (carillon_port_start_at).  So each cell is
 *    told how far its first expiry is from its own store.
 * 2. Interrupts are locked, and all that comes before the stores takes less than CARILLON_BASE_SET ticks.
 * 3. The base does not begin anew meanwhile: a start that would see that waits for it first.
 * 4. All cells have been started CARILLON_BASE_NEAR ticks after the reading.  A point that is due by then is waited for
 *    and requested here, in the order of the points.  The cell's next expiry is its own, exact: points of a cell are
 *    farther apart than CARILLON_BASE_NEAR (allocate/table_cells.py). */
#ifndef CARILLON_TABLE_SET_H
#define CARILLON_TABLE_SET_H

#include "kernel/counters/table.h"

#if (CARILLON_OSEK_TABLE_CELLS > 0) && CARILLON_OSEK_TABLES_SET

/* What the time base reads. */
static inline uint32_t start_cells(const struct carillon_osek_table_on_cells *cells)
{
    (void)cells;
    uint32_t left;
    do {
        left = carillon_port_read(CARILLON_BASE_COUNTER);
    } while (left <= CARILLON_BASE_NEAR);
    return left;
}

/* Start the cells of a table that begins `begin` ticks of the system clock after the time base has read `left`; locked.
 */
static __attribute__((noinline)) void place(const struct carillon_osek_table_on_cells *cells, uint32_t begin,
                                            uint32_t left)
{
    struct carillon_store last = {.address = 0u, .value = 0u};
    for (uint32_t i = 0; i < cells->prepare_count; i++) {
        carillon_port_write(cells->prepare[i].address, cells->prepare[i].value);
    }
    uint32_t since = CARILLON_BASE_SET; /* ticks from the reading to the cell's own store */
    for (uint32_t i = 0; i < cells->count; i++) {
        const uint32_t due = begin + cells->shifts[i].units;
        last.address = cells->shifts[i].counter;
        last.value = (due - since) + (is_near(due, BEHIND) ? cells->cells[i].period : 0u);
        carillon_port_write(last.address, last.value);
        since += CARILLON_BASE_SPACING;
    }
    carillon_port_start_at(CARILLON_BASE_COUNTER, left - CARILLON_BASE_SET, &last, 1u, cells->starts, cells->count);
    for (uint32_t i = 0; (i < cells->count) && is_near(begin + cells->cells[i].first, BEHIND); i++) {
        const uint32_t due = begin + cells->cells[i].first;
        uint32_t ahead; /* huge when it has passed */
        do {
            ahead = due - (left - carillon_port_read(CARILLON_BASE_COUNTER));
        } while ((ahead - 1u) < CARILLON_BASE_NEAR);
        carillon_port_request(cells->cells[i].source);
    }
}

#endif

#endif
