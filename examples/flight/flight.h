/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of flight.giotto, in millimetres and millinewtons. */
#ifndef FLIGHT_H
#define FLIGHT_H

#include <stdint.h>

typedef struct {
    int height;
    int speed; /* mm/s */
} nav_position;

typedef int ctrl_command;

/* What flight.upload may name as `resets`. */
uint32_t flight_resets(void);

#endif
