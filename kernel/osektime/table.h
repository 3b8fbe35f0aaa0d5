/* SPDX-License-Identifier: Apache-2.0
 *
 * A table: one cell, re-armed among points of several actions, and a handler that looks up what is due.
 *
 * It carries what has no cell of its own.  In the conventional kernel, which is there for comparison, it carries
 * everything. */
#ifndef CARILLON_TABLE_H
#define CARILLON_TABLE_H

#include "kernel/core/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum carillon_action {
    CARILLON_ACTIVATE,
    CARILLON_DEADLINE,
    CARILLON_ENABLE,
    CARILLON_CONTROL, /* of the conventional kernel alone: others have a control cell */
};

/* A point of the round.  `step` comes first, so that an entry is a step of the table's cell; its next is the first
 * entry of the next tick.  `more` says that the entry after it in the table is due in the same tick. */
struct carillon_entry {
    struct carillon_step step;
    carillon_vector function; /* of the task to activate */
    carillon_value mask;      /* of the source to enable */
    uint16_t object;          /* number of the task, or the source */
    uint8_t action;
    uint8_t more;
};

/* Carry out the entries that are due, from `first` up to the tick whose first step is `next`, which is what the cell
 * has been re-armed for.  That is one tick, or several if the handler is late. */
void carillon_table_dispatch(const struct carillon_entry *first, const struct carillon_step *next);

/* What has become of each task's activations (table.c). */
extern uint8_t carillon_table_tasks[];

#ifdef __cplusplus
}
#endif

#endif
