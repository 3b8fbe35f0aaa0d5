/* SPDX-License-Identifier: Apache-2.0
 *
 * Low sends a message in each period, and receives it: it never waits.  Then it sends one to High, which waits. */
#include "../mark.h"
#include "carillon/time.h"

CARILLON_MESSAGES(own, uint32_t, 4);
CARILLON_MESSAGES(other, uint32_t, 4);

THREAD(High)
{
    uint32_t message;
    for (;;) {
        (void)carillon_receive(&other, &message);
        MARK(woken);
        carillon_work(20);
    }
}

THREAD(Low)
{
    uint32_t message = 0u;
    carillon_time next = carillon_now();
    for (;;) {
        (void)carillon_delay_until(&next, 1u);
        MARK(send);
        (void)carillon_send(&own, &message);
        MARK(sent);
        carillon_work(20);
        MARK(receive);
        (void)carillon_receive(&own, &message);
        MARK(received);
        carillon_work(20);
        MARK(wake);
        (void)carillon_send(&other, &message);
    }
}
