/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * QEMU's tracing plugin, for runner.cpp: as in rigless, but that time is not counted in instructions. */
#include "rigless/plugin.c"

#include "rtl/plugin.h"

void plugin_time(uint64_t cycle)
{
    executed = cycle;
}
