/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the tasks of a program have enough of the processor: the load of microcode that was verified.  SPEC, section
 * "Load of an upload", says what is counted and what it proves.
 *
 * The times are the image's, and those that an upload carries behind its program: nanoseconds, 0 for a time that is not
 * known.  Of each task, the greater one counts.  All is exact, and nothing overflows, whatever the bytes. */
#ifndef CARILLON_MICROCODE_LOAD_H
#define CARILLON_MICROCODE_LOAD_H

#include "kernel/microcode/verify.h"

#include "carillon_config.h" /* CARILLON_LOADER_LOAD: what tasks may take, per cent; 0: it is not looked at */

/* The image's times, one for each task.  The tool's. */
extern const uint32_t carillon_loader_times[];

/* How many of an upload's bytes are the program, if the others are times, 4 bytes for each task; else all. */
static inline uint32_t carillon_load_length(const uint8_t *bytes, uint32_t length, uint32_t tasks)
{
    uint32_t own = length;
    if ((CARILLON_LOADER_LOAD > 0u) && (length >= 12u)) {
        const uint32_t said = carillon_little_endian(&bytes[8], 4u);
        own = ((length - said) == (4u * tasks)) ? said : length;
    }
    return own;
}

/* Of a program that carillon_verify has found right, with the notes that it has left: `given` are the times behind it,
 * NULL if there are none.  If it is refused, `found->address` says where. */
enum carillon_verify_result carillon_load_verify(const struct carillon_verify_image *image, const uint8_t *given,
                                                 struct carillon_verify_node *nodes, struct carillon_verified *found);

#endif
