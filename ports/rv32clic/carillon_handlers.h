/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of RV32 with a CLIC; every file of an application is compiled with it (carillon_config.h). */
#ifndef CARILLON_HANDLERS_H
#define CARILLON_HANDLERS_H

/* Where a cell's expiry has armed deadlines, the number of its source, which is mcause's, is stored to where they are
 * disarmed.  The linker script says where that is: within reach of register zero. */
#if CARILLON_ARMS
#define CARILLON_DONE "   sw t0, %lo(carillon_done)(zero)\n"
#else
#define CARILLON_DONE
#endif

/* The last of what a vector saves, and what a handler ends with that others may preempt (CARILLON_END).
 *
 * 1. Where tasks are event-triggered, the kernel asks which handlers have not ended: their frames are linked, and mscratch
 *    leads to that of the handler that runs (carillon_port.h).
 * 2. An access to a CSR waits for one less than three cycles before: so other instructions stand between them.  One register
 *    more is saved, so that the end does not wait for what it loads.
 * 3. While interrupts are off, nothing comes that would change what is below the stack pointer. */
#if CARILLON_OSEK
#define CARILLON_SAVED "32"
#define CARILLON_SAVE             \
    "   sw t1, 16(sp)\n"          \
    "   csrrw t0, mscratch, sp\n" \
    "   sw t0, 12(sp)\n"
#define CARILLON_END                                          \
    "   lw t0, 12(sp)\n"                                      \
    "   csrci mstatus, 8\n"                                   \
    "   lw t1, 8(sp)\n"                                       \
    "   csrw mscratch, t0\n"                                  \
    "   lw t0, 4(sp)\n"                                       \
    "   addi sp, sp, 32\n" CARILLON_DONE "   csrw mepc, t1\n" \
    "   lw t1, -16(sp)\n"                                     \
    "   csrw mcause, t0\n"                                    \
    "   lw t0, -32(sp)\n"
#else
#define CARILLON_SAVED "16"
#define CARILLON_SAVE "   sw t1, 12(sp)\n"
#define CARILLON_END                                           \
    "   lw t0, 4(sp)\n"                                        \
    "   lw t1, 8(sp)\n"                                        \
    "   csrci mstatus, 8\n" CARILLON_DONE "   csrw mepc, t1\n" \
    "   lw t1, 12(sp)\n"                                       \
    "   addi sp, sp, 16\n"                                     \
    "   csrw mcause, t0\n"                                     \
    "   lw t0, -16(sp)\n"
#endif

/* GCC writes `sret` at the end of such a handler, which a core with machine mode alone does not have: so it is a macro of
 * the assembler. */
__asm__(".macro sret\n" CARILLON_END "   mret\n"
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
 *    core stalls where they are nearer.  So it takes eight cycles, and eleven where frames are linked. */
#define CARILLON_ENTRY(name, body)                                    \
    void name(void);                                                  \
    __asm__(".section .text.carillon_nested." #body ".0, \"ax\"\n"    \
            ".option push\n"                                          \
            ".option norelax\n"                                       \
            ".option norvc\n"                                         \
            ".balign 4\n"                                             \
            ".type " #name ", @function\n"                            \
            ".global " #name "\n" #name ":\n"                         \
            "   sw t0, -" CARILLON_SAVED "(sp)\n"                     \
            "   csrr t0, mcause\n"                                    \
            "   sw t0, 4-" CARILLON_SAVED "(sp)\n"                    \
            "   addi sp, sp, -" CARILLON_SAVED "\n"                   \
            "   csrr t0, mepc\n"                                      \
            "   sw t0, 8(sp)\n" CARILLON_SAVE "   csrsi mstatus, 8\n" \
            ".size " #name ", . - " #name "\n"                        \
            ".option pop\n"                                           \
            ".text\n")

#define CARILLON_NESTED(function, body) \
    void function(void) __attribute__((interrupt("supervisor"), used, section(".text.carillon_nested." #body ".1")))

/* A vector of the event-triggered system: it saves what a C function may change, lets interrupts through, and calls
 * `function`.  Its first words are those of CARILLON_ENTRY, with the frame of what was preempted (carillon_port.h). */
#define CARILLON_FRAME(source, function)                                         \
    void carillon_frame_##source(void);                                          \
    __asm__(".section .text.carillon_frames." #source ", \"ax\"\n"               \
            ".balign 4\n"                                                        \
            ".type carillon_frame_" #source ", @function\n"                      \
            ".global carillon_frame_" #source "\n"                               \
            "carillon_frame_" #source ":\n"                                      \
            "   addi sp, sp, -80\n"                                              \
            "   sw t0, 0(sp)\n"                                                  \
            "   csrr t0, mcause\n"                                               \
            "   sw t0, 4(sp)\n"                                                  \
            "   sw ra, 16(sp)\n"                                                 \
            "   csrr t0, mepc\n"                                                 \
            "   sw t0, 8(sp)\n"                                                  \
            "   sw t1, 20(sp)\n"                                                 \
            "   csrrw t0, mscratch, sp\n"                                        \
            "   sw t0, 12(sp)\n"                                                 \
            "   sw t2, 24(sp)\n"                                                 \
            "   csrsi mstatus, 8\n"                                              \
            "   sw t3, 28(sp)\n"                                                 \
            "   sw t4, 32(sp)\n"                                                 \
            "   sw t5, 36(sp)\n"                                                 \
            "   sw t6, 40(sp)\n"                                                 \
            "   sw a0, 44(sp)\n"                                                 \
            "   sw a1, 48(sp)\n"                                                 \
            "   sw a2, 52(sp)\n"                                                 \
            "   sw a3, 56(sp)\n"                                                 \
            "   sw a4, 60(sp)\n"                                                 \
            "   sw a5, 64(sp)\n"                                                 \
            "   sw a6, 68(sp)\n"                                                 \
            "   sw a7, 72(sp)\n"                                                 \
            "   call " #function "\n"                                            \
            "   j carillon_port_frame_end\n"                                     \
            ".size carillon_frame_" #source ", . - carillon_frame_" #source "\n" \
            ".text\n")
#define CARILLON_FRAME_OF_CATEGORY_1 CARILLON_FRAME

/* A generated one; and a task that is one itself, in the files that define it.  Its entry: the source is not needed. */
#define CARILLON_NESTED_HANDLER(name) \
    CARILLON_ENTRY(name, name);       \
    CARILLON_NESTED(carillon_body_##name, name)
#define CARILLON_NESTED_TASK(function) CARILLON_NESTED(function, function)
#define CARILLON_HELD_VECTOR(name, function, source) CARILLON_ENTRY(name, function)

#endif
