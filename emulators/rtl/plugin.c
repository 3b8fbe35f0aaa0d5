/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * QEMU's tracing plugin, for runner.cpp: as in rigless, but that time is not counted in instructions. */
#include <stdlib.h>

#include "rtl/plugin.h"

/* The runner writes what is in its buffers, and ends the process then. */
#define _Exit plugin_exit

#include "rigless/plugin.c"

void plugin_time(uint64_t cycle)
{
    executed = cycle;
}
