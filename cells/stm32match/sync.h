/* SPDX-License-Identifier: Apache-2.0
 *
 * The matches of a timer of STM32 in a round that follows a global time: kernel/osektime/sync.h says what these operations
 * promise.
 *
 * All matches share an interrupt.  So the sync cell is another timer (cells/stm32tim), whose interrupt is above those of
 * tasks.  It counts up, and the length register is in force at once.
 *
 * 1. Both timers are started by one store, so they keep the same time: stm32match_point is when the sync cell expires, in
 *    what the matches' counter reads.  What is left to the sync point is known to a tick, whatever the sync cell's
 *    prescaler.
 * 2. The interval of the sync cell that has just begun gets another length, which is a whole number of its units.  So
 *    corrections are, too.  No counter is written.
 * 3. Every handler moves its match from one point to the next by load, addition and store.  In such an image this is
 *    locked, as the sync point is.  So at a sync point each match of the round is in one of two states.
 * 4. It lies ahead, at the cell's next point.  It is moved by the correction, and `latest` says that it still lies ahead.
 * 5. It has come, at a point that has passed, and its handler has not moved it on; or it is that of a deadline that is
 *    not armed.  It is moved as well, so that its handler's addition has the correction in it.  It may come once more
 *    then.  But its flag is set already, or is nobody's, and is cleared after the match has been moved on or armed.
 * 6. A handler of that kind may find points that had passed before the sync point, and that now read as if they lay
 *    ahead.  No point of the round lies between the sync point and the time at which it is served.  So all points up to
 *    where the sync point itself was moved have passed (stm32match_passed). */
#ifndef CARILLON_CELL_STM32MATCH_SYNC_H
#define CARILLON_CELL_STM32MATCH_SYNC_H

#include "cells/stm32match/cell.h"

/* Within so many ticks of looking at the counter, the length is stored. */
#define STM32MATCH_LENGTH_TIME 64u
#define STM32MATCH_MOST_UNITS 0x10000u /* that the sync cell's timer counts */

uint32_t stm32match_point;
static uint32_t stm32match_interval; /* of the sync cell, as its length register has it */
static uint32_t stm32match_behind;   /* the ticks by which its next expiry is behind a sync point, modulo the round */

static inline uint32_t stm32match_time(const struct carillon_sync *sync)
{
    return stm32match_now(sync->cells[0].counter);
}

/* The interval that has begun is so many ticks longer, a whole number of the sync cell's units. */
static inline void stm32match_lengthen(const struct carillon_sync *sync, uint32_t by)
{
    stm32match_point += by;
    stm32match_interval += by;
    CARILLON_REGISTER(sync->counter) = (stm32match_interval / sync->unit) - 1u;
}

/* The rounds have been started. */
static inline uint32_t carillon_sync_starts(const struct carillon_sync *sync)
{
    stm32match_point = sync->first;
    stm32match_interval = sync->length;
    stm32match_behind = 0u;
    return sync->begins;
}

/* The ticks to the sync cell's next expiry; 0 or less: it has expired. */
static inline int32_t stm32match_left(const struct carillon_sync *sync)
{
    const uint32_t left = stm32match_point - stm32match_time(sync);
    return (int32_t)left;
}

static inline bool carillon_sync_asks(const struct carillon_sync *sync)
{
    return stm32match_left(sync) <= 0;
}

static inline uint32_t carillon_sync_left(const struct carillon_sync *sync)
{
    const int32_t left = stm32match_left(sync);
    return (uint32_t)left + ((left <= 0) ? sync->length : 0u);
}

/* Locked: the sync cell has expired.  The interval that has begun is of the last one's length, and gets another one: that
 * after which it ends at the next sync point.  This is the usual one, unless the handler is late by about a round.  If
 * the interval is about to end, or if the length register does not hold that, it is left to the next time. */
static inline uint32_t carillon_sync_passes(const struct carillon_sync *sync)
{
    const uint32_t before = stm32match_point;
    while (stm32match_left(sync) <= 0) { /* once, unless the handler is late by a round */
        stm32match_point += stm32match_interval;
        stm32match_behind = (stm32match_behind + stm32match_interval) % sync->length;
    }
    const uint32_t left = (uint32_t)stm32match_left(sync);
    uint32_t wanted = (left + sync->length - stm32match_behind) % sync->length;
    if (wanted <= STM32MATCH_LENGTH_TIME) {
        wanted += sync->length;
    }
    const uint32_t by = wanted - left;
    if ((left > STM32MATCH_LENGTH_TIME) && ((stm32match_interval + by) <= (STM32MATCH_MOST_UNITS * sync->unit))) {
        stm32match_lengthen(sync, by);
        stm32match_behind = 0u;
    }
    return stm32match_point - before;
}

/* What of a correction can be made: a whole number of units, and nothing beside the sync point. */
static inline int32_t carillon_sync_steps(const struct carillon_sync *sync, int32_t by)
{
    return (stm32match_behind == 0u) ? (by - (by % (int32_t)sync->unit)) : 0;
}

/* Locked, and in time. */
static inline void carillon_sync_move(const struct carillon_sync *sync, carillon_value by)
{
    for (uint16_t i = 0u; i < sync->cell_count; i++) {
        CARILLON_REGISTER(sync->cells[i].counter) += by;
    }
    stm32match_lengthen(sync, by);
}

/* Locked.  A match that nobody has served goes on to the next of its points, a multiplexed one by whole rounds. */
static inline void carillon_sync_skip(const struct carillon_sync *sync)
{
    for (uint16_t i = 0u; i < sync->cell_count; i++) {
        stm32match_skip(sync->cells[i].counter, stm32match_periods[sync->cells[i].units]);
    }
}

#endif
