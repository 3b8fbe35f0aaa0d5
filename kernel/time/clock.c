/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock: what changes its queue, and asks for the time. */
#include "clock_steps.h"

#if CARILLON_CLOCK != CARILLON_CLOCK_NONE

#if CARILLON_CLOCK_BASED
struct carillon_clock carillon_clock = {.ticker = {.queue = CARILLON_QUEUE_EMPTY(carillon_clock_queue)}};
#else
struct carillon_clock carillon_clock = {.queue = CARILLON_QUEUE_EMPTY(carillon_clock_queue)};
#endif

#if CARILLON_CLOCK_COUNTS_DOWN && CARILLON_CLOCK_NESTS
carillon_time carillon_clock_late;
#endif

#if CARILLON_CLOCK != CARILLON_CLOCK_TICK
void carillon_clock_arm(void)
{
    (void)clock_follow();
    clock_settle(false, NULL);
}
#endif

#if CARILLON_CLOCK_MERGES_LAPS
/* 1. What has happened after this is what would have happened if the handler had come for every lap, without delay. Who
 *    changes the queue follows first (clock_begin), so that events are put in among others whose laps have been
 *    accounted for.  So the order is as without it (carillon_queue_insert_far).
 * 2. Whole laps that all events have to go are skipped.  After that an event's time comes in this lap, or less than a
 *    lap has passed.  So every other event is repeated twice at most, which bounds the loop. */
carillon_span carillon_clock_pass_laps(carillon_span passed)
{
    struct carillon_queue *const queue = &carillon_clock_queue;
    carillon_span left_over = passed;
    do {
        const uint32_t whole = left_over / CARILLON_LAP;
        carillon_time rest;
        uint32_t laps = (whole != 0u) ? carillon_queue_laps(queue, &rest) : 0u;
        laps = (laps < whole) ? laps : whole;
        carillon_span step;
        if (laps != 0u) {
            carillon_queue_skip_laps(queue, laps);
            step = (carillon_span)(laps * CARILLON_LAP);
        } else {
            (void)carillon_queue_next_lap(queue, (struct carillon_far_event *)(void *)carillon_queue_first(queue));
            const carillon_time left = carillon_queue_left(queue);
            step = (left_over < left) ? left_over : left;
            carillon_queue_advance(queue, (carillon_time)step);
        }
        clock_account(step);
        left_over = (carillon_span)(left_over - step);
    } while ((carillon_queue_left(queue) == 0u) && clock_has_lap());
    return left_over;
}

carillon_span carillon_clock_ahead(void)
{
    carillon_time rest;
    const uint32_t laps = carillon_queue_laps(&carillon_clock_queue, &rest);
    return (laps < (CARILLON_CLOCK_REACH / CARILLON_LAP)) ? (carillon_span)((laps * CARILLON_LAP) + rest)
                                                          : (carillon_span)CARILLON_CLOCK_REACH;
}
#endif

#if CARILLON_CLOCK_BEHIND > 0
/* Count a tick whose expiries are overdue; true after CARILLON_CLOCK_BATCHES of them, with the timer set. */
static __attribute__((noinline, cold)) bool is_turn_over(void)
{
    carillon_clock.overdue++;
    if ((carillon_clock.overdue % CARILLON_CLOCK_BATCHES) != 0u) {
        return false;
    }
    carillon_span margin = CARILLON_CLOCK_BEHIND;
    while (!clock_arm((carillon_span)(clock_elapsed() + margin))) {
        if (margin <= (CARILLON_CLOCK_MASK / 4u)) {
            margin = (carillon_span)(margin + margin);
        }
    }
    return true;
}

bool carillon_clock_gives_way(void)
{
    return (clock_follow() >= CARILLON_CLOCK_BEHIND) && is_turn_over(); /* a few more registers are saved there */
}
#endif

void carillon_clock_insert(struct carillon_event *event, carillon_time delay)
{
    const carillon_span late = clock_begin();
    clock_put(event, (carillon_time)(late + delay));
}

void carillon_clock_insert_far(struct carillon_far_event *far, carillon_distance delay)
{
    const carillon_span late = clock_begin();
    const carillon_distance distance = late + delay;
    carillon_queue_insert_far(&carillon_clock_queue, far, LEAST_AHEAD(distance));
    clock_end(clock_may_be_next(&far->event));
}

#if CARILLON_TICKLESS
bool carillon_clock_insert_from(struct carillon_event *event, carillon_time from, carillon_time period)
{
    return carillon_clock_insert_after(event, from, period);
}
#endif

void carillon_clock_remove(struct carillon_event *event)
{
    (void)clock_begin();
    const bool first = carillon_queue_is_first(&carillon_clock_queue, event);
    carillon_queue_remove(&carillon_clock_queue, event);
    clock_end(first);
}

carillon_time carillon_clock_left(const struct carillon_event *event)
{
    const carillon_span late = clock_elapsed();
    const carillon_time distance = carillon_queue_distance(&carillon_clock_queue, event);
    return (late < distance) ? (carillon_time)(distance - late) : 0u;
}

carillon_distance carillon_clock_left_far(const struct carillon_far_event *far)
{
    const carillon_span late = clock_elapsed();
    const carillon_distance distance = carillon_queue_distance_far(&carillon_clock_queue, far);
    return (late >= distance) ? 0u : (distance - late);
}

#if CARILLON_CLOCK_STARTS
void carillon_clock_start(void)
{
#if CARILLON_CLOCK_BASED
    carillon_clock.ticker.at = carillon_base_last(CARILLON_CLOCK_UNITS, carillon_base_left());
#if CARILLON_CLOCK_AHEAD
    clock_look_ahead();
#endif
#else
    (void)clock_begin();
    clock_end(true);
#endif
}
#endif

#if CARILLON_CLOCK_KNOWS_TIME
carillon_time carillon_clock_now(void)
{
#if CARILLON_CLOCK_COUNTS_DOWN
    if (!carillon_clock_serving) {
        return (carillon_time)(clock_reference -
                               carillon_queue_left(&carillon_clock_queue)); /* no tick is counted apart */
    }
#endif
    return (carillon_time)(clock_reference + clock_elapsed());
}
#endif

#endif
