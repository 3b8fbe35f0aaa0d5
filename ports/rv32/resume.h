/* SPDX-License-Identifier: Apache-2.0
 *
 * A task with a stack of its own, and how the handler of its level goes there, on RV32.
 *
 * 1. Of what waits to go on, memory has its stack pointer and where it goes on.  That is the beginning of a function, or
 *    where a task that has suspended itself loads its registers from its stack (context.h).
 * 2. The handler comes back with other values in all registers but s0 and the stack pointer.  The compiler knows: so it
 *    saves them once, as it saves what it uses itself. */
#ifndef CARILLON_RESUME_H
#define CARILLON_RESUME_H

#include <stdint.h>

struct carillon_context {
    void *sp;
    void *below; /* the stack pointer of the handler that has resumed it, where that goes on, and its s0 */
    void (*goes_on)(void);
    void (*goes_back)(void);
    uint32_t s0;
};

static inline __attribute__((always_inline)) void
carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, void (*function)(void))
{
    context->sp = (void *)((uintptr_t)&stack[words] & ~(uintptr_t)15u); /* the ABI's alignment */
    context->goes_on = function;
}

void carillon_port_resume_saved(void);

#ifndef __cplusplus
static inline __attribute__((always_inline)) void carillon_port_resume(struct carillon_context *context)
{
    register struct carillon_context *own __asm__("a0") = context;
    __asm__ volatile("call carillon_port_resume_saved"
                     : "+r"(own)
                     :
                     : "memory", "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a1", "a2", "a3", "a4", "a5", "a6",
                       "a7", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11");
}
#endif

#endif
