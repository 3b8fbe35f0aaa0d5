/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule tables: whether one is on cells (table_cells.h) or in queues (table_queue.h, table_points.c).  The services
 * are in schedule_table.c. */
#ifndef CARILLON_TABLE_H
#define CARILLON_TABLE_H

#include "kernel/counters/counter.h"
#include "kernel/levels/level.h"

#if CARILLON_OSEK_QUEUES
/* A point of a schedule table is due, the first in the queue. */
void carillon_osek_expire_points(struct carillon_queue *queue, struct carillon_osek_alarm_state *state);

/* The cursor that is alone in a part is due. */
void carillon_osek_expire_lone(CounterType part, uint32_t cursor);
#endif

#define NONE INVALID_SCHEDULETABLE

/* Whether a table is on cells, and whether any stands in a queue. */
#define IN_QUEUES (CARILLON_OSEK_CURSORS > 0u)
#if CARILLON_OSEK_TABLE_CELLS > 0
#define ON_CELLS(table_) (!IN_QUEUES || (carillon_osek_tables_on_cells[(table_)] != NULL))

/* What is due less than so many ticks before now, which reads as almost 2^32 ticks ahead, has just passed. */
#define BEHIND UINT32_C(0x10000000)

/* A start, a stop and an adjustment lock all interrupts.  Beside a round they lock those of the event-triggered system
 * alone, since a round's handlers must not wait.  So such a handler may come between any two instructions. */
#if CARILLON_OSEK_TABLES_BESIDE
static inline uint32_t lock_table(void)
{
    return carillon_osek_lock();
}
static inline void unlock_table(uint32_t saved)
{
    carillon_osek_unlock(saved);
}

/* Read the time base and start cells.  They are started anew if a handler of a round has come in between.  Then the base
 * has gone on by more than the three accesses take: at most CARILLON_PORT_UNDISTURBED ticks. */
static inline uint32_t read_and_start(uint32_t counter, struct carillon_store start)
{
    uint32_t left;
    do {
        left = carillon_port_read_and_start(counter, start);
    } while ((left - carillon_port_read(counter)) > CARILLON_PORT_UNDISTURBED);
    return left;
}
#else
static inline uint32_t lock_table(void)
{
    return carillon_port_lock();
}
static inline void unlock_table(uint32_t saved)
{
    carillon_port_unlock(saved);
}
static inline uint32_t read_and_start(uint32_t counter, struct carillon_store start)
{
    return carillon_port_read_and_start(counter, start);
}
#endif

/* Whether a point may be due before its cell is set.  `due`: in how many ticks after the reading of the time base at a
 * start, or at most `behind` before it. */
static inline bool is_near(uint32_t due, uint32_t behind)
{
    return (due + behind) <= (CARILLON_BASE_NEAR + behind);
}
#else
#define ON_CELLS(table_) false
#endif

#endif
