/* SPDX-License-Identifier: Apache-2.0
 *
 * Multiplexing real-time timed events, section VI: a task that computes, below tasks that delay in a loop: the one of
 * number k for 200 k ticks each time.  The one that computes lets one more of them begin before each turn, the most
 * urgent first. */
#include "../mark.h"

MARK(begin)
MARK(end)

static struct carillon_semaphore gate = CARILLON_SEMAPHORE(0);

#define DELAYS(k)                                      \
    THREAD(Delay##k)                                   \
    {                                                  \
        (void)carillon_semaphore_p(&gate);             \
        for (;;) {                                     \
            (void)carillon_delay(UINT32_C(200) * (k)); \
        }                                              \
    }

/* THREADS */

THREAD(Compute)
{
    for (uint8_t turn = 0u; turn <= LAST; turn++) {
        if (turn > 0u) {
            (void)carillon_semaphore_v(&gate);
        }
        bench_begin();
        carillon_work(WINDOW);
        bench_end();
    }
    carillon_port_halt();
}
