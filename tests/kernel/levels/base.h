/* SPDX-License-Identifier: Apache-2.0
 *
 * The time base of tests whose time is `now`: units since time 0. */
#ifndef CARILLON_TESTS_LEVELS_BASE_H
#define CARILLON_TESTS_LEVELS_BASE_H

#include "kernel/clock/base.h"

static uint64_t now;

uint32_t carillon_test_base(void)
{
#if CARILLON_BASE_BITS > 16
    return (uint32_t)((UINT64_C(2) * CARILLON_BASE_PERIOD + CARILLON_BASE_ORIGIN - (now % CARILLON_BASE_PERIOD)) %
                      CARILLON_BASE_PERIOD);
#else
    return (uint16_t)(CARILLON_BASE_ORIGIN - now);
#endif
}

#endif
