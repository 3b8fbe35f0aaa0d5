/* SPDX-License-Identifier: Apache-2.0
 *
 * A pin for each task: its bit in the output register of a port, which here is a word of memory. */
#ifndef PINS_H
#define PINS_H

#include <stdint.h>

extern volatile uint32_t pins[3];

#define PIN_current 0
#define PIN_speed 1
#define PIN_report 2

#define CARILLON_TRACE_ENTER(task) pins[PIN_##task] = 1u
#define CARILLON_TRACE_LEAVE(task) pins[PIN_##task] = 0u

#endif
