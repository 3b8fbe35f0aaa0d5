/* SPDX-License-Identifier: Apache-2.0
 *
 * The configuration that the unit tests compile kernel and port for; CMakeLists.txt sets what differs. */
#ifndef CARILLON_CONFIG_H
#define CARILLON_CONFIG_H

#define CARILLON_CLOCK_HZ 1000000u
#ifndef CARILLON_LEVELS
#define CARILLON_LEVELS 8u
#endif
#define CARILLON_START_MODE 0
#define CARILLON_LOWERED 1
#ifndef CARILLON_BELOW_TASKS
#define CARILLON_BELOW_TASKS 0
#endif
#define CARILLON_SOURCES 64
#define CARILLON_INITIALS 0
#define CARILLON_MULTIPLEXES 1
#define CARILLON_ALIGNS 1
#ifndef CARILLON_TIMEKEEPERS
#define CARILLON_TIMEKEEPERS 0
#endif
#define CARILLON_LAPS 0
#define CARILLON_FINISHES 1
#define CARILLON_START_KEEPS 0
#ifndef CARILLON_SYNC
#define CARILLON_SYNC 0
#endif
#define CARILLON_IDLE_SLEEP 1
#define CARILLON_COPY_DATA 0
#ifndef CARILLON_CONSTRUCTORS
#define CARILLON_CONSTRUCTORS 0
#endif
#ifndef CARILLON_CLOCK_KEEPS_TIME
#define CARILLON_CLOCK_KEEPS_TIME 0
#endif
#define CARILLON_ADDRESS_BITS 32

#ifndef CARILLON_GIOTTO
#define CARILLON_GIOTTO 0
#endif
#define CARILLON_MICROCODE_TASKS 2u
#define CARILLON_MICROCODE_BINDINGS 2u
#define CARILLON_MICROCODE_THREADS 2u
#define CARILLON_LOADER_BYTES 1024u
#define CARILLON_MICROCODE_RECORD 16u

#ifndef CARILLON_INSTRUCTIONS_PER_TICK
#define CARILLON_INSTRUCTIONS_PER_TICK 0u
#endif
#ifndef CARILLON_MODES
#define CARILLON_MODES 1
#endif
#ifndef CARILLON_CONVENTIONAL
#define CARILLON_CONVENTIONAL 0
#endif
#ifndef CARILLON_OSEK
#define CARILLON_OSEK 0
#endif
#ifndef CARILLON_OSEK_TIME
#define CARILLON_OSEK_TIME 0
#endif
#ifndef CARILLON_OSEK_SLICES
#define CARILLON_OSEK_SLICES CARILLON_OSEK_TIME
#endif
#ifndef CARILLON_OSEK_SLICES_REST
#define CARILLON_OSEK_SLICES_REST CARILLON_OSEK_TIME
#endif
#ifndef CARILLON_OSEK_TURN_LEVELS
#define CARILLON_OSEK_TURN_LEVELS CARILLON_OSEK_TIME
#endif
#ifndef CARILLON_TABLES
#define CARILLON_TABLES 0
#endif
#ifndef CARILLON_SHUTDOWN_ON_MISS
#define CARILLON_SHUTDOWN_ON_MISS 0
#endif

/* Cells 0 to 3 have sources of their own, 4 and 5 share one; cell 6 counts four units a tick. */
#define CARILLON_VIRTUAL_CELLS \
    {0, 1u, 1u}, {1, 1u, 1u}, {2, 1u, 1u}, {3, 1u, 1u}, {4, 1u, 1u}, {4, 1u, 1u}, {5, 1u, 4u},

#include "tests/config/carillon_most.h"
#include "tests/config/carillon_off.h"

#endif
