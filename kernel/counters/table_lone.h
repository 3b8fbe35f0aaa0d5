/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule table's cursor that is alone in its part of the counter's queue (table_queue.h, 4 to 6): what a step takes
 * that comes in time.  Handlers have this within them. */
#ifndef CARILLON_OSEK_TABLE_LONE_H
#define CARILLON_OSEK_TABLE_LONE_H

#include "kernel/counters/counter.h"

#if CARILLON_OSEK_LONE

#include "carillon/schedule_table.h"

/* Do what a step says; locked. */
void carillon_osek_act_point(const struct carillon_osek_step *step);

/* Whether a cursor goes from a step straight to the first of the next turn: the step is the last before the end. */
static inline bool carillon_osek_turns(uint32_t cursor, TickType step)
{
    const struct carillon_osek_cursor *const fixed = &carillon_osek_cursors[cursor];
    return ((step + 2u) == fixed->count) && (carillon_osek_counters[fixed->part].lone != 0u) &&
           (carillon_osek_schedule_tables[fixed->table].repeating != 0u);
}

/* What it takes to go there. */
static inline carillon_osek_distance carillon_osek_turn_delay(const struct carillon_osek_cursor *fixed)
{
    return (carillon_osek_distance)(fixed->steps[fixed->count - 1u].delay + fixed->steps[0].delay);
}

/* The tick has come in which a lone cursor is due, and no later one: move the cursor on, and say what it is to do now.
 * NULL: nothing has been done, as its table does not run or ends here.  Or the next step is far away, or the counter or
 * the base begins anew on the way.  Locked.  Why there is no look whether more has come meanwhile is said beside
 * carillon_osek_repeats_first (expiry.h). */
static inline __attribute__((always_inline)) const struct carillon_osek_step *
carillon_osek_step_in_time(CounterType part, uint32_t cursor, carillon_base left)
{
    struct carillon_osek_counter_state *const state = &carillon_osek_counter_states[part];
    struct carillon_osek_alarm_state *const its = &carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + cursor];
    const struct carillon_osek_counter *const counter = &carillon_osek_counters[part];
    const struct carillon_osek_cursor *const fixed = &carillon_osek_cursors[cursor];
    const carillon_base units = (carillon_base)counter->units;
    const carillon_base at = (carillon_base)(state->ticker.wake - 1u);
    const carillon_base most = carillon_ticker_most(units, CARILLON_LAP);
    const carillon_base passed = (carillon_base)carillon_queue_left(&state->ticker.queue); /* if it is due */
    if (((carillon_base)(at - left) >= units) || (carillon_queue_left(&state->ticker.queue) > most) ||
        (carillon_osek_table_states[fixed->table].status < SCHEDULETABLE_RUNNING)) {
        return NULL;
    }
    const TickType number = its->cycle;
    if ((number + 1u) >= fixed->count) {
        return NULL;
    }
    const bool turns = carillon_osek_turns(cursor, number);
    const carillon_base ahead =
        (carillon_base)(turns ? carillon_osek_turn_delay(fixed) : fixed->steps[number + 1u].delay);
    const bool valued = part < CARILLON_OSEK_COUNTERS; /* nobody asks a further part for its value */
    const bool folds = (counter->max_allowed & (counter->max_allowed + 1u)) == 0u;
    if ((ahead == 0u) || (ahead > most) || ((ahead * units) > at) ||
        (valued && !folds && ((TickType)passed > (counter->max_allowed - state->value)))) {
        return NULL;
    }
    its->cycle = turns ? 0u : (TickType)(number + 1u);
    state->ticker.at = at;
    state->ticker.wake = (carillon_base)((at - (ahead * units)) + 1u);
    state->ticker.queue.head.time = (carillon_time)ahead;
    if (valued) {
        state->value = (state->value + (TickType)passed) & (folds ? counter->max_allowed : ~(TickType)0u);
    }
    const volatile struct carillon_osek_step *const watched = &fixed->steps[number];
    (void)watched->delay; /* whoever watches a run sees this read, and then the number of actions, at each step */
    return &fixed->steps[number];
}

#elif CARILLON_OSEK_QUEUES

static inline bool carillon_osek_turns(uint32_t cursor, TickType step)
{
    (void)cursor;
    (void)step;
    return false;
}
static inline carillon_osek_distance carillon_osek_turn_delay(const struct carillon_osek_cursor *fixed)
{
    (void)fixed;
    return 0u;
}

#endif
#endif
