/* SPDX-License-Identifier: Apache-2.0
 *
 * Giotto on cells: what the functions that the tool makes of a program's blocks do with time and tasks.
 *
 * The clock calls a block at its instant, above all tasks.  An invocation of a task is a *slot*: the task and a period
 * that it has in some mode.  All slots of one period are computed by one task of the kernel, their rate's, which a
 * block activates.
 *
 * 1. A block runs above all rates, and preempts them anywhere.  So what a rate reads in one access, or under the lock,
 *    does not change meanwhile.
 * 2. A slot is unfinished from its release to its commit.  The slot's rate first forgets that the slot was abandoned,
 *    and then looks whether the slot is unfinished.  If a block abandons it before the look, the rate finds it
 *    finished, or released anew; if after that, the rate finds it abandoned when it has computed.
 * 3. If a slot is abandoned and released anew between the two, the result that the rate then computes is thrown away,
 *    although it would be right.  The release has activated the rate, too, so that it is computed once more.
 * 4. So a commit is that of the last release, as long as each release is followed by an activation.  An activation is
 *    refused only if another one waits that has not begun, and that other one sees the release.
 * 5. What is computed for a slot that is abandoned goes on to its end: it works on copies, and its rate has the
 *    processor.  Until then it holds back nothing that is more urgent, and less urgent tasks may come late. */
#ifndef CARILLON_GIOTTO_BLOCKS_H
#define CARILLON_GIOTTO_BLOCKS_H

#include "kernel/giotto/begin.h"
#include "kernel/run/kernel.h"

#include "kernel/contract/microcode.h"

/* Ticks of the clock. */
typedef uint32_t carillon_giotto_ticks;

/* A slot; its rate may read and write `abandoned` and `unfinished`, as in 1. */
struct carillon_giotto_slot {
    volatile bool unfinished;
    volatile bool abandoned;
};
extern struct carillon_giotto_slot carillon_giotto_slots[];

/* What the tool makes of the program's begin: it calls the first block. */
void carillon_giotto_first(void);

/* What a slot is: a task of the program, one of its periods in milliseconds, and the kernel's task that computes it. */
struct carillon_giotto_invocation {
    uint32_t period;
    uint16_t task;
    uint16_t rate;
};
extern const struct carillon_giotto_invocation carillon_giotto_invocations[];

/* In a block: `block` comes next, so many ticks behind this one. */
void carillon_giotto_next(void (*block)(void), carillon_giotto_ticks ticks);

/* In a block: the instruction of E code before `address` touches these slots, some of which are unfinished.  They are
 * abandoned: what was last committed stays.  The list ends with CARILLON_MICROCODE_NONE. */
void carillon_giotto_late(const uint16_t *slots, uint16_t address);

static inline bool carillon_giotto_is_unfinished(uint16_t slot)
{
    return carillon_giotto_slots[slot].unfinished;
}

static inline void carillon_giotto_release(uint16_t slot)
{
    carillon_giotto_slots[slot].unfinished = true;
}

/* In a rate: whether a slot is to be computed. */
static inline bool carillon_giotto_begins(uint16_t slot)
{
    carillon_giotto_slots[slot].abandoned = false;
    return carillon_giotto_slots[slot].unfinished;
}

/* In a rate, locked: whether what was computed for a slot is to be committed. */
static inline bool carillon_giotto_ends(uint16_t slot)
{
    const bool ends = !carillon_giotto_slots[slot].abandoned;
    if (ends) {
        carillon_giotto_slots[slot].unfinished = false;
    }
    return ends;
}

#endif
