/* SPDX-License-Identifier: Apache-2.0
 *
 * Servers: the threads of one level share a budget of time in each period (kernel/time/server.c).
 *
 * The handlers of levels say what runs.  A handler that begins a job, or goes on with one, puts its server, or none, in
 * the place of the server that has been charged until then.  It puts that one back when its job has ended or waits.  So
 * what preempts a server's threads is not charged to the server, but for interrupts. */
#ifndef CARILLON_OSEK_SERVED_H
#define CARILLON_OSEK_SERVED_H

#include "kernel/levels/level.h"

/* Whether a level is a server's.  Those of servers are the highest of threads. */
static inline bool carillon_osek_may_be_served(uint8_t level)
{
    return (CARILLON_OSEK_SERVERS > 0u) && (level >= CARILLON_OSEK_FIRST_SERVED);
}

/* Whether a level's server has used up its budget, so that its threads rest. */
extern volatile uint8_t carillon_server_rests[CARILLON_OSEK_TASK_LEVELS + 1u];

/* Whether the threads of a server's level may run now. */
static inline bool carillon_osek_admits(uint8_t level)
{
    const uint32_t saved = carillon_osek_lock();
    const bool admits = carillon_server_admits(level);
    carillon_osek_unlock(saved);
    return admits;
}

#endif
