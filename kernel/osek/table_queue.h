/* SPDX-License-Identifier: Apache-2.0
 *
 * A table stands in the queue of its counter as an alarm does, with the step that is next.  What wakes tasks of several
 * levels has a cursor in each level's part of the queue (counter.h).  A part is served at its level, so that its cursor
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

#include "kernel/osek/act.h"
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
static struct deviation deviations[CARILLON_OSEK_CURSORS];
#endif

static inline struct carillon_osek_alarm_state *state_of(uint32_t cursor)
{
    return &carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + cursor];
}

static inline struct carillon_queue *queue_of(uint32_t cursor)
{
    return &carillon_osek_counter_states[carillon_osek_cursors[cursor].part].queue;
}

/* Put a cursor into its part, `ticks` > 0 from the last tick that this has counted. */
static void insert(uint32_t cursor, carillon_osek_distance ticks)
{
    carillon_osek_insert(carillon_osek_cursors[cursor].part, state_of(cursor), ticks);
}

#if CARILLON_OSEK_ADJUSTS
/* The cursor has come to a step: the table is synchronous when it has come to where it was to be, not when that is
 * planned (SWS_Os_00418, 00419). */
static void arrive(uint32_t cursor)
{
    struct deviation *const deviation = &deviations[cursor];
    const uint8_t table = carillon_osek_cursors[cursor].table;
    uint8_t *const status = &carillon_osek_table_states[table].status;
    if (deviation->nears && (deviation->rest <= carillon_osek_schedule_tables[table].precision)) {
        deviation->nears = false;
        if (*status == SCHEDULETABLE_RUNNING) { /* at its end another cursor of it may have stopped it */
            *status = SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS;
        }
    }
}
#endif

/* The delay to the cursor's next step; of a table that is adjusted, as the step allows it (SWS_Os_00420, 00421).
 *
 * The last point adjusts the delay to the first of the next turn.  That is longer if the end is later.  It is shorter
 * if the end is earlier, and where it cannot be, if the first point comes the rest earlier after it.  What follows
 * another table begins as that one's final delay and its own initial offset say (SWS_Os_00284). */
static carillon_osek_distance planned(uint32_t cursor)
{
    const struct carillon_osek_cursor *const it = &carillon_osek_cursors[cursor];
    const struct carillon_osek_step *const step = &it->steps[state_of(cursor)->cycle];
    carillon_osek_distance delay = (carillon_osek_distance)step->delay;
#if CARILLON_OSEK_ADJUSTS
    struct deviation *const deviation = &deviations[cursor];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[it->table];
    const bool is_end = (state_of(cursor)->cycle + 1u) == it->count;
    if (state_of(cursor)->cycle == 0u) {
        delay = (carillon_osek_distance)(delay - (carillon_osek_distance)deviation->rest);
        deviation->rest = 0u;
    } else if ((deviation->ticks != 0u) && (!is_end || (state->next == NONE))) {
        const TickType most = deviation->ahead ? step->max_lengthen : step->max_shorten;
        const TickType ticks = (deviation->ticks < most) ? deviation->ticks : most;
        deviation->ticks -= ticks;
        if (deviation->ahead) {
            delay = (carillon_osek_distance)(delay + (carillon_osek_distance)ticks);
        } else {
            const TickType now = (ticks < step->delay) ? ticks : step->delay;
            delay = (carillon_osek_distance)(delay - (carillon_osek_distance)now);
            deviation->rest = ticks - now;
        }
        deviation->nears = deviation->ticks <= carillon_osek_schedule_tables[it->table].precision;
    } else {
        /* nothing is to be adjusted, or not here */
    }
#endif
    return delay;
}

#if CARILLON_OSEK_ADJUSTS
/* A table is left whose last point has shortened the delay to a first point that does not come. */
static struct deviation given_back(struct deviation deviation)
{
    if (!deviation.ahead) {
        return (struct deviation){.ticks = deviation.ticks + deviation.rest, .ahead = false};
    }
    return (deviation.ticks >= deviation.rest)
               ? (struct deviation){.ticks = deviation.ticks - deviation.rest, .ahead = true}
               : (struct deviation){.ticks = deviation.rest - deviation.ticks, .ahead = false};
}
#endif

/* The cursor that goes on where this one has come to its table's end: itself, or that of the next table. */
static bool goes_on(uint32_t *cursor)
{
    const uint8_t table = carillon_osek_cursors[*cursor].table;
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    const uint8_t next = state->next;
    if ((next == NONE) && (it->repeating != 0u)) {
        return true;
    }
    if (state->passed == 0u) {
        if (next != NONE) {
            carillon_osek_table_states[next].status = state->status;
        }
        state->status = SCHEDULETABLE_STOPPED;
    }
    state->passed++;
    if (state->passed == it->cursors) {
        state->passed = 0u;
        state->next = NONE;
    }
    if (next == NONE) {
        return false;
    }
    const uint32_t other = *cursor + carillon_osek_schedule_tables[next].first - it->first;
#if CARILLON_OSEK_ADJUSTS
    deviations[other] = given_back(deviations[*cursor]);
#endif
    *cursor = other;
    return true;
}

/* Begin `ticks` from the last tick that has been counted. */
static void begin(uint8_t table, carillon_osek_distance ticks, uint8_t status)
{
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    carillon_osek_table_states[table].status = status;
    for (uint32_t cursor = it->first; cursor < ((uint32_t)it->first + it->cursors); cursor++) {
        const carillon_osek_distance first = (carillon_osek_distance)carillon_osek_cursors[cursor].steps[0].delay;
        state_of(cursor)->cycle = 0u;
#if CARILLON_OSEK_ADJUSTS
        deviations[cursor] = (struct deviation){.ticks = 0u};
#endif
        insert(cursor, (carillon_osek_distance)(ticks + first));
    }
}

/* Take a table that is running out of the queues. */
static void take_out(uint8_t table)
{
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    for (uint32_t cursor = it->first; cursor < ((uint32_t)it->first + it->cursors); cursor++) {
        carillon_queue_remove(queue_of(cursor), carillon_osek_event_of(state_of(cursor)));
    }
}

/* Serve what is due in the parts of a table's counter, until all have counted up to the same tick; locked.
 *
 * 1. Where time has been read after the last look at any part, and no tick of any part has passed by then, all have
 *    counted up to the tick before that reading.  No service looks at the time again.
 * 2. Serving takes less time than a tick, as it does in the handler. */
static void settle(uint8_t table)
{
#if CARILLON_BASE_BITS > 0
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    const carillon_base units = (carillon_base)carillon_osek_counters[it->counter].units;
    bool again = units != 0u;
    while (again) {
        const carillon_base left = carillon_base_left();
        again = false;
        for (uint32_t cursor = it->first; cursor < ((uint32_t)it->first + it->cursors); cursor++) {
            const CounterType part = carillon_osek_cursors[cursor].part;
            if (carillon_base_ticks_until(carillon_osek_counter_states[part].at, units, left) != 0u) {
                carillon_osek_catch_up(part);
                again = true;
            }
        }
    }
#else
    (void)table;
#endif
}

/* What the table's counter reads when all has been served. */
static TickType now(uint8_t table)
{
    const uint32_t cursor = carillon_osek_schedule_tables[table].first;
    return carillon_osek_counter_states[carillon_osek_cursors[cursor].part].value;
}

#endif

#endif
