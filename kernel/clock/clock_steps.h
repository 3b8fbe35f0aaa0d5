/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock's kinds, and the loop that arms all of them: inlined into what changes the queue (clock.c, wait.c) and into
 * the handler (due.c). */
#ifndef CARILLON_TIME_CLOCK_STEPS_H
#define CARILLON_TIME_CLOCK_STEPS_H

#include "kernel/clock/clock.h"

#if CARILLON_CLOCK != CARILLON_CLOCK_NONE

#if CARILLON_CLOCK != CARILLON_CLOCK_TICK
#include "carillon_clock.h"
#endif

#define clock_reference carillon_clock.reference
#define clock_armed carillon_clock.armed

/* The reference moves: the time in 64 bits goes with it, and so does the time of a clock that keeps it apart. */
#if CARILLON_TIME_UPTIME
static inline void clock_sum(carillon_span step)
{
    carillon_clock.since_start += step;
}
#else
static inline void clock_sum(carillon_span step)
{
    (void)step;
}
#endif
#if CARILLON_CLOCK_KEEPS_TIME
static inline void clock_keep(carillon_span step)
{
    clock_reference = (carillon_time)(clock_reference + step);
}
#else
static inline void clock_keep(carillon_span step)
{
    (void)step;
}
#endif

/* The kinds.
 *
 *   clock_elapsed()         ticks from the queue's reference to now
 *   clock_account(step)     the reference moves
 *   clock_arm(distance)     set the timer to a distance from the reference: is it certain that it will expire there?
 *   clock_step(passed)      how much of what has passed the reference may move: not past the first event
 *
 * What only some kinds have does nothing, or is declared alone, for the others. */

/* It has been set, and the time is looked at after that: is it far enough ahead?  Of few bits the sum is exact. */
static inline bool clock_is_ahead(carillon_span distance, carillon_span passed)
{
    if (CARILLON_CLOCK_BITS < (8 * __SIZEOF_INT__)) {
        return (passed + CARILLON_CLOCK_MINIMUM) <= distance;
    }
    return (passed < distance) && ((carillon_span)(distance - passed) >= CARILLON_CLOCK_MINIMUM);
}

#if CARILLON_CLOCK == CARILLON_CLOCK_COMPARE

static inline carillon_span clock_elapsed(void)
{
    return (carillon_count)((carillon_count)(carillon_device_now() - (carillon_count)clock_reference) &
                            CARILLON_CLOCK_MASK);
}

static inline void clock_account(carillon_span step)
{
    clock_reference = (carillon_span)(clock_reference + step);
    clock_sum(step);
}

static inline bool clock_arm(carillon_span distance)
{
    carillon_device_set((carillon_count)((carillon_count)(clock_reference + distance) & CARILLON_CLOCK_MASK));
    return clock_is_ahead(distance, clock_elapsed());
}

#elif CARILLON_CLOCK == CARILLON_CLOCK_ONE_SHOT

static inline carillon_span clock_elapsed(void)
{
    return (carillon_count)((carillon_count)(clock_armed - carillon_device_remaining()) & CARILLON_CLOCK_MASK);
}

static inline void clock_account(carillon_span step)
{
    clock_armed = (carillon_count)(clock_armed - step);
    clock_sum(step);
    clock_keep(step);
}

#if CARILLON_CLOCK_RESTARTS
/* Nothing can be missed, since the timer counts from when it is loaded; what is left must cover the loading. */
static inline bool clock_arm(carillon_span distance)
{
    const carillon_span passed = clock_elapsed();
    if ((passed >= distance) || ((carillon_span)(distance - passed) < (CARILLON_CLOCK_COST + CARILLON_CLOCK_MINIMUM))) {
        return false;
    }
    carillon_device_load((carillon_count)(distance - passed - CARILLON_CLOCK_COST));
    clock_armed = (carillon_count)distance;
    return true;
}
#else
static inline bool clock_arm(carillon_span distance)
{
    const carillon_count to = (carillon_count)distance;
    carillon_device_shift((carillon_count)((carillon_count)(to - clock_armed) & CARILLON_CLOCK_MASK));
    clock_armed = to;
    return clock_is_ahead(distance, clock_elapsed());
}
#endif

#elif CARILLON_CLOCK_BASED

#define clock_ticker carillon_clock.ticker

#if CARILLON_CLOCK_AHEAD

/* What is first in the queue has changed, or the reference.  As with other timers, what has passed when the handler has
 * ended is less than a time can hold. */
