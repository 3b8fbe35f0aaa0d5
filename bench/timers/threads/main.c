/* SPDX-License-Identifier: Apache-2.0
 *
 * Periodic timers revisited, figure 12: alarms that release threads, each of its own period. */
#include "../mark.h"

#define RELEASED_EVERY(ms)                                                                     \
    static struct carillon_semaphore released_##ms = CARILLON_SEMAPHORE(0);                    \
    static struct carillon_alarm alarm_##ms = CARILLON_ALARM_OF_SEMAPHORE(&released_##ms);     \
    THREAD(Every##ms)                                                                          \
    {                                                                                          \
        (void)carillon_alarm_start(&alarm_##ms, CARILLON_MILLISECONDS(ms), CARILLON_INFINITE); \
        for (;;) {                                                                             \
            (void)carillon_semaphore_p(&released_##ms);                                        \
        }                                                                                      \
    }

/* THREADS */
