/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock's kinds, and the loop that arms all of them. */
#include "carillon/clock.h"

#if CARILLON_CLOCK != CARILLON_CLOCK_NONE

#if CARILLON_TIME_DELAYS
#include "services.h"
#endif

#if CARILLON_CLOCK != CARILLON_CLOCK_TICK
#include "carillon_clock_device.h"
#endif

struct carillon_clock carillon_clock = {.queue = CARILLON_QUEUE_EMPTY(carillon_clock.queue)};

/* Where the time services have nothing but delays, these are served here: that is a few stores. */
#define ONLY_DELAYS (CARILLON_TIME_DELAYS && !CARILLON_TIME_OTHERS)
static inline void expired(struct carillon_event *event)
{
#if ONLY_DELAYS
    (void)carillon_time_wake_first((struct carillon_timed *)(void *)event);
#else
    carillon_clock_expired(event);
#endif
}

#define clock_reference carillon_clock.reference
#define clock_armed carillon_clock.armed

/* The kinds.
 *
 *   elapsed()         ticks from the queue's reference to now
 *   account(step)     the reference moves
 *   expire(distance)  set the timer to a distance from the reference */

#if CARILLON_CLOCK == CARILLON_CLOCK_COMPARE

static inline carillon_span elapsed(void)
{
    return (carillon_count)((carillon_count)(carillon_device_now() - (carillon_count)clock_reference) &
                            CARILLON_CLOCK_MASK);
}

static inline void account(carillon_span step)
{
    clock_reference = (carillon_span)(clock_reference + step);
}

static inline void expire(carillon_span distance)
{
    carillon_device_set((carillon_count)((carillon_count)(clock_reference + distance) & CARILLON_CLOCK_MASK));
}

#elif CARILLON_CLOCK == CARILLON_CLOCK_ONE_SHOT

static inline carillon_span elapsed(void)
{
    return (carillon_count)((carillon_count)(clock_armed - carillon_device_remaining()) & CARILLON_CLOCK_MASK);
}

static inline void account(carillon_span step)
{
    clock_armed = (carillon_count)(clock_armed - step);
#if CARILLON_CLOCK_KEEPS_TIME
    clock_reference = (carillon_time)(clock_reference + step);
#endif
}

#if !CARILLON_CLOCK_RESTARTS
static inline void expire(carillon_span distance)
{
    const carillon_count to = (carillon_count)distance;
    carillon_device_shift((carillon_count)((carillon_count)(to - clock_armed) & CARILLON_CLOCK_MASK));
    clock_armed = to;
}
#endif

#else

/* Ticks count down the queue's first distance, and the reference goes with them; only while that stands still they
 * are counted here. */
#if CARILLON_CLOCK_NESTS
carillon_time carillon_clock_late;
#endif

static inline carillon_span elapsed(void)
{
#if CARILLON_CLOCK_NESTS
    return carillon_clock_late;
#else
    return 0u;
#endif
}

static inline void account(carillon_span step)
{
#if CARILLON_CLOCK_NESTS
    carillon_clock_late = (carillon_time)(carillon_clock_late - step);
#endif
#if CARILLON_CLOCK_KEEPS_TIME
    clock_reference = (carillon_time)(clock_reference + step);
#endif
    (void)step;
}

static inline void carillon_device_acknowledge(void)
{
}

#endif

/* Before the queue changes, and after it. */
#if (CARILLON_CLOCK == CARILLON_CLOCK_TICK) && CARILLON_CLOCK_KEEPS_TIME
static inline void hold_reference(void)
{
    clock_reference = (carillon_time)(clock_reference - carillon_queue_left(&carillon_clock_queue));
}
static inline void let_reference_go(void)
{
    clock_reference = (carillon_time)(clock_reference + carillon_queue_left(&carillon_clock_queue));
}
#else
static inline void hold_reference(void)
{
}
static inline void let_reference_go(void)
{
}
#endif

/* Move the reference up to now, but not past the first event, which is due if nothing is left to it then.  Returns
 * what of the time has not been accounted for. */
static inline carillon_span follow(void)
{
    const carillon_span passed = elapsed();
    if (passed == 0u) {
        return 0u;
    }
    const carillon_time left = carillon_queue_left(&carillon_clock_queue);
    const carillon_span step = (passed < left) ? passed : left;
    account(step);
    carillon_queue_advance(&carillon_clock_queue, (carillon_time)step);
    return (carillon_span)(passed - step);
}

