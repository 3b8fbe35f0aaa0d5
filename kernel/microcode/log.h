/* SPDX-License-Identifier: Apache-2.0
 *
 * What the machine has done, for the host that asks: "send logging information to host" (algorithm 4).  The last
 * CARILLON_LOADER_LOG entries are kept, and all are numbered from 0, so that who reads sees which were overwritten. */
#ifndef CARILLON_MICROCODE_LOG_H
#define CARILLON_MICROCODE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h" /* CARILLON_LOADER_LOG: how many entries there is room for; 0: nothing is logged */

enum carillon_log_kind {
    CARILLON_LOG_PROGRAM,  /* a program begins */
    CARILLON_LOG_RELEASED, /* a task */
    CARILLON_LOG_BEGUN,    /* a task's invocation */
    CARILLON_LOG_ENDED,
    CARILLON_LOG_LATE /* a driver or a release touches a task that has not ended */
};

struct carillon_log_entry {
    uint32_t time; /* ticks of the machine */
    uint16_t task;
    uint16_t kind;
};

/* Called locked. */
void carillon_log_note(enum carillon_log_kind kind, uint16_t task, uint32_t now);

/* How many entries there have been, modulo 2^32. */
uint32_t carillon_log_count(void);

/* Entries from the number `*first` on, at most `room`.  Returns how many.  Those that were overwritten are left out,
 * and `*first` is the number of the first one that was not.  Of the loader's thread, which who notes preempts. */
uint32_t carillon_log_read(uint32_t *first, struct carillon_log_entry *found, uint32_t room);

#endif
