/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that are drawn, the same ones in each run of a program. */
#ifndef CARILLON_TESTS_LEVELS_DRAWN_H
#define CARILLON_TESTS_LEVELS_DRAWN_H

#include <stdint.h>

static inline uint32_t drawn(uint32_t below)
{
    static uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    state = (state * UINT64_C(6364136223846793005)) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % below;
}

#endif
