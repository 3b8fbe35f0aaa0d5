/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring of events on ARMv6-M: a word for each start and end of a task, in twelve instructions at most.
 *
 * 1. The processor has no exclusive loads.  So interrupts are masked for five instructions, in which a slot and the
 *    time are taken.  Times never fall from a slot to the next.
 * 2. What preempts the store to the slot leaves the slot alone, unless it fills the whole ring.  Whoever runs below all
 *    that is recorded finds every slot written that was taken. */
#ifndef CARILLON_TRACE_H
#define CARILLON_TRACE_H

#include "carillon_port.h"
#include "ports/armv7m/trace_ring.h"

/* In two parts: there are not enough registers for all of it at once.  The compiler expects the instructions
 * of Thumb in their old syntax behind each. */
#define CARILLON_TRACE_NOTE(ring, event)                                                                          \
    do {                                                                                                          \
        uint32_t place;                                                                                           \
        uint32_t after;                                                                                           \
        uint32_t masked;                                                                                          \
        uint32_t word;                                                                                            \
        __asm__ volatile(".syntax unified\n"                                                                      \
                         "   mrs %[masked], primask\n"                                                            \
                         "   cpsid i\n"                                                                           \
                         "   ldr %[place], [%[next]]\n"                                                           \
                         "   ldr %[word], [%[counter]]\n"                                                         \
                         "   adds %[after], %[place], #4\n"                                                       \
                         "   str %[after], [%[next]]\n"                                                           \
                         "   msr primask, %[masked]\n"                                                            \
                         "   .syntax divided\n"                                                                   \
                         : [place] "=&l"(place), [after] "=&l"(after), [masked] "=&l"(masked), [word] "=&l"(word) \
                         : [next] "l"(&carillon_trace_next), [counter] "l"(CARILLON_TRACE_COUNTER)                \
                         : "cc", "memory");                                                                       \
        __asm__ volatile(".syntax unified\n"                                                                      \
                         "   ands %[place], %[place], %[size]\n"                                                  \
                         "   lsls %[word], %[word], %[bits]\n"                                                    \
                         "   adds %[word], %[word], %[what]\n"                                                    \
                         "   str %[word], [%[ring], %[place]]\n"                                                  \
                         "   .syntax divided\n"                                                                   \
                         : [place] "+l"(place), [word] "+l"(word)                                                 \
                         : [ring] "l"(ring), [size] "l"(CARILLON_TRACE_BYTES - 1u),                               \
                           [bits] "i"(CARILLON_TRACE_EVENT_BITS), [what] "lI"(event)                              \
                         : "cc", "memory");                                                                       \
    } while (0)

#endif
