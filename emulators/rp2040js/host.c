/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * Starts runner.mjs, which runs an image in rp2040js, and lets QEMU's tracing plugin watch it, as in rigless.
 *
 * The runner's standard output is a pipe of words of 32 bits, in the order in which things happen.  The low two bits
 * say what a word is:
 * - EXECUTED: an instruction is executed, whose number is above;
 * - OUTPUT: a byte is above, which the firmware has sent, or of what is wrong with the run (WRONG), which ends at END;
 *   or a record is to be made of what comes from outside (HAPPENED, CHANGED), whose value follows;
 * - MET: an instruction is met for the first time, and numbered from 1 on: its address and its bytes follow;
 * - ACCESSED: the instruction that was executed last loads, or stores (bit 2), at the address that follows.
 * The runner does not know when the run ends, and is ahead of what is read here.  So output goes through here, too. */
#define _GNU_SOURCE
#include "rigless/plugin.c"

#include "stimuli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { EXECUTED, OUTPUT, MET, ACCESSED, KINDS };
#define WRONG 0x100u
#define END 0x200u
#define HAPPENED 0x400u
#define CHANGED 0x800u

#define PIPE_BYTES (1 << 20)

static struct qemu_plugin_insn **known; /* by their numbers */
static size_t known_count, known_space;
static uint32_t words[PIPE_BYTES / 4];
static size_t word_count, word_next;

/* The next word; the run is over where there is none. */
static uint32_t next_word(void)
{
    if (word_next == word_count) {
        size_t bytes = 0;
        do {
            const ssize_t got = read(0, (char *)words + bytes, sizeof words - bytes);
            if (got <= 0) {
                give_up("the emulator ended before the run did");
            }
            bytes += (size_t)got;
        } while (bytes % sizeof words[0] != 0);
        word_count = bytes / sizeof words[0];
        word_next = 0;
    }
    return words[word_next++];
}

static void meet(void)
{
    if (known_count == known_space) {
        known_space = known_space == 0 ? 4096 : 2 * known_space;
        known = realloc(known, known_space * sizeof *known);
        if (known == NULL) {
            give_up("no memory for the instructions");
        }
    }
    const uint32_t address = next_word(), word = next_word();
    const uint8_t bytes[] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
    known[known_count++] = plugin_meet(address, bytes, (word & 0xFFFF) >> 11 >= 0x1D ? 4 : 2);
}

static void output(uint32_t what)
{
    if (what == END) {
        _Exit(1);
    }
    if (what == HAPPENED || what == CHANGED) {
        record(executed, (enum record)(what == HAPPENED ? RECORD_STIMULUS : RECORD_LEVEL), next_word());
        return;
    }
    (void)fputc((int)(what & 0xFF), (what & WRONG) != 0 ? stderr : stdout);
}

/* The runner, whose output is this process's input from now on; it ends with this process,
 * at the latest when it writes to it. */
static void start(char **arguments)
{
    int ends[2];
    if (pipe(ends) != 0) {
        give_up("no pipe to the emulator");
    }
#ifdef F_SETPIPE_SZ
    (void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES);
#endif
    const pid_t child = fork();
    if (child == 0) {
#ifdef __linux__
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        (void)dup2(ends[1], 1);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execvp(arguments[0], arguments);
        perror("carillon: the emulator does not start");
        _Exit(1);
    }
    if (child < 0 || dup2(ends[0], 0) != 0) {
        give_up("the emulator does not start");
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* NODE RUNNER MODULES DEVICE RATE IMAGE map=FILE out=FILE ... [stimuli=FILE]: the first six, the map and the stimuli
 * are the runner's.  With gdb=PORT in place of all behind the image, the runner is a server for gdb. */
int main(int count, char **arguments)
{
    if (count == 8 && strncmp(arguments[7], "gdb=", 4) == 0) {
        (void)execvp(arguments[1], arguments + 1);
        perror("carillon: the emulator does not start");
        return 1;
    }
    char *given = "", stored[16];
    (void)snprintf(stored, sizeof stored, "%u", START_STORED);
    if (count > 8 && strncmp(arguments[count - 1], "stimuli=", 8) == 0) {
        count--;
        given = arguments[count] + 8;
    }
    if (count < 8 || strncmp(arguments[7], "map=", 4) != 0) {
        give_up("usage: %s NODE RUNNER MODULES DEVICE RATE IMAGE map=FILE out=FILE ...", arguments[0]);
    }
    if (!plugin_install(count - 7, arguments + 7)) {
        return 1; /* it has said why */
    }
    char *const runner[] = {arguments[1], arguments[2],     arguments[3], arguments[4], arguments[5],
                            arguments[6], arguments[7] + 4, given,        stored,       NULL};
    start((char **)runner);
    const struct qemu_plugin_insn *now = NULL;
    for (;;) {
        const uint32_t word = next_word(), what = word >> 2;
        switch (word % KINDS) {
        case EXECUTED:
            if (what - 1 >= known_count) {
                give_up("the emulator names no instruction");
            }
            now = known[what - 1];
            plugin_executed(now);
            break;
        case OUTPUT:
            output(what);
            break;
        case MET:
            meet();
            break;
        default:
            plugin_accessed(now, what != 0, next_word());
            break;
        }
    }
}