static inline void clock_look_ahead(void)
{
    const carillon_base units = CARILLON_CLOCK_UNITS;
    const carillon_base most = carillon_ticker_most(units, (carillon_time)CARILLON_CLOCK_REACH);
    const carillon_base ahead = carillon_ticker_ahead(&clock_ticker, most);
    carillon_clock.to_first = ahead < most;
    carillon_ticker_leave(&clock_ticker, units, ahead);
}

/* Where the clock is over: whether the first event is due, and no later tick has come.  The reference is there then.
 * False, and nothing has been done, if the base has begun anew on the way. */
static inline bool clock_reaches_first(carillon_base left)
{
    const carillon_base at = (carillon_base)(clock_ticker.wake - 1u);
    if (!carillon_clock.to_first || ((carillon_base)(at - left) >= CARILLON_CLOCK_UNITS)) {
        return false;
    }
    const carillon_time step = carillon_queue_left(&carillon_clock_queue); /* less than from where it was left */
    clock_ticker.at = at;
    clock_sum(step);
    clock_keep(step);
    carillon_queue_advance(&carillon_clock_queue, step);
    return true;
}
#endif

static inline carillon_span clock_elapsed(void)
{
    return (carillon_span)carillon_ticker_uncounted(&clock_ticker, CARILLON_CLOCK_UNITS);
}

static inline void clock_account(carillon_span step)
{
    carillon_ticker_count(&clock_ticker, CARILLON_CLOCK_UNITS, (carillon_base)step);
    clock_sum(step);
    clock_keep(step);
}

#else

/* Ticks count down the queue's first distance, and the reference goes with them; only while that stands still they
 * are counted here. */
static inline carillon_span clock_elapsed(void)
{
    return CARILLON_CLOCK_NESTS ? carillon_clock_late : 0u;
}

static inline void clock_account(carillon_span step)
{
    if (CARILLON_CLOCK_NESTS) {
        carillon_clock_late = (carillon_time)(carillon_clock_late - step);
    }
    clock_keep(step);
}

#endif

/* A timer that ticks is never set: all ticks that have passed are to be accounted for.  What is left in an empty queue
 * leads to nobody. */
#if CARILLON_CLOCK_AHEAD
static inline bool clock_arm(carillon_span distance)
{
    (void)distance;
    if (clock_elapsed() != 0u) {
        return false;
    }
    carillon_queue_rest(&carillon_clock_queue);
    clock_look_ahead();
    return true;
}
#else
static inline void clock_look_ahead(void)
{
}
#if CARILLON_CLOCK == CARILLON_CLOCK_TICK
static inline bool clock_arm(carillon_span distance)
{
    (void)distance;
    return clock_elapsed() == 0u;
}
#endif
#endif

#if CARILLON_CLOCK_BASED
static inline carillon_span clock_step(carillon_span passed)
{
    return (carillon_span)carillon_ticker_step(&clock_ticker, (carillon_ticks)passed);
}
#else
static inline carillon_span clock_step(carillon_span passed)
{
    const carillon_time left = carillon_queue_left(&carillon_clock_queue);
    return (passed < left) ? passed : left;
}
#endif

#if CARILLON_CLOCK == CARILLON_CLOCK_TICK
static inline void carillon_device_acknowledge(void)
{
}
void carillon_device_enable(void);
void carillon_device_disarm(void);
#endif
#if !CARILLON_CLOCK_REQUESTS
void carillon_device_request(void);
#endif

/* Before the queue changes, and after it. */
#if CARILLON_CLOCK_COUNTS_DOWN && CARILLON_CLOCK_KEEPS_TIME
static inline void clock_hold(void)
{
    clock_reference = (carillon_time)(clock_reference - carillon_queue_left(&carillon_clock_queue));
}
static inline void clock_let_go(void)
{
    clock_reference = (carillon_time)(clock_reference + carillon_queue_left(&carillon_clock_queue));
}
#else
static inline void clock_hold(void)
{
}
static inline void clock_let_go(void)
{
}
#endif

/* Has the first event a lap to go, for which the timer is not armed? */
static inline bool clock_has_lap(void)
{
    return CARILLON_CLOCK_MERGES_LAPS &&
           (((const struct carillon_far_event *)(void *)carillon_queue_first(&carillon_clock_queue))->laps != 0u);
}

/* Move the reference up to now, but not past the first event.  Returns what is left of the time. */
static inline carillon_span clock_go_on(carillon_span passed)
{
    const carillon_span step = clock_step(passed);
    clock_account(step);
    carillon_queue_advance(&carillon_clock_queue, (carillon_time)step);
    return (carillon_span)(passed - step);
}

