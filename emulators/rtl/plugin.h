/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * What runner.cpp calls of plugin.c. */
#ifndef CARILLON_RTL_PLUGIN_H
#define CARILLON_RTL_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qemu_plugin_insn;

/* Start the plugin; whether it takes its arguments. */
bool plugin_install(int count, char **arguments);

/* An instruction is met for the first time. */
struct qemu_plugin_insn *plugin_meet(uint64_t address, const uint8_t *bytes, size_t size);

/* The cycle in which what is told next happens. */
void plugin_time(uint64_t cycle);

/* The runner's: the plugin ends the process with it. */
void plugin_exit(int status) __attribute__((noreturn));

/* An instruction is executed; and then, what it loads from or stores to. */
void plugin_executed(const struct qemu_plugin_insn *insn);
void plugin_accessed(const struct qemu_plugin_insn *insn, bool store, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
