/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of flight.giotto, in millimetres and millinewtons. */
#ifndef FLIGHT_H
#define FLIGHT_H

typedef struct {
    int height;
    int speed; /* mm/s */
} nav_position;

typedef int ctrl_command;

#endif
