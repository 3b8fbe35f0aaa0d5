/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernel/osektime/sync.h asks of a sync cell that is moved as the other cells of the round are. */
#ifndef CARILLON_SYNC_USUAL_H
#define CARILLON_SYNC_USUAL_H

#include "kernel/contract/sync.h"

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
