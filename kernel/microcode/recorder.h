/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scheduler decides behind each block, so that S code can be made of it: "the task scheduler ... can generate
 * additional S code" (the programmable microkernel's paper, section 5, "Partial Microcode").  The host makes the S code
 * (SPEC, section "Recorded S code"), or the target does (generator.h).
 *
 * A decision is where the microcode ended behind which it is made, and the task.  There is one for each task that may
 * be unfinished there, as its deadline has not passed: whether it ran depends on how long others took.  Each is kept
 * once, so that the table is as long as what a program's blocks let run, however long it runs. */
#ifndef CARILLON_MICROCODE_RECORDER_H
#define CARILLON_MICROCODE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"

/* How many decisions there is room for; 0: none is recorded. */

/* `order`: of the tasks of a block, the smallest goes first, and of equal ones the first that is declared.  With EDF,
 * it is the ticks from the block to the task's deadline, the fewest that were seen.  With rate-monotonic scheduling, it
 * is the ticks from the task's release to its deadline.  Without a deadline, it is UINT32_MAX. */
struct carillon_decision {
    uint32_t order;
    uint16_t block; /* the address behind the last instruction that was carried out */
    uint16_t task;
};

/* A decision was made at the time `now`, and the next block comes `length` ticks later; 0: nobody knows when.  Called
 * locked.  Bounded by CARILLON_MICROCODE_RECORD; at once if what follows is what followed before. */
void carillon_recorder_decided(uint16_t block, uint16_t task, uint32_t order, uint32_t length, uint32_t now);

/* From now on, S code runs that was made of the decisions: nothing more is recorded. */
void carillon_recorder_close(void);

/* Forget all: another program begins, at the time `now`. */
void carillon_recorder_forget(uint32_t now);

/* The ticks from the program's begin to the last decision, modulo 2^32. */
uint32_t carillon_recorder_ticks(void);

/* The decision at a place, from 0 on; false: there are fewer.  Of the loader's thread: what it is preempted by puts
 * entries in whole. */
bool carillon_recorder_find(uint32_t place, struct carillon_decision *found);

/* The fewest ticks that were seen from the block of the decision at a place to the next one; 0: they were not always
 * known.  With CARILLON_MICROCODE_GENERATES alone. */
uint32_t carillon_recorder_length(uint32_t place);

/* Whether a decision was lost, for want of room. */
bool carillon_recorder_is_full(void);

/* The ticks for which every decision was one that had been made before.  Of the loader's thread. */
uint32_t carillon_recorder_calm(void);

#endif
