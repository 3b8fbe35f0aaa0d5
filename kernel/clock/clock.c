/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock: what changes its queue, and asks for the time. */
#include "kernel/clock/clock_steps.h"

#if (CARILLON_CLOCK != CARILLON_CLOCK_NONE) && (CARILLON_TIME_UNITS > 1) && !CARILLON_CLOCK_BASED
/* CARILLON_TICK_LEFT: what is left of the tick, in units.  CARILLON_TICK_WAITS: whether the tick's interrupt is
 * requested and has not been served.  CARILLON_TICK_MATCH: 0, or the greatest number of a counter whose match the
 * handler moves.
 */
#include "carillon_tick.h"
#endif

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
/* Move the reference by whole laps that all events have to go.  Returns what is left of the time. */
static carillon_span skip_laps(carillon_span passed)
{
    const uint32_t whole = passed / CARILLON_LAP;
    if (whole == 0u) {
        return passed;
    }
    carillon_time rest;
    const uint32_t least = carillon_queue_laps(&carillon_clock_queue, &rest);
    const uint32_t laps = (least < whole) ? least : whole;
    const carillon_span step = (carillon_span)(laps * CARILLON_LAP);
    carillon_queue_skip_laps(&carillon_clock_queue, laps);
    clock_account(step);
    return (carillon_span)(passed - step);
}

/* 1. What has happened after this is what would have happened if the handler had come for every lap, without delay. Who
 *    changes the queue follows first (clock_begin), so that events are put in among others whose laps have been
 *    accounted for.  So the order is as without it (carillon_queue_insert_far).
 * 2. Whole laps that all events have to go are skipped.  After that an event's time comes in this lap, or less than a
 *    lap has passed.  So every other event is repeated twice at most, which bounds the loop.
 * 3. In an empty queue what is left stays CARILLON_NEVER.  The time is kept by what the counter shows, which is wider.
 */
carillon_span carillon_clock_follow(void)
{
    carillon_span passed = clock_elapsed();
    if (passed == 0u) {
        return 0u;
    }
    if (carillon_queue_is_empty(&carillon_clock_queue)) {
        clock_account(passed);
        return 0u;
    }
    passed = clock_go_on(passed);
    while ((carillon_queue_left(&carillon_clock_queue) == 0u) && clock_has_lap()) {
        passed = skip_laps(passed);
        if (carillon_queue_next_lap(&carillon_clock_queue,
                                    (struct carillon_far_event *)(void *)carillon_queue_first(&carillon_clock_queue))) {
            passed = clock_go_on(passed);
        }
    }
    return passed;
}

carillon_span carillon_clock_ahead(void)
{
    carillon_time rest;
    const uint32_t laps = carillon_queue_laps(&carillon_clock_queue, &rest);
    if (laps > (CARILLON_CLOCK_REACH / CARILLON_LAP)) {
        return (carillon_span)CARILLON_CLOCK_REACH;
    }
    const carillon_span whole = (carillon_span)(laps * CARILLON_LAP);
    const carillon_span left = (carillon_span)(CARILLON_CLOCK_REACH - whole);
    return (rest < left) ? (carillon_span)(whole + rest) : (carillon_span)CARILLON_CLOCK_REACH;
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
        margin = clock_widened(margin);
    }
    return true;
}

bool carillon_clock_gives_way(void)
{
    return (clock_follow() >= (CARILLON_CLOCK_BEHIND + CARILLON_CLOCK_SLACK)) &&
           is_turn_over(); /* a few more registers are saved there */
}
#endif

void carillon_clock_insert(struct carillon_event *event, carillon_time delay)
{
    const carillon_span late = clock_begin();
    clock_put(event, (carillon_time)(late + delay));
}

/* Put in a far event at a distance from the reference, and end to change the queue. */
static inline void put_far(struct carillon_far_event *far, carillon_distance distance)
{
    const carillon_time before = clock_deadline();
    carillon_queue_insert_far(&carillon_clock_queue, far, LEAST_AHEAD(distance));
    clock_end(clock_is_moved(before, clock_may_be_next(&far->event)));
}

void carillon_clock_insert_far(struct carillon_far_event *far, carillon_distance delay)
{
    const carillon_span late = clock_begin();
    put_far(far, late + delay);
}

