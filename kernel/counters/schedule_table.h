/* SPDX-License-Identifier: Apache-2.0
 *
 * How schedule tables start and end. */
#ifndef CARILLON_OSEK_SCHEDULE_TABLE_H
#define CARILLON_OSEK_SCHEDULE_TABLE_H

#include "kernel/levels/state.h"

/* Start the schedule tables of an application mode, in queues and on cells; locked. */
#if CARILLON_OSEK_CURSORS > 0
void carillon_osek_start_schedule_tables(AppModeType mode);
#else
static inline void carillon_osek_start_schedule_tables(AppModeType mode)
{
    (void)mode;
}
#endif
#if CARILLON_OSEK_TABLE_CELLS > 0
void carillon_osek_start_tables_on_cells(AppModeType mode);
#else
static inline void carillon_osek_start_tables_on_cells(AppModeType mode)
{
    (void)mode;
}
#endif

/* The handlers of the end of a table on cells, and of its half; and of the last point of one that is adjusted. */
void carillon_osek_end_table(uint8_t table);
void carillon_osek_half_table(uint8_t table);
void carillon_osek_adjust_table(uint8_t table);

#endif
