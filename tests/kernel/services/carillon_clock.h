/* SPDX-License-Identifier: Apache-2.0
 *
 * A counter that a test sets, as a device of a compare clock. */
#ifndef CARILLON_CLOCK_DEVICE_H
#define CARILLON_CLOCK_DEVICE_H

#include <stdint.h>

extern uint32_t test_now, test_alarm_at;
extern uint32_t test_takes; /* ticks that pass whenever the counter is read: code takes time */

static inline carillon_count carillon_device_now(void)
{
    test_now += test_takes;
    return (carillon_count)test_now;
}

static inline void carillon_device_set(carillon_count at)
{
    test_alarm_at = at;
}

static inline void carillon_device_enable(void)
{
}

static inline void carillon_device_disarm(void)
{
}

static inline void carillon_device_acknowledge(void)
{
}

static inline void carillon_device_request(void)
{
}

#endif
