/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What emulators/qemu/trace_plugin.c knows of RV32 with a CLIC: the same as of RV32, but that time is in cycles.  A
 * vector is where a handler begins. */

/* Of carillon_port_start: cycles of a turn, and from the load of a store to the store's cycle. */
#define START_TURN 8u
#define START_STORED 3u

#include "../rv32/trace_processor.h"
