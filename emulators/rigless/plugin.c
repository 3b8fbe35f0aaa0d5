/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * What QEMU's tracing plugin uses of QEMU, for the runner, which is src/main.rs. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/trace_plugin.c"
#include "stimuli.h"

/* An instruction, and whom to tell of it; a block of them is one. */
struct qemu_plugin_insn {
    uint64_t address;
    uint8_t bytes[4];
    size_t size;
    void (*executed)(unsigned, void *);
    void *executed_data;
    void (*accessed)(unsigned, qemu_plugin_meminfo_t, uint64_t, void *);
    void *accessed_data;
};
struct qemu_plugin_tb {
    struct qemu_plugin_insn *insn;
};

/* From this version of the interface on the bytes of an instruction are copied. */
static const qemu_info_t info = {.target_name = "arm", .version = {COPIES_INSN_DATA, COPIES_INSN_DATA}};

static void (*translated)(qemu_plugin_id_t, struct qemu_plugin_tb *);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t, struct qemu_plugin_tb *))
{
    (void)id;
    translated = call;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
    (void)tb;
    return 1;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t number)
{
    (void)number;
    return tb->insn;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
    return insn->address;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
    return insn->size;
}

size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t bytes)
{
    const size_t count = bytes < insn->size ? bytes : insn->size;
    memcpy(to, insn->bytes, count);
    return count;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void (*call)(unsigned, void *), int flags,
                                            void *data)
{
    (void)flags;
    insn->executed = call;
    insn->executed_data = data;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      void (*call)(unsigned, qemu_plugin_meminfo_t, uint64_t, void *), int flags,
                                      int kinds, void *data)
{
    (void)flags;
    (void)kinds;
    insn->accessed = call;
    insn->accessed_data = data;
}

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t store)
{
    return store != 0;
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t, void *), void *data)
{
    (void)id;
    (void)call; /* the runner says itself that it has ended before the run */
    (void)data;
}

static struct stimuli stimuli;

/* Start the plugin; whether it takes its arguments.  One that it does not know is stimuli=FILE. */
bool plugin_install(int count, char **arguments)
{
    for (int k = 0; k < count; k++) {
        if (strncmp(arguments[k], "stimuli=", 8) == 0 && !stimuli_read(&stimuli, arguments[k] + 8)) {
            fprintf(stderr, "carillon: cannot read the stimuli\n");
            return false;
        }
    }
    return qemu_plugin_install(0, &info, count, arguments) == 0;
}

/* An instruction is met for the first time. */
struct qemu_plugin_insn *plugin_meet(uint64_t address, const uint8_t *bytes, size_t size)
{
    struct qemu_plugin_insn *const insn = calloc(1, sizeof *insn);
    if (insn == NULL) {
        give_up("no memory for the instructions");
    }
    insn->address = address;
    insn->size = size;
    memcpy(insn->bytes, bytes, size);
    struct qemu_plugin_tb tb = {insn};
    if (translated != NULL) { /* else nothing is traced, but a debugger is there */
        translated(0, &tb);
    }
    return insn;
}

/* It is executed next. */
void plugin_executed(const struct qemu_plugin_insn *insn)
{
    if (insn->executed != NULL) {
        insn->executed(0, insn->executed_data);
    }
}

/* It loads from an address, or stores there. */
void plugin_accessed(const struct qemu_plugin_insn *insn, bool store, uint64_t address)
{
    if (insn->accessed != NULL) {
        insn->accessed(0, store, address, insn->accessed_data);
    }
    if (insn->accessed == on_begin) {
        stimuli_begin(&stimuli, (uint32_t)address, executed + START_STORED - 1);
    }
}

/* The name of a pin whose levels are recorded; NULL if there are not so many. */
const char *plugin_pin(size_t number)
{
    return number < stimuli.pin_count ? stimuli.pins[number] : NULL;
}

/* Whether the run has begun since this was asked last. */
bool plugin_begins(void)
{
    static bool begun_before;
    const bool begins = stimuli.begun && !begun_before;
    begun_before = stimuli.begun;
    return begins;
}

/* Instructions before the next stimulus; UINT64_MAX if that is not known, or there is none. */
uint64_t plugin_wait(void)
{
    const uint64_t due = stimuli_due(&stimuli);
    return due == UINT64_MAX ? due : due > executed ? due - executed : 0;
}

/* The next stimulus, recorded, or NULL if it is not due. */
const struct stimulus *plugin_stimulus(void)
{
    if (plugin_wait() != 0) {
        return NULL;
    }
    const struct stimulus *const one = &stimuli.list[stimuli.next++];
    if (one->row != NO_ROW) {
        record(executed, (enum record)RECORD_STIMULUS, one->row);
    }
    return one;
}

/* A pin has another level from here on. */
void plugin_level(uint32_t number, bool high)
{
    record(executed, (enum record)RECORD_LEVEL, number << 1 | high);
}

/* A clock has so many hertz from here on. */
void plugin_clock(uint32_t hz)
{
    record(executed, RECORD_CLOCK, hz);
}

/* The start list of cells that wait for another timer, the instruction that let them, and whether the run begins with
 * them. */
static struct {
    bool wait, begin;
    uint32_t list;
    uint64_t since;
} cells;

/* The store that was made is of a start list: it lets another timer start the cells.  So they have not begun. */
void plugin_waits(void)
{
    if (line_count == 0 || lines[line_count - 1].kind != RECORD_BEGIN || lines[line_count - 1].time != executed) {
        return;
    }
    line_count--;
    cells.wait = true;
    cells.list = lines[line_count].value;
    cells.since = executed;
    cells.begin = stimuli.begun && stimuli.origin == executed;
    stimuli.begun = stimuli.begun && !cells.begin;
}

/* The cells that wait, or that the store starts that was made, begin so many instructions later. */
void plugin_starts(uint32_t instructions)
{
    if (cells.wait) {
        cells.wait = false;
        record(executed + instructions, RECORD_BEGIN, cells.list);
        limit = limit == UINT64_MAX ? limit : limit + (executed - cells.since);
        if (cells.begin) {
            stimuli.begun = true;
            stimuli.origin = executed + instructions;
        }
    } else if (line_count != 0 && lines[line_count - 1].kind == RECORD_BEGIN &&
               lines[line_count - 1].time == executed) {
        lines[line_count - 1].time += instructions;
    }
}
