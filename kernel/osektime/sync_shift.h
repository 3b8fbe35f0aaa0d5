/* SPDX-License-Identifier: Apache-2.0
 *
 * Synchronisation of rounds whose cells are counters that are moved one by one: what kernel/osektime/sync.h promises. */
#ifndef CARILLON_SYNC_SHIFT_H
#define CARILLON_SYNC_SHIFT_H

#include "kernel/contract/sync.h"

#include "carillon_port.h"

static inline bool carillon_sync_asks(const struct carillon_sync *sync)
{
    return carillon_port_is_pending(sync->source);
}

static inline uint32_t carillon_sync_left(const struct carillon_sync *sync)
{
    return carillon_port_read(sync->counter);
}

static inline void carillon_sync_move(const struct carillon_sync *sync, carillon_value by)
{
    carillon_port_shift(sync->cells, sync->cell_count, by);
}

/* The cells go on by themselves. */
static inline void carillon_sync_skip(const struct carillon_sync *sync)
{
    (void)sync;
}

/* Nothing is left to do after a move. */
static inline bool carillon_sync_goes_back(const struct carillon_sync *sync)
{
    (void)sync;
    return false;
}

/* The sync cell expires first at the first round's sync point. */
static inline uint32_t carillon_sync_starts(const struct carillon_sync *sync)
{
    return sync->at;
}

/* The interval to the next expiry has the round's length, and a correction is of any number of ticks. */
static inline uint32_t carillon_sync_passes(const struct carillon_sync *sync)
{
    return sync->length;
}

static inline int32_t carillon_sync_steps(const struct carillon_sync *sync, int32_t by)
{
    (void)sync;
    return by;
}

#endif
