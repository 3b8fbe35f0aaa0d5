/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock: it drives one event queue from one timer.
 *
 * The timer is of one of three kinds, which the configuration chooses (CARILLON_CLOCK):
 *
 * - CARILLON_CLOCK_TICK interrupts once in each tick, and the ticks are counted down here.  If they may be held back
 *   for longer than a tick, a time base tells how many there were (CARILLON_CLOCK_UNITS).
 * - CARILLON_CLOCK_ONE_SHOT counts down to an expiry, and on.  As a rule, the counter can be shifted while it counts:
 *   each expiry is relative to the last one, and there is no drift.  With CARILLON_CLOCK_RESTARTS, it can only be
 *   loaded anew, CARILLON_CLOCK_COST ticks after it was read.  If this figure is not exact, the difference adds up
 *   (third cause of drift of the paper).
 * - CARILLON_CLOCK_COMPARE counts up for ever, and expires where it equals a register.
 *
 * Each kind has a few lines of its own in clock_steps.h.  One loop arms, checks again and serves, for all kinds.
 *
 * The configuration (carillon_config.h), in ticks where it is a time:
 *
 *   CARILLON_CLOCK               the kind; CARILLON_CLOCK_NONE: no clock
 *   CARILLON_CLOCK_BITS          width of the timer's counter: up to 16, 24, 32; of a tick clock CARILLON_TIME_BITS
 *   CARILLON_CLOCK_MINIMUM       how far ahead an expiry must be when it has been set, for the timer to see it: >= 1
 *   CARILLON_CLOCK_UNITS         of a tick clock: what the time base (kernel/clock/base.h) counts in a tick; 0: only
 *                                its interrupts tell the ticks
 *   CARILLON_CLOCK_LATEST        how long after an expiry the handler may end, at most; of a tick clock without a time
 *                                base, where an interrupt that waits absorbs the next, it must begin within a tick
 *   CARILLON_CLOCK_SLACK         the longest slack of an event, by which it may be served later to save an interrupt;
 *                                it counts within CARILLON_CLOCK_LATEST.  0: there is no slack, nor code for it.  Not
 *                                of a tick clock, which has all interrupts anyway
 *   CARILLON_CLOCK_FARTHEST      the longest distance that occurs; CARILLON_LAP if there are far events.  If the
 *                                timer cannot reach it, interrupts come in between that only count; if it can, there
 *                                is no code for that, unless it is to keep a time that is wider than its counter.
 *   CARILLON_TIME_FAR            1: there are far events; then all events are struct carillon_far_event, and those
 *                                that are not far have 0 laps
 *   CARILLON_CLOCK_KEEPS_TIME    1: the time is kept while nothing waits, for carillon_clock_now; with
 *                                carillon_clock_start
 *   CARILLON_TIME_UPTIME         1: the time since the start is kept in 64 bits, too; with CARILLON_CLOCK_KEEPS_TIME,
 *                                or where ticks are counted in the queue alone
 *   CARILLON_TIME_UNITS          of a tick clock: units in a tick, in which a counter tells the time within it; 1:
 *                                whole ticks are told.  A second has
 *                                CARILLON_TIME_UNIT_HZ / CARILLON_TIME_UNIT_HZ_DIVISOR
 *   CARILLON_CLOCK_REQUESTS      1: the timer's interrupt can be requested by software
 *   CARILLON_CLOCK_CALLED        0: no event's handler uses the clock, but for the event itself
 *   CARILLON_CLOCK_NESTS         0: no event's handler unlocks, so that the timer's never comes within itself
 *   CARILLON_CLOCK_RESTARTS, CARILLON_CLOCK_COST    see above
 *   CARILLON_CLOCK_BEHIND        how late the handler is when more is overdue than usual: what an interrupt with an
 *                                expiry takes; 0: it serves all.  After CARILLON_CLOCK_BATCHES ticks of such expiries
 *                                the handler leaves, and comes again as long after that.  Not of a tick clock, which
 *                                cannot be set ahead
 *
 * The timer (carillon_clock.h, unless it is a tick) is a set of static inline functions, in its own width:
 *
 *   carillon_device_now()        COMPARE: the counter
 *   carillon_device_set(at)      COMPARE: expire when the counter gets to `at`
 *   carillon_device_remaining()  ONE_SHOT: ticks to the expiry, negative (modulo the width) after it
 *   carillon_device_shift(by)    ONE_SHOT: expire so many ticks later (modulo the width)
 *   carillon_device_load(ticks)  ONE_SHOT that restarts: expire in so many ticks
 *   carillon_device_enable()     expiries interrupt from now on, not those before
 *   carillon_device_disarm()     they do not any more; the counter goes on
 *   carillon_device_acknowledge()  forget the expiry that has led to the handler; may be empty
 *   carillon_device_request()    if CARILLON_CLOCK_REQUESTS
 *
 * A distance of d ticks ends with the d-th edge of the clock: it is longer than d - 1 ticks, and at most d.  A caller
 * that must not be early by a part of a tick asks for one tick more.  With a tick clock, 0 means 1, unless a handler
 * asks.
 *
 * Every function is called locked: no other that uses the clock may come in between. */
