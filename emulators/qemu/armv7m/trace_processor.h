/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What emulators/qemu/trace_plugin.c knows of ARMv7-M.  The processor enters and leaves handlers by itself: one is left
 * by what would return from a function. */
#ifndef CARILLON_TRACE_PROCESSOR_H
#define CARILLON_TRACE_PROCESSOR_H

#define RETURN_LEAVES true

/* Of carillon_port_start: instructions of a turn at most, and from the load of a store to what follows the store. */
#define START_TURN 32u
#define START_STORED 2u

/* b of the four encodings, and its condition, of the two that have one. */
static bool is_b(uint32_t first, uint32_t second, size_t size)
{
    if (size == 2) {
        return (first & 0xF800) == 0xE000 || ((first & 0xF000) == 0xD000 && (first & 0xF00) < 0xE00);
    }
    return (first & 0xF800) == 0xF000 &&
           ((second & 0xD000) == 0x9000 || ((second & 0xD000) == 0x8000 && (first & 0x3C0) < 0x380));
}

/* Thumb: bl, blx; bx lr, pop {.., pc}, ldm sp!, {.., pc}, ldr pc, [sp], #4; b, bx, mov pc, ldr pc. */
static enum flow classify(const uint8_t *bytes, size_t size)
{
    const uint32_t first = (uint32_t)(bytes[0] | bytes[1] << 8);
    if (size == 2) {
        if (first == 0x4770 || (first & 0xFF00) == 0xBD00) {
            return RETURN;
        }
        if ((first & 0xFF87) == 0x4780) {
            return CALL;
        }
        return is_b(first, 0, size) || (first & 0xFF87) == 0x4700 || (first & 0xFF87) == 0x4687 ? JUMP : PLAIN;
    }
    const uint32_t second = (uint32_t)(bytes[2] | bytes[3] << 8);
    if ((first & 0xF800) == 0xF000 && (second & 0xD000) == 0xD000) {
        return CALL;
    }
    if ((first == 0xE8BD && (second & 0x8000) != 0) || (first == 0xF85D && second == 0xFB04)) {
        return RETURN;
    }
    return is_b(first, second, size) || ((first & 0xFF70) == 0xF850 && second >> 12 == 15) ? JUMP : PLAIN;
}

/* The `bits` low bits of a signed number, times two. */
static uint32_t halfwords(uint32_t value, uint32_t bits)
{
    const uint32_t sign = UINT32_C(1) << (bits - 1);
    return (((value & (2 * sign - 1)) ^ sign) - sign) << 1;
}

/* Where a call or a jump goes, a bl or b; 0 if a register holds it. */
static uint32_t target(uint32_t address, const uint8_t *bytes, size_t size)
{
    const uint32_t first = (uint32_t)(bytes[0] | bytes[1] << 8);
    if (size == 2) {
        if (!is_b(first, 0, size)) {
            return 0;
        }
        return address + 4 + ((first & 0xF000) == 0xD000 ? halfwords(first, 8) : halfwords(first, 11));
    }
    const uint32_t second = (uint32_t)(bytes[2] | bytes[3] << 8);
    if ((first & 0xF800) != 0xF000) { /* a load */
        return 0;
    }
    if ((second & 0xD000) == 0x8000) { /* b with a condition */
        const uint32_t high = (first >> 10 & 1) << 19 | (second >> 11 & 1) << 18 | (second >> 13 & 1) << 17;
        return address + 4 + halfwords(high | (first & 0x3F) << 11 | (second & 0x7FF), 20);
    }
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
