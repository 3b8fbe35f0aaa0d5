/* SPDX-License-Identifier: Apache-2.0 */
#include "services.h"

extern uint32_t test_now, test_alarm_at;

void services_pass(uint32_t ticks)
{
    for (uint32_t i = 0u; i < ticks; i++) {
        services_now++;
        test_now = services_now;
#if CARILLON_CLOCK_COUNTS_ALONE
        carillon_time_tick();
#else
        if ((uint16_t)test_now == (uint16_t)test_alarm_at) {
            carillon_clock_interrupt();
        }
#endif
    }
}
