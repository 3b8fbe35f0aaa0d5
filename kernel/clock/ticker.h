/* SPDX-License-Identifier: Apache-2.0
 *
 * A ticker: an event queue whose ticks the time base (kernel/clock/base.h) tells.  A counter of [osek] is a ticker and
 * a modulus; the periodic clock of the time services is a ticker and a range.
 *
 * 1. `at` is the reading of the base at the queue's reference, which is a tick.  The difference to a later reading is
 *    whole ticks, exact for as long as the base tells (base.h, 3).
 * 2. The base is never behind the ticks' interrupts (base.h, 2).  So whoever changes the queue may count a tick before
 *    the tick's handler comes.  That handler comes all the same, and finds what is left to count.
 * 3. The handler leaves when no tick has passed that it has not counted.  A tick that passes after that asks for the
 *    handler again.
 *
 * In most ticks nothing is due.  These ticks are not counted one by one (CARILLON_TICKER_AHEAD):
 *
 * 4. `wake` is one unit after the tick to which the ticker is left.  This is the tick of the first event, but at most
 *    CARILLON_BASE_AHEAD units, or a single tick, after the last tick that has been counted.
 * 5. Before that tick, a reading less `wake` is less than CARILLON_BASE_AHEAD.  From the tick on it is negative.  If
 *    the base has begun anew, it is the period less what has passed since.  Both are more than CARILLON_BASE_AHEAD, as
 *    ticks are held back for at most CARILLON_BASE_MOST less CARILLON_BASE_AHEAD.  If the base begins anew before the
 *    tick, the difference is wrong, and the ticks are counted earlier than they need.
 * 6. Whoever asks for the time counts the ticks that nobody has counted, however many they are. */
#ifndef CARILLON_TICKER_H
#define CARILLON_TICKER_H

#include "kernel/clock/base.h"
#include "kernel/clock/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CARILLON_TICKER_AHEAD (((CARILLON_BASE_BITS > 16) || CARILLON_TICKLESS) && !CARILLON_QUEUE_COUNTERS)

#if CARILLON_BASE_BITS > 0
#define CARILLON_TICKER_AT carillon_base at;
#else
#define CARILLON_TICKER_AT
#endif
#if CARILLON_TICKER_AHEAD
#define CARILLON_TICKER_WAKE carillon_base wake;
#else
#define CARILLON_TICKER_WAKE
#endif

struct carillon_ticker {
    struct carillon_queue queue;
    CARILLON_TICKER_AT
    CARILLON_TICKER_WAKE
};

#if CARILLON_BASE_BITS > 0

/* Ticks that have passed: the wider of what the base and a time of the queue can hold. */
#if CARILLON_BASE_BITS < CARILLON_TIME_BITS
typedef carillon_time carillon_ticks;
#else
typedef carillon_base carillon_ticks;
#endif

/* Ticks of `units` that have passed and that nobody has counted. */
static inline carillon_ticks carillon_ticker_uncounted(const struct carillon_ticker *ticker, carillon_base units)
{
    return carillon_base_ticks(ticker->at, units);
}

/* How many of the `passed` ticks, at least one, the reference may move: not past the first event.  Of counters, what is
 * left may be more than to the first event. */
static inline carillon_time carillon_ticker_step(const struct carillon_ticker *ticker, carillon_ticks passed)
{
    const carillon_time left = carillon_queue_left(&ticker->queue);
    if (CARILLON_QUEUE_COUNTERS) {
        return (carillon_time)((left == 0u) ? 0u : 1u);
    }
    return (carillon_time)((passed < left) ? passed : left);
}

/* So many ticks of `units` that have passed are counted; the queue's reference is to be moved as well. */
static inline void carillon_ticker_count(struct carillon_ticker *ticker, carillon_base units, carillon_base ticks)
{
    ticker->at = carillon_base_later(ticker->at, (carillon_base)(ticks * units));
}

#if CARILLON_TICKER_AHEAD

/* For how many ticks of `units` a ticker may be left: the base is left for less than a lap.  `most`: what the queue's
 * times allow, if they have fewer bits. */
static inline carillon_base carillon_ticker_most(carillon_base units, carillon_time most)
{
    const carillon_base whole = carillon_base_ticks_ahead(units);
    return ((CARILLON_TIME_BITS >= 32) || (whole < most)) ? whole : (carillon_base)most;
}

/* From the reference to the tick to which a ticker is to be left: that of the first event, but at most `most` ticks. */
static inline carillon_base carillon_ticker_ahead(const struct carillon_ticker *ticker, carillon_base most)
{
    const carillon_time left = carillon_queue_left(&ticker->queue);
    return (left < most) ? (carillon_base)left : most;
}

/* What is first in the queue has changed, or the reference: leave the ticker for so many ticks of `units`. */
static inline void carillon_ticker_leave(struct carillon_ticker *ticker, carillon_base units, carillon_base ahead)
{
    ticker->wake = (carillon_base)(carillon_base_later(ticker->at, (carillon_base)(ahead * units)) + 1u);
}

/* Whether ticks are to be counted, at a reading of the base. */
static inline bool carillon_ticker_is_over(const struct carillon_ticker *ticker, carillon_base left)
{
    return (carillon_base)(left - ticker->wake) >= CARILLON_BASE_AHEAD;
}

#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
