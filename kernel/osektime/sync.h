/* SPDX-License-Identifier: Apache-2.0
 *
 * Synchronisation of rounds with a global time.
 *
 * How cells are moved is said by the file that the generated carillon_sync_cells.h includes:
 * - carillon_sync_starts(sync): the rounds have just been started: the ticks from the first round's beginning to the sync
 *   cell's first expiry; locked;
 * - carillon_sync_passes(sync): it has expired, and its handler runs: the ticks from there to its next expiry; locked;
 * - carillon_sync_steps(sync, by): what of a correction the cells can be moved by; locked;
 * - carillon_sync_left(sync): the ticks that are left to the sync cell's next expiry;
 * - carillon_sync_asks(sync): whether it has expired and its handler has not run;
 * - carillon_sync_move(sync, by): the next expiry of each cell is so many ticks later; locked;
 * - carillon_sync_skip(sync): nobody serves this round's expiries, nor asks for them later; locked;
 * - carillon_sync_goes_back(sync), with CARILLON_SYNC_TURN: whether the sync cell's interrupt is what ends a move, which
 *   it then does; locked. */
#ifndef CARILLON_SYNC_H
#define CARILLON_SYNC_H

#include "kernel/contract/sync.h"
#include "kernel/core/kernel.h"

/* The handler of the sync cell, above all tasks. */
void carillon_synchronise(void) __attribute__((noinline)); /* carillon run looks where it begins */

/* The same where a move has an end (CARILLON_SYNC_TURN). */
void carillon_sync_turn(void);

#if CARILLON_SYNC
/* The rounds of a mode have just been started, with interrupts locked: the first of all, or those after `from`. */
void carillon_sync_begin(uint32_t mode);
void carillon_sync_switch(uint32_t from, uint32_t to);

/* Whether the tasks are held back until the first synchronisation. */
bool carillon_sync_holds(void);
#else
static inline void carillon_sync_begin(uint32_t mode)
{
    (void)mode;
}

static inline void carillon_sync_switch(uint32_t from, uint32_t to)
{
    (void)from;
    (void)to;
}

static inline bool carillon_sync_holds(void)
{
    return false;
}
#endif

#endif
