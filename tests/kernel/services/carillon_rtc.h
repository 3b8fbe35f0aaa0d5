/* SPDX-License-Identifier: Apache-2.0
 *
 * A real-time clock that a test sets: it keeps `test_rtc` from `FIRST_SECOND` on, and may fail. */
#ifndef CARILLON_RTC_H
#define CARILLON_RTC_H

#include <stdbool.h>
#include <stdint.h>

#define FIRST_SECOND 946684800u

extern uint32_t test_rtc, test_rtc_mask;
extern bool test_rtc_starts, test_rtc_fails;
uint32_t carillon_port_mask(void);

static inline void carillon_rtc_start(void)
{
    test_rtc_starts = true;
}

static inline bool carillon_rtc_has(uint32_t seconds)
{
    return seconds >= FIRST_SECOND;
}

static inline bool carillon_rtc_read(uint32_t *seconds)
{
    test_rtc_mask = carillon_port_mask();
    *seconds = test_rtc;
    return !test_rtc_fails;
}

static inline bool carillon_rtc_write(uint32_t seconds)
{
    test_rtc_mask = carillon_port_mask();
    test_rtc = seconds;
    return !test_rtc_fails;
}

#endif
