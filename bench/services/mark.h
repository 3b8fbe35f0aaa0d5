/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks for `python -m bench.papers services`. */
#ifndef MARK_H
#define MARK_H

/* A label and no instruction: the emulator's tracing records each time that what stands here is executed.  Each name
 * once, in code that is not copied: in no unrolled loop and no inlined function.
 *
 * No register keeps its value over a mark, so that a sequence between two holds all that it needs, constants that
 * the code before it has loaded included. */
#ifdef __AVR__
#define MARK(name) __asm__ volatile(".global bench_" #name "\nbench_" #name ":" ::: "memory")
#elif defined(__riscv)
#define MARK(name)                                                                                                   \
    __asm__ volatile(".global bench_" #name "\nbench_" #name ":" ::                                                  \
                         : "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6", \
                           "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "memory")
#else
#define MARK(name)                                                  \
    __asm__ volatile(".global bench_" #name "\nbench_" #name ":" :: \
                         : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "memory")
#endif

#endif
