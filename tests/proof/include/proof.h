/* SPDX-License-Identifier: Apache-2.0
 *
 * What every proof has.  A harness begins in any state that its assumptions allow, takes a step of the kernel, and
 * asserts what holds then.  THE_END comes last: in the run that is to fail it says that the end cannot be reached.  If
 * that is not refuted, the assumptions contradict each other, and the proof says nothing. */
#ifndef PROOF_H
#define PROOF_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern unsigned nondet_uint(void);

static inline void assume(bool holds)
{
    __ESBMC_assume(holds);
}

/* Any number from `least` to `most`. */
static inline uint32_t any(uint32_t least, uint32_t most)
{
    const uint32_t value = nondet_uint();
    assume((least <= value) && (value <= most));
    return value;
}

static inline bool any_bool(void)
{
    return (nondet_uint() & 1u) != 0u;
}

#ifdef END_IS_REACHED
#define THE_END assert(false)
#else
#define THE_END (void)0
#endif

#endif
