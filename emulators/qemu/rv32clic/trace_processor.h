/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What emulators/qemu/trace_plugin.c knows of RV32 with a CLIC: the same as of RV32, but that time is in cycles.  A
 * vector is where a handler begins. */

/* Of carillon_port_start: cycles of a turn, at most, with memory that waits, too.  emulators/rtl/plugin.c tells of the
 * load in the store's cycle, and time begins one cycle before that: a cell then requests in the cycle of its expiry. */
#define START_TURN 32u
#define START_STORED 0u

/* The core fetches anew behind mret. */
#define RETURN_TAKES 2u

#include "../rv32/trace_processor.h"
