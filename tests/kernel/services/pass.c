/* SPDX-License-Identifier: Apache-2.0 */
#include "services.h"

extern uint32_t test_now, test_alarm_at;

#if CARILLON_CLOCK_BASED
/* The base begins anew within the first ticks. */
uint32_t carillon_test_base(void)
{
    const uint32_t passed = services_now * CARILLON_CLOCK_UNITS;
    return (passed <= 90u) ? (90u - passed) : (CARILLON_BASE_PERIOD + 90u - passed);
}

/* The interrupt of the ticks comes with each of them. */
void carillon_device_enable(void)
{
}

void carillon_device_disarm(void)
{
}

void carillon_device_request(void)
{
}
#endif

void services_pass(uint32_t ticks)
{
    for (uint32_t i = 0u; i < ticks; i++) {
        services_now++;
        test_now = services_now;
#if CARILLON_CLOCK_COUNTS_ALONE
        carillon_time_tick();
#elif CARILLON_CLOCK_BASED
        carillon_clock_interrupt();
#else
        if ((uint16_t)test_now == (uint16_t)test_alarm_at) {
            carillon_clock_interrupt();
        }
#endif
    }
}

void services_sleep(void)
{
    const struct carillon_osek_extended *const extended = carillon_osek_tasks[carillon_osek_running].extended;
    for (uint32_t ticks = 0u; (ticks < 200000u) && (extended->waited != 0u); ticks++) {
        services_pass(1u);
    }
    assert_int_equal(extended->waited, 0u);
}
