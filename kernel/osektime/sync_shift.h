/* SPDX-License-Identifier: Apache-2.0
 *
 * Synchronisation of rounds whose cells are counters that are moved one by one: what kernel/osektime/sync.h promises. */
#ifndef CARILLON_SYNC_SHIFT_H
#define CARILLON_SYNC_SHIFT_H

#include "kernel/contract/sync.h"

#include "carillon_port.h"
#include "kernel/osektime/sync_usual.h"

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

#endif
