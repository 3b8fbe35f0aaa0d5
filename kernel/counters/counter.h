/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters: their state, and what stands in their queues. */
#ifndef CARILLON_COUNTER_H
#define CARILLON_COUNTER_H

#include "kernel/clock/base.h"
#include "kernel/clock/ticker.h"
#include "kernel/levels/state.h"

/* Whether a part of a counter's queue may have a schedule table's cursor alone in it (table_queue.h). */
#define CARILLON_OSEK_LONE ((CARILLON_OSEK_LONE_CURSORS > 0) && CARILLON_OSEK_AHEAD && !CARILLON_TICKLESS)
#if CARILLON_OSEK_COUNTERS > 0

#define CARILLON_OSEK_AHEAD (CARILLON_OSEK_QUEUES && CARILLON_TICKER_AHEAD)

/* Cursors that may stand in queues. */
#if CARILLON_OSEK_LONE
#define CARILLON_OSEK_QUEUED_CURSORS (CARILLON_OSEK_CURSORS - CARILLON_OSEK_LONE_CURSORS)
#else
#define CARILLON_OSEK_QUEUED_CURSORS CARILLON_OSEK_CURSORS
#endif

#if CARILLON_OSEK_QUEUES
/* Ticks to an expiry, at most a whole turn of the counter: CARILLON_OSEK_FAR says whether that may be more than the
 * queue's times hold. */
#if CARILLON_OSEK_FAR
typedef carillon_distance carillon_osek_distance;
typedef struct carillon_far_event carillon_osek_event;
#define CARILLON_OSEK_NEAR(far) (&(far)->event)
#define CARILLON_OSEK_IS_FAR(far, cycle) (((far)->laps != 0u) || ((cycle) > CARILLON_LONGEST))
#define CARILLON_OSEK_QUEUE_INSERT carillon_queue_insert_far
#define CARILLON_OSEK_QUEUE_DISTANCE carillon_queue_distance_far
#define CARILLON_OSEK_QUEUE_REPEAT(queue, far, cycle) carillon_queue_repeat_far((queue), (far), (cycle))
#define CARILLON_OSEK_NEXT_LAP carillon_queue_next_lap
#else
typedef carillon_time carillon_osek_distance;
typedef struct carillon_event carillon_osek_event;
#define CARILLON_OSEK_NEAR(near) (near)
#define CARILLON_OSEK_IS_FAR(near, cycle) false
#define CARILLON_OSEK_QUEUE_INSERT carillon_queue_insert
#define CARILLON_OSEK_QUEUE_DISTANCE carillon_queue_distance
#define CARILLON_OSEK_QUEUE_REPEAT(queue, near, cycle) carillon_queue_repeat((queue), (carillon_time)(cycle))
#define CARILLON_OSEK_NEXT_LAP(queue, near) false
#endif

/* What stands in the queues: the alarms, and behind them the cursors of schedule tables. */
struct carillon_osek_alarm_state {
    carillon_osek_event event; /* first, as the queue gives this back */
    TickType cycle;            /* of a cursor: the step that is next */
};
extern struct carillon_osek_alarm_state carillon_osek_alarm_states[];

static inline struct carillon_event *carillon_osek_event_of(struct carillon_osek_alarm_state *state)
{
    return CARILLON_OSEK_NEAR(&state->event);
}
#else
typedef TickType carillon_osek_distance;
#endif

struct carillon_osek_counter_state {
#if CARILLON_OSEK_QUEUES
    struct carillon_ticker ticker; /* its reference is the value, but in a tick that is being served */
#endif
    TickType value;
#if CARILLON_OSEK_AHEAD
    carillon_base ahead; /* ticks from the reference to the tick to which the ticker is left */
#endif
#if CARILLON_OSEK_LEVEL_COUNTERS
    bool serving; /* what is due is being served */
#endif
};
extern struct carillon_osek_counter_state carillon_osek_counter_states[];

