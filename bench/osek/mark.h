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
#define MARK(name)                                                  \
    __asm__ volatile(".global bench_" #name "\nbench_" #name ":" :: \
                         : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "memory")

#endif
