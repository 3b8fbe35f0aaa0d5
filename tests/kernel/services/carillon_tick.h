/* SPDX-License-Identifier: Apache-2.0
 *
 * What is left of a tick, as a test says. */
#ifndef CARILLON_CLOCK_TICK_H
#define CARILLON_CLOCK_TICK_H

#include <stdint.h>

extern uint32_t test_units_left;

#define CARILLON_TICK_LEFT test_units_left
#define CARILLON_TICK_WAITS false
#define CARILLON_TICK_MATCH 0u

#endif
