/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that waits for the next period again and again, above others that wait for longer. */
#include "../mark.h"

MARK(woken)

THREAD(Main)
{
    carillon_time next = carillon_now();
    for (;;) {
        (void)carillon_delay_until(&next, CARILLON_MICROSECONDS(PERIOD_US));
        bench_woken();
    }
}

#define WAITS(k)                                                   \
    THREAD(Waits##k)                                               \
    {                                                              \
        for (;;) {                                                 \
            (void)carillon_delay(CARILLON_MILLISECONDS(50 + (k))); \
        }                                                          \
    }

/* THREADS */
