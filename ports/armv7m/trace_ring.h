/* SPDX-License-Identifier: Apache-2.0
 *
 * For the trace.h of ARMv6-M and ARMv7-M: the ring of events, and the slot that is next.
 *
 * trace.c, which is generated, has defined the counter, the bits of a word that say what happened, and the ring's
 * bytes, a power of two.  The ring is aligned to twice its size, so clearing one bit of an address leads from its end
 * to its begin. */
#ifndef CARILLON_TRACE_RING_H
#define CARILLON_TRACE_RING_H

#include <stdint.h>

/* Let the counter count. */
void carillon_trace_start(void);

uint32_t carillon_trace_ring[CARILLON_TRACE_BYTES / 4u] __attribute__((aligned(2 * CARILLON_TRACE_BYTES), used));
uint32_t *carillon_trace_next = carillon_trace_ring;

#endif
