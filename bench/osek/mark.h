/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks for `python -m bench.papers osek`. */
#ifndef MARK_H
#define MARK_H

/* A label and no instruction: the tracing plugin records each time that what stands here is executed.  Each name
 * once, in code that is not copied: in no loop and no inlined function.
 *
 * No register keeps its value over a mark, so that a sequence between two holds all that it needs, constants that
 * the code before it has loaded included. */
#if defined(__riscv)
#define MARK(name)                                                                                                   \
    __asm__ volatile(".global bench_" #name "\nbench_" #name ":" ::                                                  \
                         : "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6", \
                           "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "memory")
#else
#define MARK(name)                                                  \
    __asm__ volatile(".global bench_" #name "\nbench_" #name ":" :: \
                         : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "memory")
#endif

/* As MARK, where a task ends: the kernel's instructions that follow use no value from before. */
#define MARK_END(name) __asm__ volatile(".global bench_" #name "\nbench_" #name ":" ::: "memory")

/* Work of so many ticks that takes one register.  Where handlers are functions of a kind of their own, a task saves what
 * it uses.  If it calls a function, this is all that any function may change. */
#if defined(__riscv)
#define SMALL_WORK(ticks)                                                              \
    do {                                                                               \
        uint32_t turns_ = (ticks) / 4u;                                                \
        __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(turns_)::"memory"); \
    } while (0)
#else
#define SMALL_WORK(ticks) carillon_work(ticks)
#endif

#endif
