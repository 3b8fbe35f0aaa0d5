/* SPDX-License-Identifier: Apache-2.0
 *
 * The mock timer as the cell of a clock that ticks: what its counter says of the time within a tick. */
#ifndef CARILLON_TICK_DEVICE_H
#define CARILLON_TICK_DEVICE_H

#include "mock_timer.h"

#define CARILLON_TICK_LEFT mock_left()
#define CARILLON_TICK_WAITS mock_waits()
#ifndef CARILLON_TICK_MATCH
#define CARILLON_TICK_MATCH 0u
#endif

#endif
