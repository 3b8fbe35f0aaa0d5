/* SPDX-License-Identifier: Apache-2.0
 *
 * The points of schedule tables in queues. */
#include "kernel/counters/table_lone.h"
#include "kernel/counters/table_queue.h"
#include "kernel/jobs/act.h"

#if (CARILLON_OSEK_SCHEDULE_TABLES > 0) && IN_QUEUES

#if CARILLON_OSEK_ADJUSTS
struct deviation carillon_osek_deviations[CARILLON_OSEK_CURSORS];
#endif

#if CARILLON_OSEK_ADJUSTS
/* The cursor has come to a step: the table is synchronous when it has come to where it was to be, not when that is
 * planned (SWS_Os_00418, 00419). */
static void arrive(uint32_t cursor)
{
    struct deviation *const deviation = &carillon_osek_deviations[cursor];
    const uint8_t table = carillon_osek_cursors[cursor].table;
    uint8_t *const status = &carillon_osek_table_states[table].status;
    if (deviation->nears && (deviation->rest <= carillon_osek_schedule_tables[table].precision)) {
        deviation->nears = false;
        if (*status == SCHEDULETABLE_RUNNING) { /* at its end another cursor of it may have stopped it */
            *status = SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS;
        }
    }
}

/* The delay to the cursor's next step; of a table that is adjusted, as the step allows it (SWS_Os_00420, 00421).
 *
 * The last point adjusts the delay to the first of the next turn.  That is longer if the end is later.  It is shorter
 * if the end is earlier, and where it cannot be, if the first point comes the rest earlier after it.  What follows
 * another table begins as that one's final delay and its own initial offset say (SWS_Os_00284). */
static carillon_osek_distance planned(uint32_t cursor)
{
    const struct carillon_osek_cursor *const fixed = &carillon_osek_cursors[cursor];
    const struct carillon_osek_step *const step = &fixed->steps[state_of(cursor)->cycle];
    carillon_osek_distance delay = (carillon_osek_distance)step->delay;
    struct deviation *const deviation = &carillon_osek_deviations[cursor];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[fixed->table];
    const bool is_end = (state_of(cursor)->cycle + 1u) == fixed->count;
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
        deviation->nears = deviation->ticks <= carillon_osek_schedule_tables[fixed->table].precision;
    } else {
        /* nothing is to be adjusted, or not here */
    }
    return delay;
}

/* The next table's cursor goes on.  Nothing is left of what the last point has taken from the next turn's first delay.  If
 * it has taken something, the end has come in the same tick, with nothing in between. */
static inline void hand_over(uint32_t cursor, uint32_t other)
{
    carillon_osek_deviations[other] = carillon_osek_deviations[cursor];
}
#else
static inline void arrive(uint32_t cursor)
{
    (void)cursor;
}

static inline carillon_osek_distance planned(uint32_t cursor)
{
    return (carillon_osek_distance)carillon_osek_cursors[cursor].steps[state_of(cursor)->cycle].delay;
}

static inline void hand_over(uint32_t cursor, uint32_t other)
{
    (void)cursor;
    (void)other;
}
#endif

/* The cursor that goes on where this one has come to its table's end: itself, or that of the next table. */
static bool goes_on(uint32_t *cursor)
{
    const uint8_t table = carillon_osek_cursors[*cursor].table;
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    const uint8_t next =
        (CARILLON_OSEK_QUEUED_CURSORS > 0u) ? state->next : NONE; /* nothing follows a lone one's table */
    if ((next == NONE) && (fixed->repeating != 0u)) {
        return true;
    }
    if (state->passed == 0u) {
        if (next != NONE) {
            carillon_osek_table_states[next].status = state->status;
        }
        state->status = SCHEDULETABLE_STOPPED;
    }
    state->passed++;
    if (state->passed == fixed->cursors) {
        state->passed = 0u;
        state->next = NONE;
    }
    if (next == NONE) {
        return false;
    }
    const uint32_t other = *cursor + carillon_osek_schedule_tables[next].first - fixed->first;
    hand_over(*cursor, other);
    *cursor = other;
    return true;
}

/* Do what a step says. */
static inline void act(const struct carillon_osek_step *step)
{
    for (uint32_t i = 0; i < step->count; i++) {
        const struct carillon_osek_point_action *const action = &carillon_osek_point_actions[step->first + i];
        carillon_act(CARILLON_OSEK_POINT_ACTIONS, action->action, action->object, &action->operand);
    }
}

/* A cursor that is in no queue has come to a step: do what that says, and put it in for the next one. */
static void expire(uint32_t first)
{
    uint32_t cursor = first;
    for (;;) {
        const struct carillon_osek_cursor *const fixed = &carillon_osek_cursors[cursor];
        struct carillon_osek_alarm_state *const its = state_of(cursor);
        act(&fixed->steps[its->cycle]);
        const bool turns = carillon_osek_turns(cursor, its->cycle);
        its->cycle = turns ? 0u : (its->cycle + 1u);
        arrive(cursor);
        if (its->cycle == fixed->count) {
            if (!goes_on(&cursor)) {
                return;
            }
            state_of(cursor)->cycle = 0u;
        }
        const carillon_osek_distance delay = turns ? carillon_osek_turn_delay(fixed) : planned(cursor);
        if (delay != 0u) {
            insert(cursor, delay);
            return;
        }
    }
}

#if CARILLON_OSEK_QUEUED_CURSORS > 0
void carillon_osek_expire_points(struct carillon_queue *queue, struct carillon_osek_alarm_state *state)
{
    carillon_queue_pop(queue);
    expire((uint32_t)(state - carillon_osek_alarm_states) - CARILLON_OSEK_ALARMS);
}
#endif

#if CARILLON_OSEK_LONE
void carillon_osek_act_point(const struct carillon_osek_step *step)
{
    act(step);
}

void carillon_osek_expire_lone(CounterType part, uint32_t cursor)
{
    const struct carillon_osek_table_state *const state =
        &carillon_osek_table_states[carillon_osek_cursors[cursor].table];
    carillon_osek_queue_of(part)->head.time = CARILLON_NEVER; /* unless it is put in again */
    if ((state->status >= SCHEDULETABLE_RUNNING) || (state->passed != 0u)) {
        expire(cursor);
    }
}
#endif

#endif