/* Move the reference up to now, but not past the first event, which is due if nothing is left to it then.  Returns
 * what of the time has not been accounted for.  Where nobody keeps the time and nothing waits, the distance to the
 * first event stays CARILLON_NEVER: by that clock_settle knows that the timer can rest. */
static inline carillon_span clock_follow(void)
{
    if (CARILLON_CLOCK_MERGES_LAPS) {
        return carillon_clock_follow();
    }
    const carillon_span passed = clock_elapsed();
    if (passed == 0u) {
        return 0u;
    }
    if (!CARILLON_CLOCK_KEEPS_TIME && carillon_queue_is_empty(&carillon_clock_queue)) {
        clock_account(passed);
        return 0u;
    }
    return clock_go_on(passed);
}

/* From the reference to where the timer is to expire at the latest; CARILLON_NEVER: nothing waits.  For who asks
 * whether it moves: without slack, nobody does. */
static inline carillon_time clock_deadline(void)
{
    if (CARILLON_CLOCK_SLACK == 0u) {
        return 0u;
    }
    return carillon_queue_is_empty(&carillon_clock_queue) ? (carillon_time)CARILLON_NEVER
                                                          : carillon_queue_deadline(&carillon_clock_queue);
}

/* The queue has been changed, with the reference where it was: is the timer to be set anew?  `moved`: the first event
 * is another one, which says it if there is no slack.  Where laps are merged, the timer is armed for an event whose
 * deadline may be behind those of others that have laps to go. */
static inline bool clock_is_moved(carillon_time before, bool moved)
{
    return (CARILLON_CLOCK_SLACK == 0u) ? moved : (CARILLON_CLOCK_MERGES_LAPS || (clock_deadline() != before));
}

/* As far as the timer reaches. */
static inline carillon_span clock_reached(carillon_span distance)
{
    if (CARILLON_CLOCK_EXTENDED && (distance > CARILLON_CLOCK_REACH)) {
        return (carillon_span)CARILLON_CLOCK_REACH;
    }
    return distance;
}

/* How far from the reference the next event is that is served.  `left`: to the first one. */
static inline carillon_span clock_next(carillon_time left)
{
    if (CARILLON_CLOCK_MERGES_LAPS && (left == CARILLON_NEVER)) { /* only the time is kept */
        return (carillon_span)CARILLON_CLOCK_REACH;
    }
    if (CARILLON_CLOCK_MERGES_LAPS) {
        return clock_has_lap() ? carillon_clock_ahead() : left;
    }
    return left;
}

/* Is the timer armed for an event of which slack counts?  Not where nothing waits, nor for what comes after laps. */
static inline bool clock_has_slack(void)
{
    return (CARILLON_CLOCK_SLACK > 0u) && !carillon_queue_is_empty(&carillon_clock_queue) && !clock_has_lap();
}

/* A margin that has been too small is doubled. */
static inline carillon_span clock_widened(carillon_span margin)
{
    return (margin <= (CARILLON_CLOCK_MASK / 4u)) ? (carillon_span)(margin + margin) : margin;
}

/* A timer that does not tick is set for what comes next. */
#define CLOCK_IS_SET (CARILLON_CLOCK != CARILLON_CLOCK_TICK)

/* In the timer's handler, serve what is due; and arm the timer for what comes next.  Inlined with constants.
 *
 * 1. The lock is held, so the queue changes only in `expired`; the time goes on.
 * 2. What has passed since the reference is less than the counter's range: the timer was armed at most
 *    CARILLON_CLOCK_REACH after it, and the handler has ended CARILLON_CLOCK_LATEST after that.  So clock_elapsed() is
 *    exact, however often the counter has wrapped before.
 * 3. clock_arm() sets the expiry first and looks at the time after that.  If the expiry is still CARILLON_CLOCK_MINIMUM
 *    ahead then, it was so when it was set, and the interrupt comes.
 * 4. Otherwise the timer may have missed it, and would expire a whole range later.  In the handler the event is
 *    served here, as soon as its time has come: in less than CARILLON_CLOCK_MINIMUM ticks.  Elsewhere the handler has
 *    to come: its interrupt is requested, or the timer is set ahead of now, by twice as much each time, until it is
 *    certain to see one.  So the loop ends, and the event is late by what that took.
 * 5. If the timer has seen it after all, or an older expiry has struck before the new one was set, the interrupt
 *    finds nothing due and comes here again: that costs time but changes nothing.
 * 6. Expiries that are overdue, after a long lock or because they come faster than they are served, are served one
 *    tick's after the other.  After each CARILLON_CLOCK_BATCHES ticks others are let in: the timer is set
 *    CARILLON_CLOCK_BEHIND ahead, and the handler leaves.  Such ticks are counted for ever, so that a backlog's first
 *    turn may be shorter: to begin anew would cost each interrupt two instructions.  So the lock is held for what is
 *    due in CARILLON_CLOCK_BATCHES ticks, and for what falls due in CARILLON_CLOCK_BEHIND after that.  Ticks that a
 *    time base tells are all made up at once: the next tick may be waiting, before whoever has a greater number.
 * 7. With slack (CARILLON_CLOCK_SLACK), the timer is armed for the earliest deadline, which is an event's time and its
 *    slack.  Whenever the handler comes, it serves all events whose times have come.  Each is served before its
 *    deadline, since the timer is armed for no later one, and none before its time.  No other rule takes fewer
 *    interrupts.  The event with the earliest deadline needs one by then, and an earlier one serves no event that this
 *    one does not.  To the clock, an
 *    event that waits is one whose handler is late.  So its period is counted from its own time, and 2 and 3 hold. */
