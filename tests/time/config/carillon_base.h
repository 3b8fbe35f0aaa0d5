/* SPDX-License-Identifier: Apache-2.0
 *
 * A time base, for checks of the kernel's code with one (scripts/check-c.sh). */
#ifndef CARILLON_BASE_DEVICE_H
#define CARILLON_BASE_DEVICE_H

extern volatile uint32_t carillon_mock_base;

#define CARILLON_BASE_PERIOD 2147483600u
#define CARILLON_BASE_MOST 2147483599u
#define CARILLON_BASE_AHEAD 134217724u
#define CARILLON_BASE_ORIGIN 2147483500u
#define CARILLON_BASE_LEFT (carillon_mock_base)

#endif
