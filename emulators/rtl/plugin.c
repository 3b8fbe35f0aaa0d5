/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * QEMU's tracing plugin, for runner.cpp: as in rigless, but that time is not counted in instructions. */
#include <stdlib.h>

#include "rtl/plugin.h"

/* The runner writes what is in its buffers, and ends the process then. */
#define _Exit plugin_exit

/* Its own is below. */
#define plugin_accessed accessed_now

#include "rigless/plugin.c"

#undef plugin_accessed

void plugin_time(uint64_t cycle)
{
    executed = cycle;
}

/* How long after its load a start list's store comes depends on the memory, so the load is told of with the store. */
void plugin_accessed(const struct qemu_plugin_insn *insn, bool store, uint64_t address)
{
    static const struct qemu_plugin_insn *load;
    static uint64_t loaded;
    if (insn->accessed == on_begin) {
        load = insn;
        loaded = address;
        return;
    }
    if (load != NULL && store) {
        accessed_now(load, false, loaded);
        load = NULL;
    }
    accessed_now(insn, store, address);
}
