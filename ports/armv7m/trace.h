/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring of events on ARMv7-M: a word for each start and end of a task, in twelve instructions.  Nothing masks
 * interrupts.
 *
 * 1. A slot is taken between a load-exclusive and a store-exclusive.  What preempts that takes slots of its own, and
 *    the store then fails, because entry to an exception clears the monitor: the slot and the time are taken again.  So
 *    times never fall from a slot to the next.
 * 2. The counter is loaded in between.  The monitors of Cortex-M3 and M4 are cleared by exceptions, and by no load.
 * 3. What preempts the store to the slot leaves the slot alone, unless it fills the whole ring.  Whoever runs below all
 *    that is recorded finds every slot written that was taken.
 *
 * `ring` is a variable with the ring's address, whose low bits may change. */
#ifndef CARILLON_TRACE_H
#define CARILLON_TRACE_H

#include "carillon_port.h"
#include "ports/armv7m/trace_ring.h"

#define CARILLON_TRACE_NOTE(ring, event)                                                                               \
    do {                                                                                                               \
        uint32_t count;                                                                                                \
        uint32_t after;                                                                                                \
        uint32_t failed;                                                                                               \
        uint32_t word;                                                                                                 \
        __asm__ volatile(                                                                                              \
            "1: ldrex %[count], [%[next]]\n"                                                                           \
            "   ldr %[word], [%[counter]]\n"                                                                           \
            "   add %[after], %[count], #4\n"                                                                          \
            "   strex %[failed], %[after], [%[next]]\n"                                                                \
            "   cbz %[failed], 2f\n"                                                                                   \
            "   b 1b\n"                                                                                                \
            "2: bfi %[place], %[count], #0, %[size]\n"                                                                 \
            "   lsl %[word], %[word], %[bits]\n"                                                                       \
            "   orr %[word], %[word], %[what]\n"                                                                       \
            "   str %[word], [%[place]]\n"                                                                             \
            :                                                                                                          \
            [place] "+r"(ring), [count] "=&r"(count), [after] "=&r"(after), [failed] "=&l"(failed), [word] "=&r"(word) \
            : [next] "r"(&carillon_trace_next), [counter] "r"(CARILLON_TRACE_COUNTER),                                 \
              [size] "i"(CARILLON_TRACE_BYTES_BITS), [bits] "i"(CARILLON_TRACE_EVENT_BITS), [what] "rI"(event)         \
            : "cc", "memory");                                                                                         \
    } while (0)

#endif
