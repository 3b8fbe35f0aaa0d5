/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring of events on ARMv7-M: a word for each start and end of a task, in twelve instructions.  Nothing masks
 * interrupts.
 *
 * 1. A slot is taken between a load-exclusive and a store-exclusive.  What preempts that takes slots of its own, and
 *    the store then fails, because entry to an exception clears the monitor: the slot and the time are taken again.  So
 *    times never fall from a slot to the next.
 * 2. The counter is loaded in between.  The monitors of Cortex-M3 and M4 are cleared by exceptions, and by no load.
 * 3. What preempts the store to the slot leaves the slot alone, unless it fills the whole ring. */
#ifndef CARILLON_TRACE_H
#define CARILLON_TRACE_H

#include "carillon_port.h"
#include "ports/armv7m/trace_ring.h"

#define CARILLON_TRACE_NOTE(event)                                                                                    \
    do {                                                                                                              \
        uint32_t *slot;                                                                                               \
        uint32_t after;                                                                                               \
        uint32_t failed;                                                                                              \
        uint32_t word;                                                                                                \
        __asm__ volatile("1: ldrex %[slot], [%[next]]\n"                                                              \
                         "   ldr %[word], [%[counter]]\n"                                                             \
                         "   add %[after], %[slot], #4\n"                                                             \
                         "   bic %[after], %[after], %[size]\n"                                                       \
                         "   strex %[failed], %[after], [%[next]]\n"                                                  \
                         "   cmp %[failed], #0\n"                                                                     \
                         "   bne 1b\n"                                                                                \
                         "   lsl %[word], %[word], %[bits]\n"                                                         \
                         "   orr %[word], %[word], %[what]\n"                                                         \
                         "   str %[word], [%[slot]]\n"                                                                \
                         : [slot] "=&r"(slot), [after] "=&r"(after), [failed] "=&r"(failed), [word] "=&r"(word)       \
                         : [next] "r"(&carillon_trace_next), [counter] "r"(CARILLON_TRACE_COUNTER),                   \
                           [size] "i"(CARILLON_TRACE_BYTES), [bits] "i"(CARILLON_TRACE_EVENT_BITS), [what] "i"(event) \
                         : "cc", "memory");                                                                           \
    } while (0)

#endif
