/* SPDX-License-Identifier: Apache-2.0
 *
 * A time base that a test sets. */
#ifndef CARILLON_BASE_DEVICE_H
#define CARILLON_BASE_DEVICE_H

extern uint32_t carillon_test_base(void);

#if CARILLON_BASE_BITS <= 16 /* the whole range of a reading, which is never left for more than a tick */
#define CARILLON_BASE_PERIOD 0
#define CARILLON_BASE_MOST 60000u
#define CARILLON_BASE_AHEAD 0u
#define CARILLON_BASE_ORIGIN 65000u
#define CARILLON_BASE_LEFT carillon_test_base()
#else
#define CARILLON_BASE_PERIOD 2000000000u
#define CARILLON_BASE_MOST 1600000000u
#define CARILLON_BASE_AHEAD 100000000u
#define CARILLON_BASE_ORIGIN 1999000000u
#define CARILLON_BASE_GUARD 200u
#define CARILLON_BASE_LEFT carillon_test_base()
#endif

#endif
