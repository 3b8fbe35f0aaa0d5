/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of what is due: what stands in the place of kernel/time/wait.c, and how a test notes what was done. */
#ifndef CARILLON_TESTS_WAITS_H
#define CARILLON_TESTS_WAITS_H

#include "services/services.h"

#include <stdio.h>

#define LOGGED(...)                                       \
    do {                                                  \
        char word_[32];                                   \
        (void)snprintf(word_, sizeof word_, __VA_ARGS__); \
        note(word_);                                      \
    } while (false)

void carillon_slices_wanted(void)
{
    services.wanted++;
}

bool carillon_semaphore_give(struct carillon_semaphore *given)
{
    return carillon_semaphore_give_inlined(given, false);
}

void carillon_time_out(struct carillon_waiter *waiter)
{
    (void)waiter;
    LOGGED("out@%u", (unsigned)services_now);
}

#endif
