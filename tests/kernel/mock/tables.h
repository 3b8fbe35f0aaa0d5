/* SPDX-License-Identifier: Apache-2.0
 *
 * Two modes as the tool would write them, with registers whose addresses say what they are: 1xx of the first
 * mode, 2xx of the second; x1x prepare, x2x restart, x3x start, x4x align, x5x finish, x6x stop, x7x control. */
#ifndef TABLES_H
#define TABLES_H

#include "kernel/contract/mode.h"

/* Of the first mode's two multiplexed cells. */
extern const struct carillon_step first_step, second_step;
extern struct carillon_multiplex first_multiplex, second_multiplex;

/* Carrying out the lists of each mode leaves these logs. */
#define FIRST_PREPARED "vectors(first) level(3,1) level(4,2) 111=1 112=2 "
#define FIRST_RESTART "121=1 "
#define FIRST_START "start( 131=1 ) "
#define FIRST_ALIGNED "141+=10 151=1 "
#define FIRST_STOPPED "161=0 162=0 "
#define SECOND_PREPARED "vectors(second) level(5,1) 211=1 "
#define SECOND_ALIGNED "241+=20 251=1 "
#define FIRST_CONTROL_ENABLED "171=1 172=1 "
#define FIRST_TO_SECOND FIRST_STOPPED SECOND_PREPARED "when(170,77) before( 221=1 ) start( 231=1 ) " SECOND_ALIGNED

#endif
