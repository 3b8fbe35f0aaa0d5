/* SPDX-License-Identifier: Apache-2.0
 *
 * The verifier of microcode that was received: whether bytes are a program for this image, and safe to be carried out.
 * SPEC, section "Verification of microcode", has the rules, and docs/DESIGN.md why they suffice.
 *
 * Nothing in the bytes is trusted.  The verifier reads the bytes and nothing else, calls nothing, needs a fixed stack,
 * and takes a time that is linear in the length. */
#ifndef CARILLON_MICROCODE_VERIFY_H
#define CARILLON_MICROCODE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/contract/microcode.h"

/* What an image offers to a program. */
struct carillon_verify_image {
    uint32_t tick_ns;   /* nanoseconds of the machine's tick */
    uint32_t interface; /* the CRC-32 of the bytes of its tables, from ports to triggers */
    uint16_t counts[5]; /* ports, tasks, drivers, guards, triggers */
    uint8_t bindings;   /* the room for triggers that wait, at most 254 */
    uint8_t threads;    /* the room for threads that wait, at most 254 */
};

/* The verifier's notes, one for each instruction.  They mean nothing before and after. */
struct carillon_verify_node {
    uint32_t lifetime;
    uint16_t index;
    uint16_t stack;
    uint16_t component;
    uint16_t task;
    uint8_t most[2]; /* triggers, threads */
    uint8_t edge;
    uint8_t flags;
};
#define CARILLON_VERIFY_MOST 0x7FFFu /* instructions */

/* Why a program is refused. */
enum carillon_verify_result {
    CARILLON_VERIFY_OK,
    CARILLON_VERIFY_LENGTH,   /* it is shorter or longer than it says, or than a program can be */
    CARILLON_VERIFY_FORMAT,   /* it does not begin as microcode does, or has another version */
    CARILLON_VERIFY_CHECKSUM, /* the checksum is wrong */
    CARILLON_VERIFY_TICK,     /* it has another tick */
    CARILLON_VERIFY_TABLES,   /* its tables are not those of the image */
    CARILLON_VERIFY_LABELS,   /* it has labels, for which a machine has no use */
    CARILLON_VERIFY_ROOM,     /* it has no instruction, or more than there are notes */
    CARILLON_VERIFY_OPCODE,   /* there is no such instruction */
    CARILLON_VERIFY_OPERAND,  /* an operand is out of its range, or not 0 where there is none */
    CARILLON_VERIFY_ADDRESS,  /* an address, or the entry, is none of the code */
    CARILLON_VERIFY_END,      /* nothing follows the last instruction */
    CARILLON_VERIFY_LOOP,     /* it may go round without taking time */
    CARILLON_VERIFY_BINDINGS, /* it may have more triggers waiting than there is room for */
    CARILLON_VERIFY_THREADS,  /* it may have more threads waiting than there is room for */
    CARILLON_VERIFY_HANDLER,  /* a handler is none of the code, waits, begins something else, or has a loop */
    /* Of carillon_load_verify: */
    CARILLON_VERIFY_UNTIMED,   /* the time of a task that it releases is not known */
    CARILLON_VERIFY_UNCOUNTED, /* a loop releases tasks as often as something happens, or is too long to be counted */
    CARILLON_VERIFY_LOAD       /* its tasks need more of the processor than they may take */
};

/* What was found.  `handlers` is as in struct carillon_microcode.  `address` is the instruction that a program was
 * refused for, if it was one. */
struct carillon_verified {
    const struct carillon_instruction *code; /* the first instruction, in the bytes */
    const uint16_t *handlers;                /* in the bytes */
    uint32_t steps;                          /* it carries out no more than so many instructions at one instant */
    uint16_t size;                           /* instructions */
    uint16_t entry;
    uint16_t address;
    uint8_t bindings; /* the most triggers that wait at one time */
    uint8_t threads;  /* the most threads that wait at one time */
};

/* Verify `length` bytes, which begin at a word; `nodes` has room for `room` notes, at most CARILLON_VERIFY_MOST of
 * which are used.  NULL: there is no header, and `found` has the code, the handlers, the size, from 1 to `room`, and the
 * entry.  Returns why the program is refused; if it is not, `found` says what it is.  If a header is refused, `found` may
 * be as it was. */
enum carillon_verify_result carillon_verify(const uint8_t *bytes, uint32_t length,
                                            const struct carillon_verify_image *image,
                                            struct carillon_verify_node *nodes, uint16_t room,
                                            struct carillon_verified *found);

/* The CRC-32 of IEEE 802.3 of what came before, which is 0 for nothing, and these bytes. */
uint32_t carillon_crc32(uint32_t before, const uint8_t *bytes, uint32_t length);

/* `bytes` (1 to 4) bytes as a number, little endian. */
uint32_t carillon_little_endian(const uint8_t *at, uint32_t bytes);

#endif
