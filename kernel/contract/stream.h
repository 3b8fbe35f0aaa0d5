/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of the stream of events: the ring that a port fills, and what a reader of the stream must know. */
#ifndef CARILLON_CONTRACT_STREAM_H
#define CARILLON_CONTRACT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* `ring`: its words, of which a port writes the one at `next` modulo `bytes`, and `next` is four times how many it has
 * written.  A word's low `event_bits` say what happened, and `stamp_bits` above them when, by a counter that may count
 * `down`.  `schedule`: 24 bits that tell the schedule from others. */
struct carillon_stream {
    const volatile uint32_t *ring;
    const volatile uint32_t *next;
    uint32_t bytes;
    uint32_t schedule;
    uint8_t event_bits;
    uint8_t stamp_bits;
    bool down;
};

extern const struct carillon_stream carillon_stream;

#endif
