/* SPDX-License-Identifier: Apache-2.0
 *
 * What an event that is due asks of the services that wait. */
#ifndef CARILLON_TIME_WAIT_H
#define CARILLON_TIME_WAIT_H

#include "kernel/time/services.h"

/* The running thread waits until a time, and has met its deadline; the next is that of the release at that time:
 * `period` after `from`; locked.  False, and nothing is done, if the clock cannot tell it. */
#if CARILLON_TIME_DEADLINES > 0
bool carillon_time_next_deadline(carillon_time from, carillon_duration period);
/* Can the clock tell the running thread's deadline after such a period? */
bool carillon_time_tells_deadline(carillon_duration period);
#else
static inline bool carillon_time_tells_deadline(carillon_duration period)
{
    (void)period;
    return true;
}
static inline bool carillon_time_next_deadline(carillon_time from, carillon_duration period)
{
    (void)from;
    (void)period;
    return true;
}
#endif

/* Return a unit to a semaphore; false: it has as many as it may have already; locked. */
bool carillon_semaphore_give(struct carillon_semaphore *semaphore);

/* A semaphore's unit did not come in time; locked. */
void carillon_time_out(struct carillon_waiter *waiter);

#endif
