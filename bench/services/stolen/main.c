/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that works for as long twice in each third tick of the clock. Once it works within the tick, and once
 * across the next one, in which the thread below it is due. */
#include "../mark.h"
#include "carillon/time.h"

THREAD(High)
{
    carillon_time next = carillon_now();
    for (;;) {
        (void)carillon_delay_until(&next, 3u);
        MARK(quiet_begin);
        carillon_work(600);
        MARK(quiet_end);
        carillon_work(20);
        MARK(window_begin);
        carillon_work(600);
        MARK(window_end);
    }
}

THREAD(Low)
{
    (void)carillon_delay(1u);
    carillon_time next = carillon_now();
    for (;;) {
        (void)carillon_delay_until(&next, 3u);
        MARK(low);
    }
}
