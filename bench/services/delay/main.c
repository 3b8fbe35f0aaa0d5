/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that waits for its next period again and again.  It preempts another, which never waits. */
#include "../mark.h"
#include "carillon/time.h"

THREAD(Main)
{
    carillon_time next = carillon_now();
    for (;;) {
        MARK(block);
        (void)carillon_delay_until(&next, CARILLON_MICROSECONDS(320));
        MARK(woken);
        carillon_work(20);
    }
}

THREAD(Below)
{
    for (;;) {
    }
}
