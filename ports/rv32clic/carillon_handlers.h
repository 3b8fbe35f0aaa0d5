/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of RV32 with a CLIC; every file of an application is compiled with it (carillon_config.h). */
#ifndef CARILLON_HANDLERS_H
#define CARILLON_HANDLERS_H

/* What a handler ends with that others may preempt.  GCC writes `sret` there, which a core with machine mode alone does
 * not have: so it is a macro of the assembler. */
__asm__(".macro sret\n"
        "   csrci mstatus, 8\n"
        "   lw t0, 8(sp)\n"
        "   csrw mepc, t0\n"
        "   lw t0, 4(sp)\n"
        "   csrw mcause, t0\n"
        "   lw t0, 0(sp)\n"
        "   addi sp, sp, 16\n"
        "   mret\n"
        ".endm\n");

/* A function that a handler calls keeps all registers, so that the handler saves none for it: for that, GCC would write
 * `uret`. */
__asm__(".macro uret\n"
        "   ret\n"
        ".endm\n");
#define CARILLON_CALLED(function) void function(void) __attribute__((interrupt("user"), used))

/* Handlers are functions of a kind of their own.  Nothing preempts the first. */
#define CARILLON_HANDLER(name) void name(void) __attribute__((interrupt("machine"), used))

/* What can be preempted: its vector is `name`, and the function `body` follows that in memory, because the linker script
 * sorts the sections by their names.
 *
 * 1. Nothing comes between the vector's fetch and csrsi, so that what is below sp is free until then.
 * 2. The first CSR comes two instructions behind the vector's fetch, and each other one two behind the one before: the
 *    core stalls where they are nearer.  So it takes eight cycles. */
#define CARILLON_ENTRY(name, body)                                 \
    void name(void);                                               \
    __asm__(".section .text.carillon_nested." #body ".0, \"ax\"\n" \
            ".option push\n"                                       \
            ".option norelax\n"                                    \
            ".option norvc\n"                                      \
            ".balign 4\n"                                          \
            ".type " #name ", @function\n"                         \
            ".global " #name "\n" #name ":\n"                      \
            "   sw t0, -16(sp)\n"                                  \
            "   csrr t0, mcause\n"                                 \
            "   sw t0, -12(sp)\n"                                  \
            "   addi sp, sp, -16\n"                                \
            "   csrr t0, mepc\n"                                   \
            "   sw t0, 8(sp)\n"                                    \
            "   csrsi mstatus, 8\n"                                \
            ".size " #name ", . - " #name "\n"                     \
            ".option pop\n"                                        \
            ".text\n")

#define CARILLON_NESTED(function, body) \
    void function(void) __attribute__((interrupt("supervisor"), used, section(".text.carillon_nested." #body ".1")))

/* A generated one; and a task that is one itself, in the files that define it.  Its entry: the source is not needed. */
#define CARILLON_NESTED_HANDLER(name) \
    CARILLON_ENTRY(name, name);       \
    CARILLON_NESTED(carillon_body_##name, name)
#define CARILLON_NESTED_TASK(function) CARILLON_NESTED(function, function)
#define CARILLON_HELD_VECTOR(name, function, source) CARILLON_ENTRY(name, function)

#endif
