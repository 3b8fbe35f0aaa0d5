/* SPDX-License-Identifier: Apache-2.0
 *
 * What switches of the time services are where a configuration that is compiled without the tool says nothing: as one
 * wants them that asks for the most.  It comes before carillon_off.h, which has the others. */
#ifndef CARILLON_MOST_H
#define CARILLON_MOST_H

#ifndef CARILLON_TIME_BITS
#define CARILLON_TIME_BITS 32
#endif
#if !defined(CARILLON_DISTANCE_BITS) && (CARILLON_TIME_BITS < 32)
#define CARILLON_DISTANCE_BITS 32
#endif
#ifndef CARILLON_CLOCK_BITS
#define CARILLON_CLOCK_BITS CARILLON_TIME_BITS
#endif
#ifndef CARILLON_CLOCK_NESTS
#define CARILLON_CLOCK_NESTS 1
#endif
#ifndef CARILLON_CLOCK_CALLED
#define CARILLON_CLOCK_CALLED 1
#endif
#ifndef CARILLON_QUEUE_MOVES
#define CARILLON_QUEUE_MOVES 1
#endif
/* A quarter of what both the counter and a time can count. */
#ifndef CARILLON_CLOCK_LATEST
#define CARILLON_CLOCK_LATEST (((CARILLON_CLOCK_BITS < CARILLON_TIME_BITS) ? CARILLON_CLOCK_MASK : CARILLON_NEVER) / 4u)
#endif

#ifndef CARILLON_TIME_HZ
#define CARILLON_TIME_HZ 1000000u
#endif

#endif