/* Set the timer to a distance from the reference: is it certain that it will expire there? */
static inline bool arm(carillon_span distance)
{
#if CARILLON_CLOCK_RESTARTS
    /* Nothing can be missed, since the timer counts from when it is loaded; what is left must cover the loading. */
    const carillon_span passed = elapsed();
    if ((passed >= distance) || ((carillon_span)(distance - passed) < (CARILLON_CLOCK_COST + CARILLON_CLOCK_MINIMUM))) {
        return false;
    }
    carillon_device_load((carillon_count)(distance - passed - CARILLON_CLOCK_COST));
    clock_armed = (carillon_count)distance;
    return true;
#elif CARILLON_CLOCK == CARILLON_CLOCK_TICK
    (void)distance; /* the queue counts down to it by itself, as soon as no tick is counted apart */
    return elapsed() == 0u;
#else
    expire(distance);
    const carillon_span passed = elapsed();
#if CARILLON_CLOCK_BITS < (8 * __SIZEOF_INT__)
    return (passed + CARILLON_CLOCK_MINIMUM) <= distance; /* the sum is exact */
#else
    return (passed < distance) && ((carillon_span)(distance - passed) >= CARILLON_CLOCK_MINIMUM);
#endif
#endif
}

/* In the timer's handler, serve what is due; and arm the timer for what comes next.  Inlined with a constant.
 *
 * 1. The lock is held, so the queue changes only in carillon_clock_expired; the time goes on.
 * 2. What has passed since the reference is less than the counter's range: the timer was armed at most
 *    CARILLON_CLOCK_REACH after it, and the handler has ended CARILLON_CLOCK_LATEST after that.  So elapsed() is
 *    exact, however often the counter has wrapped before.
 * 3. arm() sets the expiry first and looks at the time after that.  If the expiry is still CARILLON_CLOCK_MINIMUM
 *    ahead then, it was so when it was set, and the interrupt comes.
 * 4. Otherwise the timer may have missed it, and would expire a whole range later.  In the handler the event is
 *    served here, as soon as its time has come: in less than CARILLON_CLOCK_MINIMUM ticks.  Elsewhere the handler has
 *    to come: its interrupt is requested, or the timer is set ahead of now, by twice as much each time, until it is
 *    certain to see one.  So the loop ends, and the event is late by what that took.
 * 5. If the timer has seen it after all, or an older expiry has struck before the new one was set, the interrupt
 *    finds nothing due and comes here again: that costs time but changes nothing. */
static inline __attribute__((always_inline)) void settle(bool handler)
{
#if (CARILLON_CLOCK != CARILLON_CLOCK_TICK) && !CARILLON_CLOCK_REQUESTS
    carillon_span margin = CARILLON_CLOCK_MINIMUM;
#endif
    for (;;) {
        if (handler) {
            if ((carillon_queue_left(&carillon_clock_queue) == 0u) && carillon_queue_has_due(&carillon_clock_queue)) {
                do { /* bounded by what falls due in the time that it takes; a queue that gets empty has nothing due */
                    expired(carillon_queue_first(&carillon_clock_queue));
                } while (carillon_queue_left(&carillon_clock_queue) == 0u);
                carillon_queue_served();
            }
        }
        carillon_span distance = carillon_queue_left(&carillon_clock_queue);
#if (CARILLON_CLOCK != CARILLON_CLOCK_TICK)
#if !CARILLON_CLOCK_KEEPS_TIME
        if (distance == CARILLON_NEVER) { /* the last event has left */
            carillon_device_disarm();
            return;
        }
#endif
#if CARILLON_CLOCK_EXTENDED
        if (distance > CARILLON_CLOCK_REACH) {
            distance = CARILLON_CLOCK_REACH;
        }
#endif
        if (!handler) {
            carillon_device_enable();
            if (distance == 0u) {
#if CARILLON_CLOCK_REQUESTS
                carillon_device_request();
                return;
#else
                distance = (carillon_span)(elapsed() + margin);
                if (margin <= (CARILLON_CLOCK_MASK / 4u)) {
                    margin = (carillon_span)(margin + margin);
                }
#endif
            }
        }
#endif
        if (arm(distance)) {
            return;
        }
        (void)follow();
    }
}

void carillon_clock_interrupt(void)
{
    carillon_device_acknowledge();
#if CARILLON_CLOCK != CARILLON_CLOCK_TICK
#if CARILLON_CLOCK_NESTS
    if (carillon_clock_serving) {
        return;
    }
#endif
    (void)follow();
#endif
    hold_reference();
#if CARILLON_CLOCK_CALLED
    carillon_clock.serving = true;
#endif
    settle(true);
#if CARILLON_CLOCK_CALLED
    carillon_clock.serving = false;
#endif
    let_reference_go();
}

