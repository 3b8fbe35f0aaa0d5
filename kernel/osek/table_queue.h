/* SPDX-License-Identifier: Apache-2.0
 *
 * A table stands in the queue of its counter as an alarm does, with the step that is next.  What wakes tasks of several
 * levels has a cursor in each level's part of the queue (expiry.h).  A part is served at its level, so that its cursor
 * may be behind those of others.  What holds of them:
 *
 * 1. Every cursor of a table goes through the same ticks, and ends in the same tick.  So a cursor that is held back
 *    does later what it would have done, in the order of its ticks.
 * 2. A service first has all that is due served, in all parts (settle).  So what it changes is changed for all cursors
 *    at the same tick.
 * 3. Between two services, a table is left at most once: for the one that is to follow it, or as it is not repeated.
 *    What follows a table has nothing to follow it.  So `next` says for each cursor that is held back what follows,
 *    until all have passed the end; then it is forgotten.  The first of them says what is running. */
#ifndef CARILLON_TABLE_QUEUE_H
#define CARILLON_TABLE_QUEUE_H

#include "kernel/osek/table.h"

#if IN_QUEUES

#if CARILLON_OSEK_ADJUSTS
/* By how much a cursor is still to be adjusted: its table is ahead of the global time, or behind. */
struct deviation {
    TickType ticks;
    bool ahead;
    TickType rest; /* what the last point has taken from the delay to the next turn's first, after the end */
    bool nears;    /* it is within the precision when the cursor comes to its next step */
};
extern struct deviation carillon_osek_deviations[]; /* of each cursor */
#endif

static inline struct carillon_osek_alarm_state *state_of(uint32_t cursor)
{
    return &carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + cursor];
}

static inline struct carillon_queue *queue_of(uint32_t cursor)
{
    return carillon_osek_queue_of(carillon_osek_cursors[cursor].part);
}

/* Put a cursor into its part, `ticks` > 0 from the last tick that this has counted. */
static inline void insert(uint32_t cursor, carillon_osek_distance ticks)
{
    carillon_osek_insert(carillon_osek_cursors[cursor].part, state_of(cursor), ticks);
}

#endif

#endif
