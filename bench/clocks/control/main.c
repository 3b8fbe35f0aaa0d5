/* SPDX-License-Identifier: Apache-2.0
 *
 * Three control loops, one within the other.  They begin together, so that an interrupt serves all that are due. */
#include "carillon/time.h"

static carillon_time epoch;

static __attribute__((noreturn)) void every(carillon_time period)
{
    carillon_time next = epoch;
    for (;;) {
        (void)carillon_delay_until(&next, period);
    }
}

THREAD(Current)
{
    epoch = carillon_now(); /* it has the highest priority: the others begin after it */
    every((carillon_time)CARILLON_MILLISECONDS(5));
}

THREAD(Speed)
{
    every((carillon_time)CARILLON_MILLISECONDS(10));
}

THREAD(Position)
{
    every((carillon_time)CARILLON_MILLISECONDS(20));
}