/* Begin to change the queue, from wherever.  Returns the distance from the reference to now: what of the time has not
 * been accounted for. */
static carillon_span begin(void)
{
    if (carillon_clock_serving) {
        return elapsed(); /* the reference is the time of the event that is being served */
    }
    hold_reference();
#if CARILLON_CLOCK == CARILLON_CLOCK_TICK
    return 0u;
#else
#if !CARILLON_CLOCK_KEEPS_TIME
    if (carillon_queue_is_empty(&carillon_clock_queue)) { /* nobody has followed the time */
        account(elapsed());
        return 0u;
    }
#endif
    return follow();
#endif
}

#if CARILLON_CLOCK != CARILLON_CLOCK_TICK
static __attribute__((noinline)) void arm_for_first(void)
{
    settle(false);
}
#endif

/* The queue has been changed: if another event is the first, arm for it; the handler does that anyway, and ticks count
 * down to whatever is first. */
static inline void end(bool changed)
{
    if (!carillon_clock_serving) {
#if CARILLON_CLOCK != CARILLON_CLOCK_TICK
        if (changed) {
            arm_for_first();
        }
#else
        (void)changed;
#endif
        let_reference_go();
    }
}

/* What is not served in the handler of this tick is served in that of the next. */
#if CARILLON_CLOCK == CARILLON_CLOCK_TICK
#define LEAST_AHEAD(distance) ((((distance) == 0u) && !carillon_clock_serving) ? 1u : (distance))
#else
#define LEAST_AHEAD(distance) (distance)
#endif

void carillon_clock_insert(struct carillon_event *event, carillon_time delay)
{
    const carillon_span late = begin();
    const carillon_time distance = (carillon_time)(late + delay);
    carillon_queue_insert(&carillon_clock_queue, event, LEAST_AHEAD(distance));
    end(carillon_queue_is_first(&carillon_clock_queue, event));
}

void carillon_clock_insert_far(struct carillon_far_event *far, carillon_distance delay)
{
    const carillon_span late = begin();
    const carillon_distance distance = late + delay;
    carillon_queue_insert_far(&carillon_clock_queue, far, LEAST_AHEAD(distance));
    end(carillon_queue_is_first(&carillon_clock_queue, &far->event));
}

void carillon_clock_remove(struct carillon_event *event)
{
    (void)begin();
    const bool first = carillon_queue_is_first(&carillon_clock_queue, event);
    carillon_queue_remove(&carillon_clock_queue, event);
    end(first);
}

carillon_time carillon_clock_left(const struct carillon_event *event)
{
    const carillon_span late = elapsed();
    const carillon_time distance = carillon_queue_distance(&carillon_clock_queue, event);
    return (late < distance) ? (carillon_time)(distance - late) : 0u;
}

carillon_distance carillon_clock_left_far(const struct carillon_far_event *far)
{
    const carillon_span late = elapsed();
    const carillon_distance distance = carillon_queue_distance_far(&carillon_clock_queue, far);
    return (late >= distance) ? 0u : (distance - late);
}

#if CARILLON_CLOCK_KEEPS_TIME
void carillon_clock_start(void)
{
    (void)begin();
    end(true);
}
#endif

#if CARILLON_CLOCK_KNOWS_TIME
carillon_time carillon_clock_now(void)
{
#if CARILLON_CLOCK == CARILLON_CLOCK_TICK
    if (!carillon_clock_serving) {
        return (carillon_time)(clock_reference -
                               carillon_queue_left(&carillon_clock_queue)); /* no tick is counted apart */
    }
#endif
    return (carillon_time)(clock_reference + elapsed());
}

bool carillon_clock_insert_after(struct carillon_event *event, carillon_time from, carillon_time period)
{
    const carillon_span late = begin();
    const carillon_time behind = (carillon_time)late; /* the reference, now */
    const carillon_time passed = (carillon_time)((carillon_time)((carillon_time)clock_reference - from) + behind);
    const carillon_time distance = (carillon_time)((carillon_time)(period - passed) + behind);
    if (passed >= period) {
        end(false);
        return false;
    }
    carillon_queue_insert(&carillon_clock_queue, event, LEAST_AHEAD(distance));
    end(carillon_queue_is_first(&carillon_clock_queue, event));
    return true;
}
#endif

#endif
