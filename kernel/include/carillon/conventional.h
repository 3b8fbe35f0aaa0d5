/* SPDX-License-Identifier: Apache-2.0
 *
 * The conventional kernel, for comparison: one system timer, a dispatcher table walked in software, and an
 * interrupt for every deadline.  Same application, same services, same hooks.
 */
#ifndef CARILLON_CONVENTIONAL_H
#define CARILLON_CONVENTIONAL_H

#include "carillon/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum carillon_action {
    CARILLON_ACTIVATE,
    CARILLON_DEADLINE,
    CARILLON_ENABLE,
    CARILLON_CONTROL,
};

/* A point of the round.  `step` comes first, so that an entry is a step of the system timer's cell; its
 * next is the first entry of the next tick.  `more` says that the entry after it in the table is due in
 * the same tick. */
struct carillon_entry {
    struct carillon_step step;
    carillon_vector function; /* of the task to activate */
    carillon_value mask;      /* of the source to enable */
    uint16_t object;          /* number of the task, or the source */
    uint8_t action;
    uint8_t more;
};

/* Carry out the entries that are due in a tick, beginning with `first`; the timer has been re-armed. */
void carillon_conventional_dispatch(const struct carillon_entry *first);

/* Whether each task has been activated and has not ended. */
extern uint8_t carillon_conventional_active[];

#ifdef __cplusplus
}
#endif

#endif
