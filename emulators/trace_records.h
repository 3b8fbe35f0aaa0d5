/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * Records of a run, as the virtual controller, QEMU's plugin, also in rigless, and the runner on simavr write them and
 * tool/carillon/run/records.py reads them. */
#ifndef TRACE_RECORDS_H
#define TRACE_RECORDS_H

#include <stdint.h>

/* What happened, and what `value` is. */
enum record {
    RECORD_BEGIN,   /* the first store that starts cells comes next; the list's address */
    RECORD_ENTER,   /* a handler's first instruction; its source, or its address where the processor tells no more */
    RECORD_EXIT,    /* the first instruction after it */
    RECORD_EXPIRY,  /* of the virtual controller: a cell expired; its number */
    RECORD_CALL,    /* a watched function's first instruction; its address */
    RECORD_RETURN,  /* its last one */
    RECORD_HALT,    /* the run ended */
    RECORD_RESUME,  /* an extended task begins or goes on; the address of its context */
    RECORD_SUSPEND, /* it waits */
    RECORD_LEAVE,   /* it ends */
    RECORD_MARK,    /* a marked instruction; its address */
    RECORD_STEP,    /* a step of a schedule table is served; the address that was read */
    /* The status of a schedule table is written, by what the name says; its address. */
    RECORD_TABLE_STARTS,
    RECORD_TABLE_STOPS,
    RECORD_TABLE_NEXT,
    RECORD_TABLE_GOES,
    /* A source is requested that was not; its number.  Virtual: by no cell.  simavr: of those of ISRs. */
    RECORD_REQUEST,
    RECORD_FAULT, /* virtual: the fault of a campaign happens; its kind */
    /* rigless: a clock has changed, a record for each: the processor's, then those of each bus's timers; its hertz. */
    RECORD_CLOCK
};

/* Little-endian in the file.  The time counts ticks on a virtual board, instructions in QEMU and rigless, cycles in
 * simavr. */
struct record_line {
    uint64_t time;
    uint32_t kind;
    uint32_t value;
};

#endif
