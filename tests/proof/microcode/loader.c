/* SPDX-License-Identifier: Apache-2.0
 *
 * The loader, from any state of an upload: what it writes lies in the program's room, whatever a frame says. */
#include "proof.h"

#ifndef COUNT
#define COUNT 4u
#endif

#define CARILLON_LOADER_BYTES 16u
#define CARILLON_LOADER_STOPS 0
#include "kernel/microcode/loader.c"

const struct carillon_verify_image carillon_loader_image;
const uint8_t carillon_loader_key[16];
const uint32_t carillon_loader_first;

const struct carillon_microcode *carillon_loader_running(void)
{
    return NULL;
}
void carillon_loader_put(uint8_t byte)
{
    (void)byte;
}

/* Bytes of a program come: any place, any number of them, after any that have come. */
static void data(void)
{
    loader.slot = &slots[0];
    loader.open = any_bool();
    loader.said.received = any(0u, CARILLON_LOADER_BYTES);
    const uint32_t received = loader.said.received;
    const uint32_t count = any(0u, COUNT);
    taken.asked.value = nondet_uint();
    const uint32_t place = taken.asked.value;
    for (unsigned k = 0u; k < COUNT; k++) {
        taken.asked.rest[k] = (uint8_t)nondet_uint();
    }
    const uint32_t other = any(0u, sizeof(slots[0].bytes) - 1u); /* any byte of the room, also of what is sealed */
    uint8_t *const room = (uint8_t *)slots[0].bytes;
    const uint8_t was = (uint8_t)nondet_uint();
    room[other] = was;
    const enum carillon_loader_answer found = take(count);
    assert(loader.said.received <= CARILLON_LOADER_BYTES);
    const bool is_put = (found == CARILLON_LOADER_OK) && (place == received);
    assert(loader.said.received == (is_put ? received + count : received));
    if (is_put && (other >= PREFIX + place) && (other < PREFIX + place + count)) {
        assert(room[other] == taken.asked.rest[other - PREFIX - place]);
    } else {
        assert(room[other] == was);
    }
    assert(loader.open || (found == CARILLON_LOADER_CLOSED));
}

/* A byte of a frame comes, which does not end it, after any others: it is in the frame, or the frame is wrong. */
static void byte(void)
{
    taken.length = (uint8_t)any(0u, CARILLON_LOADER_FRAME);
    taken.left = (uint8_t)any(0u, 254u);
    taken.zero = any_bool();
    taken.wrong = any_bool();
    const struct frame_state was = taken;
    const uint8_t value = (uint8_t)any(1u, 255u);
    carillon_loader_byte(value);
    assert(taken.length <= CARILLON_LOADER_FRAME);
    assert(!was.wrong || taken.wrong);
    if (was.left > 0u) {
        assert(taken.left == was.left - 1u);
        assert(taken.wrong || ((taken.length == was.length + 1u) && (frame()[was.length] == value)));
    } else {
        assert((taken.left == value - 1u) && (taken.zero == (value < 255u)));
        assert(taken.wrong || (taken.length == was.length + (was.zero ? 1u : 0u)));
    }
}

int main(void)
{
    STEP();
    THE_END;
}
