/* SPDX-License-Identifier: Apache-2.0
 *
 * Synchronisation of rounds with a global time. */
#ifndef CARILLON_SYNC_H
#define CARILLON_SYNC_H

#include "kernel/contract/sync.h"
#include "kernel/core/kernel.h"

/* The handler of the sync cell, above all tasks. */
void carillon_synchronise(void);

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
