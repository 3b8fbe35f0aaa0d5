/* SPDX-License-Identifier: Apache-2.0
 *
 * A table: one cell, re-armed among points of several actions, and a handler that looks up what is due.
 *
 * It carries what has no cell of its own.  In the conventional kernel, which is there for comparison, it carries
 * everything. */
#ifndef CARILLON_TABLE_H
#define CARILLON_TABLE_H

#include "kernel/contract/table.h"
#include "kernel/core/kernel.h"

/* Carry out the entries that are due, from `first` up to the tick whose first step is `next`, which is what the cell
 * has been re-armed for.  That is one tick, or several if the handler is late. */
void carillon_table_dispatch(const struct carillon_entry *first, const struct carillon_step *next);

/* Of a port on which only a handler itself can tell what it has preempted: it does, just before it calls. */
#ifdef CARILLON_PORT_PREEMPTED
extern uint32_t carillon_table_preempted;
#define carillon_table_dispatch(first, next)                \
    do {                                                    \
        carillon_table_preempted = CARILLON_PORT_PREEMPTED; \
        (carillon_table_dispatch)((first), (next));         \
    } while (false)
#endif

#endif