static inline __attribute__((always_inline)) void clock_settle(bool handler, void (*expired)(struct carillon_event *))
{
    carillon_span margin = CARILLON_CLOCK_MINIMUM;
    for (;;) {
        if (handler) {
            if ((carillon_queue_left(&carillon_clock_queue) == 0u) && carillon_queue_has_due(&carillon_clock_queue)) {
                do { /* bounded by what falls due in the time that it takes; a queue that gets empty has nothing due */
                    expired(carillon_queue_first(&carillon_clock_queue));
                } while (carillon_queue_left(&carillon_clock_queue) == 0u);
                carillon_queue_served();
            }
        }
        const carillon_time left = carillon_queue_left(&carillon_clock_queue);
        if (CLOCK_IS_SET && !CARILLON_CLOCK_KEEPS_TIME && (left == CARILLON_NEVER)) { /* the last event has left */
            carillon_device_disarm();
            return;
        }
        carillon_span distance = clock_next(left);
        if (CARILLON_CLOCK_EXTENDED && !CARILLON_CLOCK_MERGES_LAPS && (distance > CARILLON_CLOCK_REACH)) {
            distance = (carillon_span)CARILLON_CLOCK_REACH;
        }
        const carillon_span due = distance;
        if ((due < CARILLON_CLOCK_REACH) && clock_has_slack()) {
            const carillon_span deadline = carillon_queue_deadline(&carillon_clock_queue);
            distance = (deadline < CARILLON_CLOCK_REACH) ? deadline : (carillon_span)CARILLON_CLOCK_REACH;
        }
        if (CLOCK_IS_SET && !handler) {
            carillon_device_enable();
            const bool late = (CARILLON_CLOCK_SLACK > 0u) ? (clock_elapsed() >= distance) : (distance == 0u);
            if (late && CARILLON_CLOCK_REQUESTS) {
                carillon_device_request();
                return;
            }
            if (late) {
                distance = (carillon_span)(clock_elapsed() + margin);
                margin = clock_widened(margin);
            }
        }
        if (((CARILLON_CLOCK_SLACK == 0u) || !handler || (clock_elapsed() < due)) && clock_arm(distance)) {
            return;
        }
        if (!handler || (CARILLON_CLOCK_BEHIND == 0u)) {
            (void)clock_follow();
        } else if (carillon_clock_gives_way()) {
            return;
        } else {
            /* what is due is served */
        }
    }
}

/* The handler begins to serve, or has ended: where nobody asks, nothing is noted. */
static inline void clock_set_serving(bool serving)
{
    if (CARILLON_CLOCK_CALLED) {
        carillon_clock.serving = serving;
    }
}

/* The timer's handler, whose interrupt does no harm if nothing is due.  If a handler of an event unlocks, so that this
 * one comes within itself, the outer one goes on with what has become due.
 *
 * `expired`: an event is due.  The event is the first of the queue.  The function takes it out (carillon_queue_pop),
 * repeats it (carillon_queue_repeat; the distance is from the event's own time, however late it is served) or, if it is
 * a far one, lets it go its next lap.  Then the queue is free for everything, and may be unlocked. */
static inline __attribute__((always_inline)) void carillon_clock_serve(void (*expired)(struct carillon_event *))
{
    carillon_device_acknowledge();
    if (!CARILLON_CLOCK_COUNTS_DOWN) {
        if (CARILLON_CLOCK_NESTS && carillon_clock_serving) {
            return;
        }
        (void)clock_follow();
    }
    clock_hold();
    clock_set_serving(true);
    clock_settle(true, expired);
    clock_set_serving(false);
    clock_let_go();
}

