/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of synchronisation: how the round of a mode is made longer or shorter at its sync point. */
#ifndef CARILLON_CONTRACT_SYNC_H
#define CARILLON_CONTRACT_SYNC_H

#include "kernel/contract/mode.h"

/* `cells`: every cell of the round, with what its family adds to a shift.  `counter`, `source`: of the sync cell, whose
 * counter reads how many ticks are left to its next expiry; `latest`: below this it is too late in the round to shift.
 * `length`: of the round, and `at`: the sync point, in ticks.  `lengthen`, `shorten`: the most by which one round is
 * changed.  `leave`: what the next round's beginning is after the sync cell's next expiry when the mode is left, modulo
 * 2^32.  `hold`, `release`: the stores that keep the round's requests back until the first synchronisation, and that
 * let them go.
 *
 * Where cells are channels of timers (CARILLON_SYNC_TURN), `cells` has the length register of each timer and what it holds
 * as a rule.  `counter` is the sync cell's match, and `place` what the timers count at the sync point.
 *
 * Where cells match a counter that runs freely, `cells` has the match of each, and its number in its family.  `counter` is
 * the sync cell's match, and `moves` has the bits by which handlers know the cells of the round.  If the sync cell is no
 * such match, it is not one of `cells`, and `counter` is its length register.  It counts `unit` ticks as one, and expires
 * `first` ticks after the start, which is `begins` ticks after the first round's beginning, modulo 2^32. */
struct carillon_sync {
    const struct carillon_shift *cells;
    const struct carillon_store *hold;
    const struct carillon_store *release;
    carillon_address counter;
    carillon_value latest;
    uint32_t length;
    uint32_t at;
    uint32_t lengthen;
    uint32_t shorten;
    uint32_t leave;
    uint16_t cell_count;
    uint16_t hold_count;
    uint16_t release_count;
    uint16_t source;
    uint16_t place;
    uint16_t unit;
    carillon_value moves;
    uint32_t first;
    uint32_t begins;
};

/* Of a mode whose rounds follow edges (CARILLON_SYNC_EDGES): the tick of the round's first edge, and ticks from one to
 * the next, which divide the round. */
struct carillon_edge {
    uint32_t first;
    uint32_t between;
};

/* One for each mode, in the order of the schedule. */
extern const struct carillon_sync carillon_syncs[];
extern const struct carillon_edge carillon_edges[];

#endif
