/* SPDX-License-Identifier: Apache-2.0
 *
 * A logger samples, and now and then it stores what it has. */
#include "carillon/time.h"

static carillon_time epoch;

static __attribute__((noreturn)) void every(carillon_time period)
{
    carillon_time next = epoch;
    for (;;) {
        (void)carillon_delay_until(&next, period);
    }
}

THREAD(Sample)
{
    epoch = carillon_now(); /* it has the higher priority: the other begins after it */
    every((carillon_time)CARILLON_MILLISECONDS(33));
}

THREAD(Store)
{
    every((carillon_time)CARILLON_MILLISECONDS(100));
}
