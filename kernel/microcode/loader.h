/* SPDX-License-Identifier: Apache-2.0
 *
 * The loader of microcode: it receives a program over a serial line, and lets the machine go on with it if nothing is
 * wrong.  SPEC, section "Microcode at run time", has the protocol.
 *
 * The loader has two buffers, and receives into one that no program of the machine lies in.  One thread calls all
 * functions of the loader, and everything else preempts this thread.  So the loader takes nobody's time, however long
 * it runs. */
#ifndef CARILLON_MICROCODE_LOADER_H
#define CARILLON_MICROCODE_LOADER_H

#include "kernel/contract/microcode.h"
#include "kernel/microcode/verify.h"

#include "carillon_config.h" /* CARILLON_LOADER_BYTES: the longest program */

#define CARILLON_LOADER_VERSION 1u
#define CARILLON_LOADER_FRAME 96u /* the most bytes of a frame, before it is encoded */

/* What the target says of a frame. */
enum carillon_loader_answer {
    CARILLON_LOADER_OK,
    CARILLON_LOADER_VERSIONS, /* the frame is of another version of the protocol */
    CARILLON_LOADER_UNKNOWN,  /* there is no such frame, or it has another length */
    CARILLON_LOADER_BUSY,     /* an accepted program has not begun yet */
    CARILLON_LOADER_CLOSED,   /* no upload has begun, or it has ended */
    CARILLON_LOADER_PLACE     /* bytes that do not follow those that came, or for which there is no room */
};

/* How the last upload ended. */
enum carillon_loader_result {
    CARILLON_LOADER_NOTHING,    /* there was none */
    CARILLON_LOADER_ACCEPTED,   /* its program runs, or will */
    CARILLON_LOADER_INCOMPLETE, /* it has more or fewer bytes than it says */
    CARILLON_LOADER_SEAL, /* its seal is wrong: it was changed, was made for another challenge, or has another key */
    CARILLON_LOADER_SCHEDULER, /* there is no such scheduler */
    CARILLON_LOADER_REFUSED,   /* the verifier says why */
    CARILLON_LOADER_OTHER      /* it is to be joined, and does not begin with the program that runs */
};

/* What the image offers, the key of its uploads (zeros: none was configured), and the checksum of its first program.
 * The tool's. */
extern const struct carillon_verify_image carillon_loader_image;
extern const uint8_t carillon_loader_key[16];
extern const uint32_t carillon_loader_first;

/* A byte has come.  Carries out the frame that it completes, if it does. */
void carillon_loader_byte(uint8_t byte);

/* No byte has come.  With CARILLON_MICROCODE_GENERATES, makes S code of what the scheduler has decided, if for so many
 * ticks it has decided nothing new. */
#if CARILLON_MICROCODE_GENERATES > 0u
void carillon_loader_idle(void);
#else
static inline void carillon_loader_idle(void)
{
}
#endif

/* The owner defines these.  They send a byte, return a number that is hard to foretell, return the program that runs,
 * and replace it by the next one.  The last two are carillon_machine_program and carillon_machine_replace, or
 * carillon_machine_join if `begin` is an address.  The owner takes their lock. */
void carillon_loader_put(uint8_t byte);
uint32_t carillon_loader_chance(void);
const struct carillon_microcode *carillon_loader_running(void);
void carillon_loader_replace(const struct carillon_microcode *program, uint16_t begin);
void carillon_loader_continue(const struct carillon_microcode *program); /* carillon_machine_continue */

/* SipHash-2-4 of some bytes (J.-P. Aumasson and D. Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012). */
uint64_t carillon_siphash(const uint8_t *key, const uint8_t *bytes, uint32_t length);

/* The body of the thread that receives; `turns` of it that found no byte are the chance. */
void carillon_loader_thread(void) __attribute__((noreturn));

#endif
