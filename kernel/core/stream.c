/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream of events: the words of the ring as bytes that a reader finds its way into anywhere.
 *
 * Seven bytes become eight: their low seven bits, and a byte of their top bits.  So the top bit is free, and marks the
 * first byte of a frame.  A frame ends with a CRC (CCITT) of 16 bits.  All numbers have their low byte first.
 *
 * An event:  word (4), its number's low byte (1), CRC (2).
 * A place:   1, number of the next event (4), schedule (3), turns of its stamp (2), lost so far (2), CRC (2).
 *
 * A place stands before the first event, before each 64th, and before one that follows a loss.
 * No word's low byte is 1, which would be neither a start nor an end.
 *
 * What runs here is below all that writes to the ring:
 *
 * 1. A word that was counted was also written, since whoever counts it writes it before this code goes on.
 * 2. A word may be overwritten while it is looked at.  The count is read again behind it: if the ring had more than its
 *    length by then, the word is lost. */
#include "kernel/core/stream.h"

#include "kernel/contract/stream.h"

#define EVERY 64u
#define PAYLOAD 7u
#define LINE 8u
#define FIRST 0x80u

static uint8_t line[3u * LINE];
static uint8_t length;
static uint8_t at;

static uint32_t sent; /* as `next`, of the ring's words that were sent or lost */
static uint16_t lost;

static void store(uint8_t *to, uint32_t value, uint32_t bytes)
{
    for (uint32_t k = 0u; k < bytes; k++) {
        to[k] = (uint8_t)(value >> (8u * k));
    }
}

/* Add a frame of so many times seven bytes, the last two of which are the CRC's. */
static void add(uint8_t *payload, uint32_t groups)
{
    const uint32_t checked = (PAYLOAD * groups) - 2u;
    uint32_t crc = 0xFFFFu;
    for (uint32_t k = 0u; k < checked; k++) {
        uint32_t x = ((crc >> 8) ^ payload[k]) & 0xFFu;
        x ^= x >> 4;
        crc = ((crc << 8) ^ (x << 12) ^ (x << 5) ^ x) & 0xFFFFu;
    }
    store(&payload[checked], crc, 2u);
    const uint8_t first = length;
    for (uint32_t k = 0u; k < groups; k++) {
        uint32_t tops = 0u;
        for (uint32_t n = 0u; n < PAYLOAD; n++) {
            const uint32_t byte = payload[(PAYLOAD * k) + n];
            line[length] = (uint8_t)(byte & 0x7Fu);
            length++;
            tops |= (byte >> 7) << n;
        }
        line[length] = (uint8_t)tops;
        length++;
    }
    line[first] |= FIRST;
}

/* Take the next word from the ring, if there is one; `place` becomes true if others were lost before it. */
static bool take(uint32_t *word, bool *place)
{
    const struct carillon_stream *const own = &carillon_stream;
    for (;;) {
        const uint32_t next = *own->next;
        if (next == sent) {
            return false;
        }
        if ((next - sent) > own->bytes) {
            /* Half of the ring is left out, so that not every event is followed by a gap. */
            const uint32_t skipped = (next - sent) - (own->bytes / 2u);
            lost = (uint16_t)(lost + (skipped / 4u));
            sent += skipped;
            *place = true;
        }
        *word = own->ring[(sent % own->bytes) / 4u];
        if ((*own->next - sent) <= own->bytes) {
            return true;
        }
    }
}

/* Make the frames of the next event; false if there is none. */
static bool make(void)
{
    static uint32_t stamp; /* of the last event */
    static uint16_t turns; /* how often stamps have begun anew */
    static bool begun;
    const struct carillon_stream *const own = &carillon_stream;
    uint32_t word;
    uint8_t payload[2u * PAYLOAD];
    bool place = !begun;
    if (!take(&word, &place)) {
        return false;
    }
    const uint32_t number = sent / 4u;
    const uint32_t whole = (word >> own->event_bits) & ((UINT32_C(1) << own->stamp_bits) - 1u);
    const uint32_t now = own->down ? (0u - whole) & ((UINT32_C(1) << own->stamp_bits) - 1u) : whole;
    turns = (uint16_t)(turns + ((begun && (now < stamp)) ? 1u : 0u));
    stamp = now;
    begun = true;
    sent += 4u;
    at = 0u;
    length = 0u;
    if (place || ((number % EVERY) == 0u)) {
        payload[0] = 1u;
        store(&payload[1], number, 4u);
        store(&payload[5], own->schedule, 3u);
        store(&payload[8], turns, 2u);
        store(&payload[10], lost, 2u);
        add(payload, 2u);
    }
    store(payload, word, 4u);
    store(&payload[4], number, 1u);
    add(payload, 1u);
    return true;
}

bool carillon_stream_send(void)
{
    if ((at == length) && !make()) {
        return false;
    }
    while ((at < length) && carillon_stream_put(line[at])) {
        at++;
    }
    return true;
}
