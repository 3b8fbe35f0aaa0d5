/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * One fault in a run, as tool/carillon/run/injection.py draws it: "--fault KIND AT WHAT AMOUNT RECORDS SECONDS", numbers
 * in decimal.  AT counts expiries from 1, or it is a time since power-up: in ticks on a virtual board, in cycles in
 * simavr. */
#ifndef CARILLON_FAULT_H
#define CARILLON_FAULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What happens, and when. */
enum fault_kind {
    FAULT_NONE,
    FAULT_LATE,     /* expiry AT: its interrupt comes AMOUNT later */
    FAULT_LOST,     /* expiry AT: it comes never */
    FAULT_DOUBLED,  /* expiry AT: it comes again as soon as its handler has begun */
    FAULT_SPURIOUS, /* time AT: source WHAT is requested */
    FAULT_JUMP,     /* time AT: cell WHAT expires AMOUNT later; earlier, if that is negative */
    FAULT_DRIFT,    /* from time AT on: cell WHAT is slower by AMOUNT millionths; faster, if that is negative */
    FAULT_FLIP,     /* time AT: bit AMOUNT of the byte at address WHAT */
    FAULT_STACK,    /* time AT: bit AMOUNT of the live stack, which counts from its beginning and goes round */
    FAULT_KINDS
};

/* How a run with a fault ends, beside 0. */
enum fault_end {
    FAULT_STILL = 3,      /* no cell runs: nothing will ever happen */
    FAULT_STORM = 4,      /* there are more records than RECORDS allows */
    FAULT_UNEXPECTED = 5, /* carillon_port_unexpected */
    FAULT_REFUSED = 6,    /* the virtual controller cannot do what it was told */
    FAULT_ASTRAY = 7,     /* simavr: an instruction or an address that the chip does not have, or no end of nesting */
    FAULT_ASLEEP = 8      /* simavr: the processor sleeps, and no interrupt may wake it */
};

struct fault {
    enum fault_kind kind;
    uint64_t at;
    uint32_t what;
    int64_t amount;
    bool has_struck;
    uint64_t due;       /* late: when the interrupt comes */
    uint32_t source;    /* late and doubled: that which comes */
    bool comes;         /* whether it is still to come */
    uint64_t remainder; /* drift: of the cell's expiry, in parts of a tick */
    uint64_t most;      /* records, so that a storm ends */
};

/* So many times the seconds of the processor are the seconds of the clock after which a run is ended. */
#define FAULT_WAITS 30u

/* A file is no longer than this: a program that prints without end is ended, too. */
#define FAULT_BYTES (UINT32_C(256) << 20)

/* Read KIND AT WHAT AMOUNT RECORDS SECONDS: after so many records or seconds of the processor the run is ended. */
static inline bool fault_read(struct fault *fault, char **words)
{
    static const char *const names[FAULT_KINDS] = {"",     "late",  "lost", "doubled", "spurious",
                                                   "jump", "drift", "flip", "stack"};
    for (uint32_t kind = 1u; kind < (uint32_t)FAULT_KINDS; kind++) {
        if (strcmp(words[0], names[kind]) == 0) {
            fault->kind = (enum fault_kind)kind;
        }
    }
    fault->at = strtoull(words[1], NULL, 10);
    fault->what = (uint32_t)strtoul(words[2], NULL, 10);
    fault->amount = strtoll(words[3], NULL, 10);
    fault->most = strtoull(words[4], NULL, 10);
    const struct rlimit bytes = {FAULT_BYTES, FAULT_BYTES}, no_core = {0, 0};
    const struct rlimit seconds = {strtoul(words[5], NULL, 10), RLIM_INFINITY};
    (void)alarm(FAULT_WAITS * (unsigned)seconds.rlim_cur);
    return fault->kind != FAULT_NONE && setrlimit(RLIMIT_FSIZE, &bytes) == 0 && setrlimit(RLIMIT_CORE, &no_core) == 0 &&
           setrlimit(RLIMIT_CPU, &seconds) == 0;
}

#define FAULT_MILLION 1000000

/* Whether the fault concerns an expiry, rather than a tick. */
static inline bool fault_of_expiry(const struct fault *fault)
{
    return fault->kind == FAULT_LATE || fault->kind == FAULT_LOST || fault->kind == FAULT_DOUBLED;
}

/* The time at which the device has something to do for the fault; UINT64_MAX: none. */
static inline uint64_t fault_due(const struct fault *fault)
{
    if (fault->kind == FAULT_LATE && fault->comes) {
        return fault->due;
    }
    return fault->kind == FAULT_NONE || fault_of_expiry(fault) || fault->has_struck ? UINT64_MAX : fault->at;
}

#endif
