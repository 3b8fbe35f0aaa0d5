/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What emulators/qemu/trace_plugin.c knows of RV32IMAC in machine mode.  A handler is left by mret, and an entry of the
 * table that mtvec points to is executed when one is entered, and then alone. */
#ifndef CARILLON_TRACE_PROCESSOR_H
#define CARILLON_TRACE_PROCESSOR_H

#define RETURN_LEAVES false

/* Of carillon_port_start: instructions of a turn, and from the load of a store to what follows the store. */
#ifndef START_TURN
#define START_TURN 6u
#define START_STORED 3u
#endif

#define MRET 0x30200073u
#define RA 1u
#define JAL 0x6Fu
#define JALR 0x67u

static uint32_t word(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Calls leave their return address in ra: jal, jalr, c.jal, c.jalr.  Returns go there: jalr x0, c.jr. */
static enum flow classify(const uint8_t *bytes, size_t size)
{
    if (size == 2) {
        const uint32_t half = bytes[0] | (uint32_t)bytes[1] << 8;
        if (half == 0x8082) {
            return RETURN;
        }
        const bool jalr = (half & 0xF07F) == 0x9002 && half != 0x9002; /* c.ebreak */
        return jalr || (half & 0xE003) == 0x2001 ? CALL : PLAIN;
    }
    const uint32_t insn = word(bytes), opcode = insn & 0x7F, to = insn >> 7 & 0x1F, from = insn >> 15 & 0x1F;
    if (insn == MRET) {
        return HANDLER_RETURN;
    }
    if ((opcode == JAL || opcode == JALR) && to == RA) {
        return CALL;
    }
    return opcode == JALR && to == 0 && from == RA ? RETURN : PLAIN;
}

/* No call goes to an entry of the table. */
static uint32_t target(uint32_t address, const uint8_t *bytes, size_t size)
{
    (void)address;
    (void)bytes;
    (void)size;
    return 0;
}

static bool is_conditional(uint32_t address, const uint8_t *bytes, size_t size)
{
    (void)address;
    (void)bytes;
    (void)size;
    return false;
}

#endif
