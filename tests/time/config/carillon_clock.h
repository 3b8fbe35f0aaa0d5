/* SPDX-License-Identifier: Apache-2.0
 *
 * The mock timer as a device of the clock. */
#ifndef CARILLON_CLOCK_DEVICE_H
#define CARILLON_CLOCK_DEVICE_H

#include "mock_timer.h"

#if CARILLON_CLOCK == CARILLON_CLOCK_COMPARE
static inline carillon_count carillon_device_now(void)
{
    return (carillon_count)mock_now();
}

static inline void carillon_device_set(carillon_count at)
{
    mock_set(at);
}
#else
static inline carillon_count carillon_device_remaining(void)
{
    return (carillon_count)mock_remaining();
}

#if CARILLON_CLOCK_RESTARTS
static inline void carillon_device_load(carillon_count ticks)
{
    mock_load(ticks);
}
#else
static inline void carillon_device_shift(carillon_count by)
{
    mock_shift(by);
}
#endif
#endif

static inline void carillon_device_enable(void)
{
    mock_enable();
}

static inline void carillon_device_disarm(void)
{
    mock_disarm();
}

static inline void carillon_device_acknowledge(void)
{
    mock_acknowledge();
}

#if CARILLON_CLOCK_REQUESTS
static inline void carillon_device_request(void)
{
    mock_request();
}
#endif

#endif
