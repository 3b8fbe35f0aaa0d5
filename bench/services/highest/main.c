/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread, and a hundred of lower priority, which all wait for the same tick. */
#include "../mark.h"
#include "carillon/time.h"

#define PERIOD CARILLON_MILLISECONDS(20)

THREAD(Main)
{
    for (;;) {
        (void)carillon_delay(PERIOD);
        MARK(woken);
        carillon_work(20);
    }
}

#define LOWER(k)                          \
    THREAD(Lower##k)                      \
    {                                     \
        for (;;) {                        \
            (void)carillon_delay(PERIOD); \
        }                                 \
    }

/* THREADS */
