/* SPDX-License-Identifier: Apache-2.0
 *
 * For the trace.h of ARMv6-M and ARMv7-M: the ring of events, and four times how many there were.
 *
 * carillon_trace.h, which is generated, has defined the counter, the bits of a word that say what happened, and the
 * ring's bytes, two to the power CARILLON_TRACE_BYTES_BITS.  The ring is aligned to its size, so the low bits of the
 * count are those of a word's address.  The count never falls, so a reader knows how many words it has missed. */
#ifndef CARILLON_TRACE_RING_H
#define CARILLON_TRACE_RING_H

#include <stdint.h>

#define CARILLON_TRACE_BYTES (UINT32_C(1) << CARILLON_TRACE_BYTES_BITS)

extern uint32_t carillon_trace_ring[CARILLON_TRACE_BYTES / 4u];
extern uint32_t carillon_trace_next;

#endif
