/* SPDX-License-Identifier: Apache-2.0
 *
 * The ring of events, which a test reads: it notes each as a word. */
#ifndef CARILLON_TESTS_LEVELS_TRACE_H
#define CARILLON_TESTS_LEVELS_TRACE_H

#include <stdint.h>

extern uint32_t carillon_trace_ring[];
void trace_note(uint32_t event);

#define CARILLON_TRACE_NOTE(ring, event) \
    do {                                 \
        (void)(ring);                    \
        trace_note(event);               \
    } while (0)

#endif
