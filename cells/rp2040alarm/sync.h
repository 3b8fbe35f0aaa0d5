/* SPDX-License-Identifier: Apache-2.0
 *
 * The alarms of the RP2040 in a round that follows a global time: kernel/osektime/sync.h says what these operations
 * promise.
 *
 * 1. Every handler moves its alarm from one point to the next by load, addition and store.  In such an image this is
 *    locked, as the sync point is.  So at a sync point each alarm of the round is in one of two states.
 * 2. It is armed and lies ahead, at the cell's next point.  It is moved by the correction, and `latest` says that it
 *    still lies ahead.
 * 3. It has fired, at a point that has passed, and its handler has not moved it on; or it is that of a deadline that is
 *    not armed.  It is moved as well, so that its handler's addition has the correction in it.  But it is disarmed
 *    again: a correction might bring it ahead of the counter, where it would fire for the same point twice.
 * 4. A handler of the second kind may find points that had passed before the sync point, and that now read as if they
 *    lay ahead.  No point of the round lies between the sync point and the time at which it is served.  So all points
 *    up to where the sync point itself was moved have passed (rp2040alarm_passed).
 *
 * The alarm of the sync cell is a round behind its last point, or at that point until its handler has moved it. */
#ifndef CARILLON_CELL_RP2040ALARM_SYNC_H
#define CARILLON_CELL_RP2040ALARM_SYNC_H

#include "cells/rp2040alarm/cell.h"
#include "kernel/osektime/sync_usual.h"

/* What is left to the sync cell's alarm; 0 or less: it has expired. */
static inline int32_t rp2040alarm_left(const struct carillon_sync *sync)
{
    return (int32_t)(carillon_port_read(sync->counter) - rp2040alarm_now());
}

static inline bool carillon_sync_asks(const struct carillon_sync *sync)
{
    return rp2040alarm_left(sync) <= 0;
}

static inline uint32_t carillon_sync_left(const struct carillon_sync *sync)
{
    const int32_t left = rp2040alarm_left(sync);
    return (uint32_t)left + ((left <= 0) ? sync->length : 0u);
}

/* Locked, and in time. */
static inline void carillon_sync_move(const struct carillon_sync *sync, carillon_value by)
{
    const uint32_t armed = carillon_port_read(RP2040ALARM_ARMED);
    for (uint16_t i = 0u; i < sync->cell_count; i++) {
        CARILLON_REGISTER(sync->cells[i].counter) += by;
    }
    carillon_port_write(RP2040ALARM_ARMED, sync->moves & ~armed);
}

/* Locked.  An alarm that nobody has served goes on to the next of its points, a multiplexed one by whole rounds. */
static inline void carillon_sync_skip(const struct carillon_sync *sync)
{
    for (uint16_t i = 0u; i < sync->cell_count; i++) {
        rp2040alarm_skip(sync->cells[i].counter, rp2040alarm_periods[sync->cells[i].units]);
    }
}

#endif
