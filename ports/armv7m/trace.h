/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring of events on ARMv7-M: a word for each start and end of a task, in twelve instructions.  Nothing masks
 * interrupts.
 *
 * trace.c, which is generated, has defined the counter, the bits of a word that say what happened, and the ring's
 * bytes, a power of two.
 *
 * 1. A slot is taken between a load-exclusive and a store-exclusive.  What preempts that takes slots of its own, and
 * the store then fails, because entry to an exception clears the monitor: the slot and the time are taken again.  So
 * times never fall from a slot to the next.
 * 2. The counter is loaded in between.  The monitors of Cortex-M3 and M4 are cleared by exceptions, and by no load.
 * 3. What preempts the store to the slot leaves the slot alone, unless it fills the whole ring.
 * 4. The ring is aligned to twice its size, so clearing one bit of an address leads from its end to its begin. */
#ifndef CARILLON_TRACE_H
#define CARILLON_TRACE_H

#include "carillon_port.h"

/* Let the counter count. */
void carillon_trace_start(void);

uint32_t carillon_trace_ring[CARILLON_TRACE_BYTES / 4u] __attribute__((aligned(2 * CARILLON_TRACE_BYTES), used));
uint32_t *carillon_trace_next = carillon_trace_ring;

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
