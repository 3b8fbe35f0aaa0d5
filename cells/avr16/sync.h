/* SPDX-License-Identifier: Apache-2.0
 *
 * The timers of AVR in a round that follows a global time: kernel/osektime/sync.h says what these operations promise.
 *
 *     counter of each timer
 *     0 BACK ── points of a round ── place ────────── top ─────────── top + correction
 *       │                            │                │
 *       │                            sync point       begins anew here, unless the turn is longer or shorter
 *       the usual length is stored
 *
 * 1. All timers of the round read the same at every time: each begins as far on as its start store comes later.  The
 *    round's points lie in one turn, and the counters begin anew in the slack behind the sync point.
 * 2. A correction is one turn of another length.  The length register of mode 12 is in force at once, and nothing else
 *    is touched: no match, no counter, no request.  So each cell's next expiry is moved by exactly the correction.
 * 3. A length that the counter has passed would never be met.  It is stored only if `latest` says that it is in time,
 *    with interrupts locked.
 * 4. The turn behind it has the usual length again, which is stored at its beginning: the sync cell's match is moved
 *    there, and back to the sync point then.  A turn of the usual length has no such interrupt.
 * 5. If that interrupt is held up until the sync point's place, its handler is the sync point's as well.  If it is held
 *    up for the whole turn, that turn gets the other length once more. */
#ifndef CARILLON_CELL_AVR16_SYNC_H
#define CARILLON_CELL_AVR16_SYNC_H

#include "kernel/contract/sync.h"

#include "cells/avr16/cell.h"
#include "kernel/osektime/sync_usual.h"

#define AVR16_BACK 1u
/* Within so many ticks of looking at the counter, the lengths are stored. */
#define AVR16_LENGTHS_TIME(count) ((64u + 32u * (uint32_t)(count)) / CARILLON_INSTRUCTIONS_PER_TICK + 2u)

static volatile bool avr16_other; /* the turn has another length: the sync cell's match is BACK */

static inline void avr16_set_lengths(const struct carillon_sync *sync, carillon_value by)
{
    for (uint16_t i = 0u; i < sync->cell_count; i++) {
        CARILLON_REGISTER_16(sync->cells[i].counter & CARILLON_ADDRESS) = (carillon_value)(sync->cells[i].units + by);
    }
}

/* Locked.  The sync point's own match may come while it is set: then its request is forgotten, and it is served now. */
static inline bool carillon_sync_goes_back(const struct carillon_sync *sync)
{
    const carillon_address match = sync->counter;
    const carillon_address count = AVR16_COUNT_OF(match);
    if (!avr16_other) {
        return false;
    }
    if (CARILLON_REGISTER_16(count) + AVR16_LENGTHS_TIME(sync->cell_count) >= sync->length) {
        return true;
    }
    avr16_set_lengths(sync, 0u);
    CARILLON_REGISTER_16(match) = (uint16_t)(sync->place - 1u);
    avr16_other = false;
    if (CARILLON_REGISTER_16(count) < sync->place) {
        return true;
    }
    CARILLON_REGISTER(CARILLON_SOURCE_FLAG(sync->source)) = CARILLON_SOURCE_BIT(sync->source);
    return false;
}

static inline bool carillon_sync_asks(const struct carillon_sync *sync)
{
    return !avr16_other && carillon_port_is_pending(sync->source);
}

static inline uint32_t carillon_sync_left(const struct carillon_sync *sync)
{
    const uint8_t saved = carillon_port_hold_all(); /* registers of 16 bits share a byte in between */
    const uint16_t now = CARILLON_REGISTER_16(AVR16_COUNT_OF(sync->counter));
    const uint16_t top = CARILLON_REGISTER_16(AVR16_LENGTH_OF(sync->counter));
    carillon_port_let_go(saved);
    return (now < sync->place) ? (uint32_t)(sync->place - now) : ((uint32_t)top + 1u - now + sync->place);
}

/* Locked, and in time. */
static inline void carillon_sync_move(const struct carillon_sync *sync, carillon_value by)
{
    avr16_set_lengths(sync, by);
    CARILLON_REGISTER_16(sync->counter) = AVR16_BACK;
    avr16_other = true;
}

/* The cells go on by themselves. */
static inline void carillon_sync_skip(const struct carillon_sync *sync)
{
    (void)sync;
}

#endif
