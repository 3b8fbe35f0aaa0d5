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
 *    until all have passed the end; then it is forgotten.  The first of them says what is running.
 *
 * A part in which nothing but one cursor can wait needs no queue (CARILLON_OSEK_LONE).  The part's reference and what
 * is left from it say when the cursor is due.  The list beside these stays empty.  What holds of such a cursor:
 *
 * 4. All tables of a counter have cursors in the same parts.  So its table is the only one of its counter, and no other
 *    table follows it.  If it repeats, the cursor goes from the last point straight to the first one of the next turn.
 *    Nothing else is due in the part, so nobody can tell in which order it would have come.
 * 5. A stop leaves it alone.  When it is due it finds its table stopped, and waits for nothing more.
 *    A service has all that is due served before it stops the table, so what is due later belongs to the stopped one.
 *    A table that has come to its end says that it is stopped, too, while some of its cursors are held back: `passed`.
 * 6. A start sets the part anew, its reference included, whatever it was: a stopped table waits for nothing. */
#ifndef CARILLON_TABLE_QUEUE_H
#define CARILLON_TABLE_QUEUE_H

#include "kernel/counters/table.h"

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

/* A cursor begins where it is to be; and it is to go on as it is. */
static inline void begin_exact(uint32_t cursor)
{
    carillon_osek_deviations[cursor] = (struct deviation){.ticks = 0u};
}
static inline void adjust_no_more(uint32_t cursor)
{
    carillon_osek_deviations[cursor].ticks = 0u;
    carillon_osek_deviations[cursor].nears = false;
}
#else
static inline void begin_exact(uint32_t cursor)
{
    (void)cursor;
}
static inline void adjust_no_more(uint32_t cursor)
{
    (void)cursor;
}
#endif

static inline struct carillon_osek_alarm_state *state_of(uint32_t cursor)
{
    return &carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + cursor];
}

static inline struct carillon_queue *queue_of(uint32_t cursor)
{
    return carillon_osek_queue_of(carillon_osek_cursors[cursor].part);
}

/* Whether a cursor is alone in its part. */
static inline bool is_lone(uint32_t cursor)
{
    return (CARILLON_OSEK_QUEUED_CURSORS == 0u) ||
           (carillon_osek_lone_of(&carillon_osek_counters[carillon_osek_cursors[cursor].part]) != 0u);
}

/* Put a cursor into its part, `ticks` > 0 from the last tick that this has counted. */
static inline void insert(uint32_t cursor, carillon_osek_distance ticks)
{
    if (is_lone(cursor)) {
        CARILLON_OSEK_INSERT_LONE(queue_of(cursor), ticks);
        carillon_osek_look_ahead(carillon_osek_cursors[cursor].part);
        return;
    }
    carillon_osek_insert(carillon_osek_cursors[cursor].part, state_of(cursor), ticks);
}

#endif

#endif
