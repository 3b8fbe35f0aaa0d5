/* SPDX-License-Identifier: Apache-2.0
 *
 * Low locks a mutex twice in each period.  The first time nobody else wants it.  The second time Low waits while it has
 * the mutex, High waits for the mutex meanwhile, and gets it from Low. */
#include "../mark.h"
#include "carillon/time.h"

THREAD(High)
{
    (void)carillon_delay(6u); /* Low locks the mutex at 4 */
    carillon_time next = carillon_now();
    for (;;) {
        (void)carillon_mutex_lock(Bus);
        MARK(handed);
        (void)carillon_mutex_unlock(Bus);
        (void)carillon_delay_until(&next, 4u);
    }
}

THREAD(Low)
{
    carillon_time next = carillon_now();
    for (;;) {
        (void)carillon_delay_until(&next, 4u);
        MARK(lock);
        (void)carillon_mutex_lock(Bus);
        MARK(locked);
        carillon_work(20);
        MARK(unlock);
        (void)carillon_mutex_unlock(Bus);
        MARK(unlocked);
        (void)carillon_mutex_lock(Bus);
        (void)carillon_delay(3u);
        MARK(hand);
        (void)carillon_mutex_unlock(Bus);
    }
}
