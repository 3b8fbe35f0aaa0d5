/* SPDX-License-Identifier: Apache-2.0
 *
 * The log is a ring.  `count` is written behind its entry, so that an entry below it is whole, or was overwritten. */
#include "kernel/microcode/log.h"

#if CARILLON_LOADER_LOG > 0u
static volatile struct carillon_log_entry entries[CARILLON_LOADER_LOG];
static volatile uint32_t count;
static uint32_t place; /* of the next entry */

void carillon_log_note(enum carillon_log_kind kind, uint16_t task, uint32_t now)
{
    entries[place].time = now;
    entries[place].task = task;
    entries[place].kind = (uint16_t)kind;
    place = ((place + 1u) < CARILLON_LOADER_LOG) ? (place + 1u) : 0u;
    count = count + 1u;
}

uint32_t carillon_log_count(void)
{
    return count;
}

/* The entry that is written next may be half written: it counts as overwritten. */
static uint32_t oldest_of(uint32_t now)
{
    return (now < CARILLON_LOADER_LOG) ? 0u : (now - (CARILLON_LOADER_LOG - 1u));
}

uint32_t carillon_log_read(uint32_t *first, struct carillon_log_entry *found, uint32_t room)
{
    const uint32_t before = count;
    const uint32_t oldest = oldest_of(before);
    const uint32_t from = (*first < oldest) ? oldest : *first;
    uint32_t taken = 0u;
    while ((taken < room) && ((from + taken) < before)) {
        const uint32_t at = (from + taken) % CARILLON_LOADER_LOG;
        found[taken] =
            (struct carillon_log_entry){.time = entries[at].time, .task = entries[at].task, .kind = entries[at].kind};
        taken++;
    }
    /* What was overwritten since is taken away: it is at the begin. */
    const uint32_t now_oldest = oldest_of(count);
    uint32_t lost = (now_oldest > from) ? (now_oldest - from) : 0u;
    lost = (lost < taken) ? lost : taken;
    for (uint32_t k = lost; k < taken; k++) {
        found[k - lost] = found[k];
    }
    *first = from + lost;
    return taken - lost;
}
#endif
