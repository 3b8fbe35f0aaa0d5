/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What ports/qemu/trace_plugin.c knows of ARMv7-M.  The processor enters and leaves handlers by itself: one is left by
 * what would return from a function. */
#ifndef CARILLON_TRACE_PROCESSOR_H
#define CARILLON_TRACE_PROCESSOR_H

#define RETURN_LEAVES true

/* Of carillon_port_start: instructions of a turn, and from the load of a store to what follows the store. */
#define START_TURN 5u
#define START_STORED 2u

/* Thumb: bl, blx; bx lr, pop {.., pc}, ldm sp!, {.., pc}, ldr pc, [sp], #4. */
static enum flow classify(const uint8_t *bytes, size_t size)
{
    const uint32_t first = (uint32_t)(bytes[0] | bytes[1] << 8);
    if (size == 2) {
        if (first == 0x4770 || (first & 0xFF00) == 0xBD00) {
            return RETURN;
        }
        return (first & 0xFF87) == 0x4780 ? CALL : PLAIN;
    }
    const uint32_t second = (uint32_t)(bytes[2] | bytes[3] << 8);
    if ((first & 0xF800) == 0xF000 && (second & 0xD000) == 0xD000) {
        return CALL;
    }
    if ((first == 0xE8BD && (second & 0x8000) != 0) || (first == 0xF85D && second == 0xFB04)) {
        return RETURN;
    }
    return PLAIN;
}

/* Where a call goes, a bl; 0 if a register holds it. */
static uint32_t target(uint32_t address, const uint8_t *bytes, size_t size)
{
    if (size == 2) {
        return 0;
    }
    const uint32_t first = (uint32_t)(bytes[0] | bytes[1] << 8), second = (uint32_t)(bytes[2] | bytes[3] << 8);
    const uint32_t sign = first >> 10 & 1;
    const uint32_t i1 = (second >> 13 & 1) == sign, i2 = (second >> 11 & 1) == sign;
    const uint32_t offset =
        (sign ? 0xFF000000u : 0) | i1 << 23 | i2 << 22 | (first & 0x3FF) << 12 | (second & 0x7FF) << 1;
    return address + 4 + offset;
}

/* Whether an instruction stands in an IT block; called for those of a block in their order. */
static bool is_conditional(uint32_t address, const uint8_t *bytes, size_t size)
{
    static uint32_t left, next; /* instructions of the block that are still to come, and where the next one is */
    const bool within = left != 0 && next == address;
    left = within ? left - 1 : 0;
    if (size == 2 && bytes[1] == 0xBF && (bytes[0] & 0xF) != 0) {
        left = 4 - (uint32_t)__builtin_ctz(bytes[0] & 0xF);
    }
    next = address + (uint32_t)size;
    return within;
}

#endif
