/* SPDX-License-Identifier: Apache-2.0
 *
 * A time base in the proofs of its arithmetic: PERIOD 0 is the whole range of the type. */
#ifndef CARILLON_BASE_DEVICE_H
#define CARILLON_BASE_DEVICE_H

#include <stdint.h>

static uint32_t reading;

#define CARILLON_BASE_PERIOD PERIOD
#define CARILLON_BASE_MOST MOST
#define CARILLON_BASE_AHEAD (MOST / 16u)
#define CARILLON_BASE_ORIGIN 100u
#define CARILLON_BASE_LEFT (reading)

#endif
