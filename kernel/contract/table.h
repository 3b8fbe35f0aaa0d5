/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of a table: what is due at the points of one cell that is re-armed among several actions. */
#ifndef CARILLON_CONTRACT_TABLE_H
#define CARILLON_CONTRACT_TABLE_H

#include "carillon_port.h"
#include "kernel/contract/action.h"
#include "kernel/contract/mode.h"

/* A point of the round.  `step` comes first, so that an entry is a step of the table's cell; its next is the first
 * entry of the next tick.  `more` says that the entry after it in the table is due in the same tick.  Only tables of
 * the conventional kernel switch modes: others have a control cell. */
struct carillon_entry {
    struct carillon_step step;
    carillon_vector function; /* of the task to activate; NULL: the action is another */
    carillon_value mask;      /* of the source to enable */
    uint16_t object;          /* number of the task, or the source */
    uint8_t action;           /* of contract/action.h */
    uint8_t more;
};

/* What has become of each task's activations (table.c). */
extern uint8_t carillon_table_tasks[];

#endif
