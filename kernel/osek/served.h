/* SPDX-License-Identifier: Apache-2.0
 *
 * Servers: the threads of one level share a budget of time in each period (kernel/time/server.c).
 *
 * The handlers of levels say what runs.  A handler that begins a job, or goes on with one, puts its server, or none, in
 * the place of the server that has been charged until then.  It puts that one back when its job has ended or waits.  So
 * what preempts a server's threads is not charged to the server, but for interrupts. */
#ifndef CARILLON_OSEK_SERVED_H
#define CARILLON_OSEK_SERVED_H

#include "kernel/osek/level.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a level's server has used up its budget, so that its threads rest. */
extern volatile uint8_t carillon_server_rests[CARILLON_OSEK_TASK_LEVELS + 1u];

/* Whether the threads of a level may run now; locked. */
bool carillon_server_admits(uint8_t level);
static inline bool carillon_osek_admits(uint8_t level)
{
    const uint32_t saved = carillon_osek_lock();
    const bool admits = carillon_server_admits(level);
    carillon_osek_unlock(saved);
    return admits;
}

/* The budgets are whole, and count (StartOS). */
void carillon_server_start(void);

/* In the clock's handler: the end of a server's budget is due, or its return. */
void carillon_server_over(uint8_t server);
void carillon_server_again(uint8_t server);

/* The thread of a level that runs, if one does, gives way as at the end of a slice (kernel/time/wait.c). */
void carillon_slice_ends_at(uint8_t number);

/* A job of a level begins to run, or goes on.  Returns the server that was charged until then, plus 1; 0: none. */
uint8_t carillon_server_begins(uint8_t level);

/* The job of a level's handler has ended or waits, and what it has preempted goes on, which is charged to the server
 * `before`. */
void carillon_server_ends(uint8_t level, uint8_t before);

/* The deadline of a thread has been missed: the application's function is told (osek.c). */
void carillon_time_tell_missed(TaskType thread);

/* A thread of a level becomes ready; locked, or in the clock's handler. */
#if CARILLON_SERVERS_CONSTANT
void carillon_server_readies(uint8_t level);
#else
static inline void carillon_server_readies(uint8_t level)
{
    (void)level;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