#ifndef CARILLON_CLOCK_H
#define CARILLON_CLOCK_H

#define CARILLON_CLOCK_NONE 0
#define CARILLON_CLOCK_TICK 1
#define CARILLON_CLOCK_ONE_SHOT 2
#define CARILLON_CLOCK_COMPARE 3

#include "kernel/clock/begin.h"
#include "kernel/clock/ticker.h"

#ifdef __cplusplus
extern "C" {
#endif

#if CARILLON_CLOCK != CARILLON_CLOCK_NONE

/* After how many ticks' expiries that are overdue others are let in: a power of two. */
#define CARILLON_CLOCK_BATCHES 8u

/* What the timer counts in, and the wider of that and a time of the queue. */
#if CARILLON_CLOCK_BITS <= 8
typedef uint8_t carillon_count;
#elif CARILLON_CLOCK_BITS <= 16
typedef uint16_t carillon_count;
#else
typedef uint32_t carillon_count;
#endif
#if CARILLON_CLOCK_BITS < CARILLON_TIME_BITS
typedef carillon_time carillon_span;
#else
typedef carillon_count carillon_span;
#endif
#if CARILLON_CLOCK_BITS == 8
#define CARILLON_CLOCK_MASK 0xFFu
#elif CARILLON_CLOCK_BITS == 16
#define CARILLON_CLOCK_MASK 0xFFFFu
#elif CARILLON_CLOCK_BITS == 32
#define CARILLON_CLOCK_MASK 0xFFFFFFFFu
#elif CARILLON_CLOCK_BITS == 24
#define CARILLON_CLOCK_MASK 0xFFFFFFu
#elif CARILLON_CLOCK_BITS < 16
#define CARILLON_CLOCK_MASK ((1u << CARILLON_CLOCK_BITS) - 1u)
#elif CARILLON_CLOCK_BITS < 32
#define CARILLON_CLOCK_MASK (0xFFFFFFFFu >> (32 - CARILLON_CLOCK_BITS))
#else
#error "CARILLON_CLOCK_BITS is at most 32"
#endif

/* How far ahead the timer can be armed: what has passed when the handler has ended is still less than its range. */
#define CARILLON_CLOCK_REACH (CARILLON_CLOCK_MASK - CARILLON_CLOCK_LATEST)
/* If the time is kept, a counter that is narrower than a time is followed while nothing waits, too.  And so is one that
 * is as wide if the time is kept in 64 bits.  A wider one is set no farther than a time can be. */
#define CARILLON_CLOCK_EXTENDED                           \
    ((CARILLON_CLOCK != CARILLON_CLOCK_TICK) &&           \
     ((CARILLON_CLOCK_REACH < CARILLON_CLOCK_FARTHEST) || \
      (CARILLON_CLOCK_KEEPS_TIME && (CARILLON_CLOCK_BITS < (CARILLON_TIME_BITS + CARILLON_TIME_UPTIME)))))

/* If the counter reaches some laps, laps need no interrupts of their own.  The timer is armed for the first event that
 * has none to go.  The laps that have passed until then are accounted for together (carillon_clock_follow).  And a
 * counter that is wider than a time need not be followed as often as a time wraps. */
#define CARILLON_CLOCK_MERGES_LAPS                                                               \
    (CARILLON_TIME_FAR && (CARILLON_CLOCK != CARILLON_CLOCK_TICK) && !CARILLON_QUEUE_COUNTERS && \
     (CARILLON_CLOCK_BITS > CARILLON_TIME_BITS) && ((CARILLON_CLOCK_REACH / CARILLON_LAP) >= 2u))

/* A compare clock whose counter is not narrower than the times knows the time in any case. */
#define CARILLON_CLOCK_KNOWS_TIME \
    (CARILLON_CLOCK_KEEPS_TIME || \
     ((CARILLON_CLOCK == CARILLON_CLOCK_COMPARE) && (CARILLON_CLOCK_BITS >= CARILLON_TIME_BITS)))

/* How far ahead an event that is not far can be put in, from wherever: the reference may be CARILLON_CLOCK_LATEST
 * behind. */
#if CARILLON_CLOCK_FARTHEST < (CARILLON_LONGEST - CARILLON_CLOCK_LATEST)
#define CARILLON_CLOCK_MOST_AHEAD CARILLON_CLOCK_FARTHEST
#else
#define CARILLON_CLOCK_MOST_AHEAD (CARILLON_LONGEST - CARILLON_CLOCK_LATEST)
#endif

#if (CARILLON_CLOCK_SLACK > 0) && (CARILLON_CLOCK == CARILLON_CLOCK_TICK)
#error "a tick clock has an interrupt in each tick, which no slack saves"
#endif
#if CARILLON_CLOCK_SLACK > (CARILLON_CLOCK_LATEST / 2u)
#error "the longest slack leaves too little of what the clock's interrupt may be late"
#endif
#if CARILLON_CLOCK_REACH < (2u * CARILLON_CLOCK_MINIMUM)
#error "the clock's interrupt may be so late that the timer cannot count it"
#endif
#if (CARILLON_CLOCK == CARILLON_CLOCK_TICK) && (CARILLON_CLOCK_BITS != CARILLON_TIME_BITS)
#error "ticks are counted in the queue's times"
#endif

/* A tick clock whose ticks the time base tells: as with a timer of another kind, what has passed since the reference
 * can be asked for at any time.  But the timer is never armed. */
#define CARILLON_CLOCK_BASED ((CARILLON_CLOCK == CARILLON_CLOCK_TICK) && (CARILLON_CLOCK_UNITS > 0u))
#if (CARILLON_CLOCK_BEHIND > 0) && (CARILLON_CLOCK == CARILLON_CLOCK_TICK)
#error "a tick clock cannot be set ahead"
#endif
#if CARILLON_CLOCK_BEHIND > CARILLON_CLOCK_REACH
#error "the timer cannot be set as far ahead as an expiry takes"
#endif
#if CARILLON_CLOCK_BASED && CARILLON_CLOCK_NESTS
#error "a tick clock with a time base does not nest"
#endif

#define CARILLON_CLOCK_AHEAD (CARILLON_CLOCK_BASED && CARILLON_TICKER_AHEAD)

/* Whether ticks are counted down in the queue, and the time is told from that. */
#define CARILLON_CLOCK_COUNTS_DOWN ((CARILLON_CLOCK == CARILLON_CLOCK_TICK) && !CARILLON_CLOCK_BASED)

/* A tick clock whose ticks are counted in the queue and nowhere else: the queue's reference is now, and its owner
 * serves the queue. */
#define CARILLON_CLOCK_COUNTS_ALONE (CARILLON_CLOCK_COUNTS_DOWN && !CARILLON_CLOCK_KEEPS_TIME && !CARILLON_CLOCK_NESTS)

#if CARILLON_TIME_UPTIME && !CARILLON_CLOCK_COUNTS_ALONE && (CARILLON_CLOCK_COUNTS_DOWN || !CARILLON_CLOCK_KEEPS_TIME)
#error "the time is kept in 64 bits where it is kept"
#endif

/* The clock's queue.  A time base's ticker has it. */
#if CARILLON_CLOCK_BASED
#define CARILLON_CLOCK_QUEUE struct carillon_ticker ticker;
#define carillon_clock_queue carillon_clock.ticker.queue
#else
#define CARILLON_CLOCK_QUEUE struct carillon_queue queue;
#define carillon_clock_queue carillon_clock.queue
#endif

/* What only some clocks have.  Of a compare clock the lower bits of the reference are the counter's value there.  Of a
 * clock that counts down, what is left to the first event is already added, unless the clock is held. */
#if CARILLON_CLOCK == CARILLON_CLOCK_COMPARE
#define CARILLON_CLOCK_REFERENCE carillon_span reference;
#elif CARILLON_CLOCK_KEEPS_TIME
#define CARILLON_CLOCK_REFERENCE carillon_time reference;
#else
#define CARILLON_CLOCK_REFERENCE
#endif
#if CARILLON_CLOCK == CARILLON_CLOCK_ONE_SHOT
#define CARILLON_CLOCK_ARMED carillon_count armed; /* from the reference to the expiry that the timer is set to */
#elif CARILLON_CLOCK_AHEAD
#define CARILLON_CLOCK_ARMED bool to_first; /* the ticker is left to the tick of the first event */
#else
#define CARILLON_CLOCK_ARMED
#endif
#if CARILLON_CLOCK_BEHIND > 0
#define CARILLON_CLOCK_OVERDUE uint8_t overdue; /* ticks whose expiries were overdue, modulo its range */
#else
#define CARILLON_CLOCK_OVERDUE
#endif
#if CARILLON_TIME_UPTIME
#define CARILLON_CLOCK_UPTIME uint64_t since_start; /* the time at the reference */
#else
#define CARILLON_CLOCK_UPTIME
#endif

/* The queue, and what its owner has beside it: `ticks` that it counts, and the event that it `serves`.  What follows is
 * the clock's own: it stands here so that one address leads to all. */
struct carillon_clock {
    CARILLON_CLOCK_QUEUE
    carillon_time ticks;
    void *serves;
    CARILLON_CLOCK_ARMED
    CARILLON_CLOCK_REFERENCE
    bool serving;
    CARILLON_CLOCK_OVERDUE
    CARILLON_CLOCK_UPTIME
};
extern struct carillon_clock carillon_clock;

/* Put in an event that is in no queue, `delay` from now.  `delay` plus CARILLON_CLOCK_LATEST is at most
 * CARILLON_LONGEST; far events have no limit. */
void carillon_clock_insert(struct carillon_event *event, carillon_time delay);
void carillon_clock_insert_far(struct carillon_far_event *far, carillon_distance delay);

/* Put in a far event that is in no queue, `period` after `from`, which is a time of less than a range ago; locked.
 * False, and not put in, if that is now or has passed. */
bool carillon_clock_insert_far_after(struct carillon_far_event *far, carillon_time from, carillon_distance period);

/* carillon_clock_insert_after (clock_steps.h), not inlined: with CARILLON_TICKLESS. */
bool carillon_clock_insert_from(struct carillon_event *event, carillon_time from, carillon_time period);

/* Take out an event that is in the queue. */
void carillon_clock_remove(struct carillon_event *event);

/* From now to an event that is in the queue; 0: it is due. */
carillon_time carillon_clock_left(const struct carillon_event *event);
carillon_distance carillon_clock_left_far(const struct carillon_far_event *far);

/* The ticks that the counter has made, modulo the range of carillon_time: where CARILLON_CLOCK_KNOWS_TIME. */
carillon_time carillon_clock_now(void);

/* With CARILLON_TIME_UPTIME, the same in 64 bits.  The reference is followed before the range of what is read has
 * passed, so that what has passed since is exact.  Whoever moves the reference adds that to a sum of 64 bits, under
 * the same lock. */
uint64_t carillon_clock_uptime(void);

/* With CARILLON_TIME_UNITS: the ticks that have passed, and how many units since: more than a tick has, at most,
 * where the handler is late. */
struct carillon_moment {
    carillon_time ticks;
    uint32_t units;
};
struct carillon_moment carillon_clock_moment(void);

/* For the clock itself: arm the timer, which does not tick, for the first event, as often as that takes to be in time.
 */
void carillon_clock_arm(void);

/* For the clock itself, where laps are merged: clock_follow (clock_steps.h), past the laps of far events. */
carillon_span carillon_clock_follow(void);

/* The first event has a lap to go: how far ahead is the first event that has none, as far as the timer reaches? */
carillon_span carillon_clock_ahead(void);

/* For the timer's handler, with CARILLON_CLOCK_BEHIND: the first event's time has come before the timer could be set
 * to it.  True: others are let in, so the handler leaves, and comes again. */
bool carillon_clock_gives_way(void);

/* Is the timer's handler active (carillon_clock_serve of kernel/clock/clock_steps.h)? */
#if CARILLON_CLOCK_CALLED
#define carillon_clock_serving carillon_clock.serving
#else
#define carillon_clock_serving false /* nobody asks while it is */
#endif

/* Ticks that have been counted apart: with CARILLON_CLOCK_NESTS. */
extern carillon_time carillon_clock_late;

#if CARILLON_CLOCK_COUNTS_DOWN
/* The handler of a tick: returns whether the timer's handler has to be called.  While events are served, ticks are
 * counted apart, because the queue's reference stands still. */
static inline bool carillon_clock_tick(void)
{
    if (CARILLON_CLOCK_NESTS && carillon_clock_serving) {
        carillon_clock_late++;
        return false;
    }
    return carillon_queue_tick(&carillon_clock_queue);
}
#endif

#endif

#ifdef __cplusplus
}
#endif

#endif
