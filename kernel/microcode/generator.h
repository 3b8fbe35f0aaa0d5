/* SPDX-License-Identifier: Apache-2.0
 *
 * S code of what the scheduler has decided, made on the target.  "Once the additional S code has been generated, it can
 * execute repeatedly without the need for the task scheduler": the programmable microkernel's paper, section 5.  SPEC, section "S code made on the target", says when and of what. */
#ifndef CARILLON_MICROCODE_GENERATOR_H
#define CARILLON_MICROCODE_GENERATOR_H

#include "kernel/contract/microcode.h"

/* Write the code of a program to a place with room for so many instructions, and behind it the S code.  Each block that
 * has decisions goes on there instead of returning.  It dispatches the block's tasks in order, until the next block
 * comes: after 0 ticks if nobody knows when, which the verifier refuses.  Returns how many instructions there are; 0:
 * there is no room for them, or nothing was decided. */
uint16_t carillon_generate(const struct carillon_microcode *program, struct carillon_instruction *to, uint32_t room);

#endif