/* Whether what is due of a counter is being served: of counters that have the level of tasks (expiry.h, 4). */
#if CARILLON_OSEK_LEVEL_COUNTERS
static inline void carillon_osek_counter_serves(struct carillon_osek_counter_state *state, bool serving)
{
    state->serving = serving;
}
#else
static inline void carillon_osek_counter_serves(struct carillon_osek_counter_state *state, bool serving)
{
    (void)state;
    (void)serving;
}
#endif

/* The cursor that is alone in a part, plus 1; 0: none is. */
#if CARILLON_OSEK_LONE
static inline uint32_t carillon_osek_lone_of(const struct carillon_osek_counter *part)
{
    return part->lone;
}
#define CARILLON_OSEK_INSERT_LONE(queue, ticks) ((queue)->head.time = (ticks))
#else
#define CARILLON_OSEK_INSERT_LONE(queue, ticks) ((void)(queue), (void)(ticks))
static inline uint32_t carillon_osek_lone_of(const struct carillon_osek_counter *part)
{
    (void)part;
    return 0u;
}
#endif

/* Which part of the counters' queues it is: the compiler knows the only one. */
static inline CounterType carillon_osek_only_part(CounterType part)
{
    return (CARILLON_OSEK_PARTS == 1u) ? 0u : part;
}

#if CARILLON_OSEK_QUEUES
static inline struct carillon_queue *carillon_osek_queue_of(CounterType part)
{
    return &carillon_osek_counter_states[part].ticker.queue;
}

/* Ticks that have passed and that nobody has counted; none of a software counter. */
#if CARILLON_BASE_BITS > 0
static inline carillon_osek_distance carillon_osek_uncounted(CounterType counter)
{
    const carillon_base units = (carillon_base)carillon_osek_counters[counter].units;
    if (units == 0u) {
        return 0u;
    }
    return (carillon_osek_distance)carillon_ticker_uncounted(&carillon_osek_counter_states[counter].ticker, units);
}
#else
static inline carillon_osek_distance carillon_osek_uncounted(CounterType counter)
{
    (void)counter;
    return 0u;
}
#endif

/* Ticks until the counter reads `value`, from a tick when it reads `now`: at least one. */
static inline carillon_osek_distance carillon_osek_until(CounterType counter, TickType now, TickType value)
{
    const TickType but_one =
        (value > now) ? ((value - now) - 1u) : ((carillon_osek_counters[counter].max_allowed - now) + value);
    carillon_osek_distance ticks = (carillon_osek_distance)but_one;
    ticks++; /* in the type that has room for a whole turn */
    return ticks;
}

#else

static inline carillon_osek_distance carillon_osek_uncounted(CounterType counter)
{
    (void)counter;
    return 0u;
}

#endif

/* What a counter reads so many ticks after `value`. */
static inline TickType carillon_osek_later(const struct carillon_osek_counter *counter, TickType value,
                                           carillon_osek_distance ticks)
{
    const TickType most = counter->max_allowed;
    const TickType room = most - value;
    if (ticks <= room) {
        return value + (TickType)ticks;
    }
    const TickType over = (TickType)((ticks - room) - 1u);
    return (over <= most) ? over : (over % (most + 1u));
}

#if CARILLON_OSEK_QUEUES

/* What is first in a part of a counter's queue has changed, or the tick that was counted last. */
#if CARILLON_OSEK_AHEAD
void carillon_osek_look_ahead(CounterType part);
#else
static inline void carillon_osek_look_ahead(CounterType part)
{
    (void)part;
}
#endif

/* Put what is to expire into a part of a counter's queue, `ticks` > 0 from the last tick that has been counted; behind
 * what is due in the same tick. */
static inline void carillon_osek_insert(CounterType any, struct carillon_osek_alarm_state *state,
                                        carillon_osek_distance ticks)
{
    const CounterType part = carillon_osek_only_part(any);
    CARILLON_OSEK_QUEUE_INSERT(carillon_osek_queue_of(part), &state->event, ticks);
    carillon_osek_look_ahead(part);
}

#endif
#endif

#endif
