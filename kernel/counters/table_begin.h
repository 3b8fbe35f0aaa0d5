/* SPDX-License-Identifier: Apache-2.0
 *
 * How a schedule table begins whose cursors are alone in their parts: for schedule_table.c alone. */
#ifndef CARILLON_OSEK_TABLE_BEGIN_H
#define CARILLON_OSEK_TABLE_BEGIN_H

#include "kernel/counters/table_queue.h"

#if CARILLON_OSEK_LONE
/* Whether a first point is further than the queue's times hold. */
#if CARILLON_TIME_BITS < 32
static inline bool is_beyond_lap(TickType ticks)
{
    return ticks > CARILLON_LAP;
}
#else
static inline bool is_beyond_lap(TickType ticks)
{
    (void)ticks;
    return false;
}
#endif

/* Begin a table that is stopped, and whose cursors are alone in their parts, `ticks` from the last tick of its counter.
 * Whatever the parts were, they are set anew, each with the reference of the counter's first part: what has passed
 * since is added to what is left.  False: nothing has been done, as a cursor is held back that has not come to the end.
 * Or the first points are far away, or the base begins anew before them.
 *
 * 1. If the base has begun anew since the reference, each part is due after that, too.  So one sum does for all: what
 *    the base would have read at the reference, had it begun where it is now.
 * 2. What has passed is exact if it is at most CARILLON_BASE_AHEAD units.  If the first tick has not come yet, it seems
 *    to be more (base.h, 3).
 * 3. No number of ticks here is more than 32 bits: the contract says so of `lone`. */
static __attribute__((noinline)) bool begin_lone(uint8_t any, TickType ticks)
{
    const uint8_t table = (CARILLON_OSEK_SCHEDULE_TABLES == 1u) ? 0u : any; /* the compiler knows the only one */
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    if ((fixed->lone == 0u) || (state->status != SCHEDULETABLE_STOPPED) || (state->passed != 0u)) {
        return false;
    }
    const carillon_base units = (carillon_base)carillon_osek_counters[fixed->counter].units;
    const carillon_base at = carillon_osek_counter_states[fixed->counter].ticker.at;
    const carillon_base left = carillon_base_left();
    const carillon_base reference = (left > at) ? (carillon_base)(at + CARILLON_BASE_PERIOD) : at;
    const carillon_base passed = (carillon_base)(reference - left);
    const TickType from = ticks + (TickType)(passed / units);
    const TickType most = from + fixed->duration; /* no first point is further away */
    const uint64_t within = (uint64_t)most * units;
    if ((passed > CARILLON_BASE_AHEAD) || (within > CARILLON_BASE_AHEAD) || (within > reference)) {
        return false;
    }
    if (is_beyond_lap(most)) {
        return false;
    }
    const struct carillon_osek_cursor *cursor = &carillon_osek_cursors[fixed->first];
    const struct carillon_osek_cursor *const end = cursor + fixed->cursors;
    struct carillon_osek_alarm_state *its = state_of(fixed->first);
    do { /* at most 255 times */
        const carillon_base ahead = (carillon_base)(from + cursor->steps[0].delay);
        struct carillon_osek_counter_state *const part = &carillon_osek_counter_states[cursor->part];
        its->cycle = 0u;
        its++;
        cursor++;
        part->ticker.queue.head.time = (carillon_time)ahead;
        part->ticker.at = at;
        part->ticker.wake = (carillon_base)((reference + 1u) - (carillon_base)(ahead * units));
    } while (cursor != end);
    state->status = SCHEDULETABLE_RUNNING;
    return true;
}
#else
static inline bool begin_lone(uint8_t table, TickType offset)
{
    (void)table;
    (void)offset;
    return false;
}
#endif

#endif
