/* SPDX-License-Identifier: Apache-2.0
 *
 * What StartOS begins of the clock. */
#ifndef CARILLON_TIME_BEGIN_H
#define CARILLON_TIME_BEGIN_H

#include "carillon_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begin to keep the time, or to follow the time base, with an empty queue. */
#define CARILLON_CLOCK_STARTS ((CARILLON_CLOCK_KEEPS_TIME != 0) || (CARILLON_CLOCK_UNITS > 0u))
#if (CARILLON_CLOCK_KEEPS_TIME != 0) || (CARILLON_CLOCK_UNITS > 0)
void carillon_clock_start(void);
#else
static inline void carillon_clock_start(void)
{
}
#endif

#ifdef __cplusplus
}
#endif

#endif
