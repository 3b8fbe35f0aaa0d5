/* SPDX-License-Identifier: Apache-2.0
 *
 * What an event that is due asks of the services that wait. */
#ifndef CARILLON_TIME_WAIT_H
#define CARILLON_TIME_WAIT_H

#include "services.h"

/* Return a unit to a semaphore; false: it has as many as it may have already; locked. */
bool carillon_semaphore_give(struct carillon_semaphore *semaphore);

/* A semaphore's unit did not come in time; locked. */
void carillon_time_out(struct carillon_waiter *waiter);

#endif
