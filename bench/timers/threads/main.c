/* SPDX-License-Identifier: Apache-2.0
 *
 * Periodic timers revisited, figure 12: alarms that release threads, each of its own period. */
#include "../mark.h"

#define RELEASED(name, period_ms)                                                                        \
    static struct carillon_semaphore name##_released = CARILLON_SEMAPHORE(0);                            \
    static struct carillon_alarm name##_alarm = CARILLON_ALARM_OF_SEMAPHORE(&name##_released);           \
    THREAD(name)                                                                                         \
    {                                                                                                    \
        (void)carillon_alarm_start(&name##_alarm, CARILLON_MILLISECONDS(period_ms), CARILLON_INFINITE);  \
        for (;;) {                                                                                       \
            (void)carillon_semaphore_p(&name##_released);                                                \
        }                                                                                                \
    }

/* THREADS */