#if CARILLON_TIME_FAR && CARILLON_CLOCK_KNOWS_TIME
bool carillon_clock_insert_far_after(struct carillon_far_event *far, carillon_time from, carillon_distance period)
{
    const carillon_span late = clock_begin();
    const carillon_time passed = (carillon_time)((carillon_time)(clock_reference - from) + (carillon_time)late);
    if (passed >= period) {
        clock_end(false);
        return false;
    }
    put_far(far, (carillon_distance)(late + (carillon_distance)(period - passed)));
    return true;
}
#endif

#if CARILLON_TICKLESS
bool carillon_clock_insert_from(struct carillon_event *event, carillon_time from, carillon_time period)
{
    return carillon_clock_insert_after(event, from, period);
}
#endif

void carillon_clock_remove(struct carillon_event *event)
{
    (void)clock_begin();
    const carillon_time before = clock_deadline();
    const bool first = carillon_queue_is_first(&carillon_clock_queue, event);
    carillon_queue_remove(&carillon_clock_queue, event);
    clock_end(clock_is_moved(before, first));
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

#if CARILLON_CLOCK_BASED
void carillon_clock_start(void)
{
    carillon_clock.ticker.at = carillon_base_last(CARILLON_CLOCK_UNITS, carillon_base_left());
    clock_look_ahead();
}
#elif CARILLON_CLOCK_STARTS
void carillon_clock_start(void)
{
    if (CLOCK_IS_SET) {
        carillon_clock_arm();
    }
}
#endif

#if CARILLON_CLOCK_KNOWS_TIME
carillon_time carillon_clock_now(void)
{
    if (CARILLON_CLOCK_COUNTS_DOWN && !carillon_clock_serving) { /* no tick is counted apart */
        return (carillon_time)(clock_reference - carillon_queue_left(&carillon_clock_queue));
    }
    return (carillon_time)(clock_reference + clock_elapsed());
}
#endif

#if CARILLON_TIME_UPTIME
uint64_t carillon_clock_uptime(void)
{
    return carillon_clock.since_start + clock_elapsed();
}
#endif

#if CARILLON_TIME_UNITS > 1
#if CARILLON_CLOCK_BASED
/* One reading of the base tells both, and no interrupt changes what it tells (base.h). */
struct carillon_moment carillon_clock_moment(void)
{
    const carillon_base units = CARILLON_CLOCK_UNITS;
    const carillon_base passed = carillon_base_units_until(clock_ticker.at, carillon_base_left());
    const struct carillon_moment moment = {(carillon_time)(clock_reference + (carillon_time)(passed / units)),
                                           passed % units};
    return moment;
}
#else

/* 1. The handler of the tick is masked by the kernel's lock, under which this is called.  So while this reads, a tick
 *    that is over has been counted, or its request waits.
 * 2. The counter is read, then the request is looked at.  If none waits, the reading is of the tick that was counted
 *    last.  If one waits, the counter is read again, and that reading is of the tick after it.
 * 3. Nothing is left of a tick that is over.  So a reading of 0 is the beginning of a tick, which is the one that is
 *    counted by 2: the request comes no later than the 0.
 * 4. A match that the handler moves stays behind until then: what is left is less than nothing, and a tick more.
 * 5. Only the request of one tick can wait.  If the handler is locked out for longer, ticks are lost, and what is told
 *    within a tick may go back.  While a cell counts its first interval, which may be longer, nothing of the tick has
 *    passed. */
struct carillon_moment carillon_clock_moment(void)
{
    carillon_time ticks = carillon_clock.ticks;
    uint32_t left = CARILLON_TICK_LEFT;
    if (CARILLON_TICK_WAITS) {
        left = CARILLON_TICK_LEFT;
        if (CARILLON_TICK_MATCH > 0u) {
            left += CARILLON_TIME_UNITS;
        }
        ticks++;
    }
    if (CARILLON_TICK_MATCH > 0u) {
        left &= CARILLON_TICK_MATCH;
    }
    const bool begins = ((CARILLON_TICK_MATCH == 0u) && (left == 0u)) || (left >= CARILLON_TIME_UNITS);
    const struct carillon_moment moment = {ticks, begins ? 0u : (CARILLON_TIME_UNITS - left)};
    return moment;
}
#endif
#endif

#endif