/* Does the reference stay where it is while events are put in and taken out?
 *
 * 1. What has passed since the reference is less than the counter's range (clock_settle, 2), wherever the reference is.
 *    So the distance of an event from it is less than that range and the longest delay together: a time can hold it.
 * 2. The timer is armed no farther than it can reach (CARILLON_CLOCK_EXTENDED).  When it expires, the reference
 *    follows, as often as it has to for keeping the time, and no more often.
 * 3. A far event's last lap begins when the reference is there (carillon_queue_insert_far).  Nobody is put in behind it
 *    before that, because no other event's distance from the reference is as long as a lap. */
#if CARILLON_CLOCK_KEEPS_TIME && (CARILLON_CLOCK != CARILLON_CLOCK_TICK) && \
    (CARILLON_CLOCK_BITS < CARILLON_TIME_BITS) &&                           \
    (CARILLON_CLOCK_FARTHEST <= (CARILLON_LONGEST - CARILLON_CLOCK_MASK))
#define CARILLON_CLOCK_STANDS 1
#else
#define CARILLON_CLOCK_STANDS 0
#endif

/* Begin to change the queue, from wherever.  Returns the distance from the reference to now: what of the time has not
 * been accounted for. */
static inline carillon_span clock_begin(void)
{
    if (carillon_clock_serving) {
        return clock_elapsed(); /* the reference is the time of the event that is being served */
    }
    clock_hold();
    if (CARILLON_CLOCK_COUNTS_DOWN) {
        return 0u;
    }
    return CARILLON_CLOCK_STANDS ? clock_elapsed() : clock_follow();
}

/* The queue has been changed: if another event is the first, arm for it; the handler does that anyway, and ticks count
 * down to whatever is first. */
static inline void clock_end(bool changed)
{
    if (!carillon_clock_serving) {
        if (changed && CLOCK_IS_SET) {
            carillon_clock_arm();
        }
        if (changed && !CLOCK_IS_SET) {
            clock_look_ahead();
        }
        clock_let_go();
    }
}

/* An event has been put in: may it be the first that is served? */
static inline bool clock_may_be_next(const struct carillon_event *event)
{
    return clock_has_lap() || carillon_queue_is_first(&carillon_clock_queue, event);
}

/* What is not served in the handler of this tick is served in that of the next. */
#define LEAST_AHEAD(distance) \
    ((CARILLON_CLOCK_COUNTS_DOWN && ((distance) == 0u) && !carillon_clock_serving) ? 1u : (distance))

/* Put in an event at a distance from the reference, and end to change the queue.  If it is the first, as the only one
 * always is, the timer is armed for it here; where that is too late, carillon_clock_arm tries again. */
static inline void clock_put(struct carillon_event *event, carillon_time distance)
{
    const carillon_time before = clock_deadline();
    const bool first = carillon_queue_insert_first(&carillon_clock_queue, event, LEAST_AHEAD(distance));
    if (!CLOCK_IS_SET || (CARILLON_CLOCK_SLACK > 0u)) {
        clock_end(clock_is_moved(before, first));
        return;
    }
    if (!first && clock_has_lap()) {
        clock_end(true);
        return;
    }
    if (!first || carillon_clock_serving) {
        return;
    }
    carillon_device_enable();
    if (!clock_arm(clock_reached(distance))) {
        carillon_clock_arm();
    }
}

#if CARILLON_CLOCK_KNOWS_TIME
/* Put in an event that is in no queue, `period` (at most CARILLON_CLOCK_MOST_AHEAD) after `from`.  That is a time as
 * carillon_clock_now gave it less than a range ago.  What is relative to an earlier event, and not to now, has no
 * drift. False, and not put in, if that is now or has passed; locked. */
static inline bool carillon_clock_insert_after(struct carillon_event *event, carillon_time from, carillon_time period)
{
    const carillon_time late = (carillon_time)clock_begin(); /* from the reference to now */
    const carillon_time gone = (carillon_time)((carillon_time)clock_reference - from);
    if ((carillon_time)(gone + late) >= period) {
        clock_end(false);
        return false;
    }
    clock_put(event, (carillon_time)(period - gone));
    return true;
}
#else
bool carillon_clock_insert_after(struct carillon_event *event, carillon_time from, carillon_time period);
#endif

#endif

#endif
