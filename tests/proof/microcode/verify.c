/* SPDX-License-Identifier: Apache-2.0
 *
 * The verifier of microcode on any bytes: it reads inside them, and what it accepts names nothing that is not there. */
#include "proof.h"

#include "kernel/microcode/verify.c"

#ifndef LENGTH
#define LENGTH 4
#endif

static struct carillon_verify_image any_image(uint16_t most)
{
    struct carillon_verify_image image;
    image.tick_ns = nondet_uint();
    image.interface = nondet_uint();
    for (unsigned k = 0u; k < 5u; k++) {
        image.counts[k] = (uint16_t)any(0u, most);
    }
    image.bindings = (uint8_t)any(0u, 254u);
    image.threads = (uint8_t)any(0u, 254u);
    return image;
}

/* Any bytes, of which LENGTH words were received.  The object ends with them: what reads behind it is found. */
static uint32_t bytes[LENGTH];

static void header(void)
{
    for (unsigned k = 0u; k < LENGTH; k++) {
        bytes[k] = nondet_uint();
    }
    const struct carillon_verify_image image = any_image(6u);
    const uint16_t room = (uint16_t)any(0u, CARILLON_VERIFY_MOST);
    struct carillon_verified found = {.code = NULL};
    const enum carillon_verify_result result = verify_header((const uint8_t *)bytes, 4u * LENGTH, &image, room, &found);
    if (result == CARILLON_VERIFY_OK) {
        const uint8_t *const begin = (const uint8_t *)bytes;
        const uint8_t *const code = (const uint8_t *)found.code;
        assert((code >= begin) && (code + (8u * found.size) <= begin + (4u * LENGTH)));
        assert((found.size >= 1u) && (found.size <= room) && (found.entry < found.size));
        if (found.handlers != NULL) {
            assert((const uint8_t *)&found.handlers[image.counts[1] + 1u] <= code);
        }
    }
}

/* An instruction that is accepted names a driver, a guard, a trigger, a task and an address that there are. */
static void instruction(void)
{
    const struct carillon_instruction it = {
        .word = nondet_uint(), .x = (uint16_t)nondet_uint(), .y = (uint16_t)nondet_uint()};
    const struct carillon_verify_image image = any_image(UINT16_MAX);
    const uint16_t size = (uint16_t)any(1u, CARILLON_VERIFY_MOST);
    if (verify_instruction(&it, image.counts, size) != CARILLON_VERIFY_OK) {
        return;
    }
    const uint32_t opcode = it.word & 0xFFu;
    const uint32_t time = it.word >> 8;
    switch (opcode) {
    case CARILLON_OPCODE_CALL:
        assert(it.x < image.counts[2]);
        break;
    case CARILLON_OPCODE_FUTURE_EVENT:
        assert((it.x < image.counts[4]) && (it.y < size));
        break;
    case CARILLON_OPCODE_RELEASE:
    case CARILLON_OPCODE_DISPATCH:
    case CARILLON_OPCODE_IDLE_RELEASE:
    case CARILLON_OPCODE_TERMINATE:
        assert(it.x < image.counts[1]);
        break;
    case CARILLON_OPCODE_DISPATCH_TIME:
        assert((it.x < image.counts[1]) && (it.y < size) && (time > 0u));
        break;
    case CARILLON_OPCODE_DISPATCH_RELEASE:
        assert((it.x < image.counts[1]) && (time < image.counts[1]) && (it.y < size));
        break;
    case CARILLON_OPCODE_IF:
        assert((it.x < image.counts[3]) && (it.y < size));
        break;
    case CARILLON_OPCODE_FUTURE:
        assert((it.y < size) && (time > 0u));
        break;
    case CARILLON_OPCODE_FORK:
    case CARILLON_OPCODE_JUMP:
        assert(it.y < size);
        break;
    case CARILLON_OPCODE_IDLE:
        assert(time > 0u);
        break;
    default:
        assert(opcode == CARILLON_OPCODE_RETURN);
        break;
    }
}

/* The most steps of an instant: no sum on the way there overflows, so that the bound is none too low. */
static void steps(void)
{
    static struct carillon_instruction code[2];
    code[0].word = nondet_uint();
    code[1].word = nondet_uint();
    const struct graph graph = {.code = code, .nodes = NULL, .size = 2u, .handles = any_bool()};
    const uint32_t acting = any(1u, 3u * 254u);
    assume(((code[0].word & 0xFFu) <= 14u) && ((code[1].word & 0xFFu) <= 14u));
    const uint64_t releases = (((code[0].word & 0xFFu) == CARILLON_OPCODE_RELEASE) ? 1u : 0u) +
                              (((code[1].word & 0xFFu) == CARILLON_OPCODE_RELEASE) ? 1u : 0u);
    const uint64_t plain = (uint64_t)acting * 2u * (3u + releases * acting);
    const uint64_t whole = graph.handles ? plain * 3u * 9u : plain;
    const uint32_t most = most_steps(&graph, acting);
    assert((most == FOREVER) ? (whole > UINT16_MAX) : (most == whole));
}

/* How many wait at one time: the sum is the sum, or no bound. */
static void sums(void)
{
    const uint8_t one = (uint8_t)nondet_uint();
    const uint8_t other = (uint8_t)nondet_uint();
    const uint32_t whole = (uint32_t)one + other;
    assert(sum(one, other) == ((whole < UNBOUNDED) ? whole : UNBOUNDED));
}

/* A number of little-endian bytes is what a processor of that order reads. */
static void number(void)
{
    const uint32_t value = nondet_uint();
    const uint8_t at[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    assert(carillon_little_endian(at, 4u) == value);
    assert(carillon_little_endian(at, 2u) == (value & 0xFFFFu));
}

int main(void)
{
    STEP();
    THE_END;
}
