/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that end elsewhere, and tasks with stacks of their own, on RV32: a port's carillon_port.c includes it. */
#ifndef CARILLON_CONTEXT_H
#define CARILLON_CONTEXT_H

#include "carillon_port.h"

/* What a function must not change, on the stack and back; the rest of its 64 bytes keeps the stack aligned. */
#define PUSH_SAVED          \
    "   addi sp, sp, -64\n" \
    "   sw s0, 0(sp)\n"     \
    "   sw s1, 4(sp)\n"     \
    "   sw s2, 8(sp)\n"     \
    "   sw s3, 12(sp)\n"    \
    "   sw s4, 16(sp)\n"    \
    "   sw s5, 20(sp)\n"    \
    "   sw s6, 24(sp)\n"    \
    "   sw s7, 28(sp)\n"    \
    "   sw s8, 32(sp)\n"    \
    "   sw s9, 36(sp)\n"    \
    "   sw s10, 40(sp)\n"   \
    "   sw s11, 44(sp)\n"   \
    "   sw ra, 48(sp)\n"
#define POP_SAVED         \
    "   lw s0, 0(sp)\n"   \
    "   lw s1, 4(sp)\n"   \
    "   lw s2, 8(sp)\n"   \
    "   lw s3, 12(sp)\n"  \
    "   lw s4, 16(sp)\n"  \
    "   lw s5, 20(sp)\n"  \
    "   lw s6, 24(sp)\n"  \
    "   lw s7, 28(sp)\n"  \
    "   lw s8, 32(sp)\n"  \
    "   lw s9, 36(sp)\n"  \
    "   lw s10, 40(sp)\n" \
    "   lw s11, 44(sp)\n" \
    "   lw ra, 48(sp)\n"  \
    "   addi sp, sp, 64\n"

/* From a context in a0 to the handler that has resumed it, with the context in a0 (resume.h).  Before GO_BACK stands a label,
 * by which the tracing plugin knows the context: the load there names it. */
#define BEFORE_BACK "   lw ra, 12(a0)\n"
#define GO_BACK          \
    "   lw sp, 4(a0)\n"  \
    "   lw s0, 16(a0)\n" \
    "   jr ra\n"

/* Where carillon_port_unwind goes: the frame of the innermost call, which holds that of the one around it. */
static void *frame __attribute__((used));

__attribute__((naked)) void carillon_port_call(carillon_vector function __attribute__((unused)))
{
    __asm__ volatile(PUSH_SAVED "   la t0, frame\n"
                                "   lw t1, 0(t0)\n"
                                "   sw t1, 52(sp)\n"
                                "   sw sp, 0(t0)\n"
                                ".global carillon_port_begin\n"
                                "carillon_port_begin:\n"
                                "   jalr a0\n"
                                ".global carillon_port_landed\n"
                                "carillon_port_landed:\n"
                                "   la t0, frame\n"
                                "   lw t1, 52(sp)\n"
                                "   sw t1, 0(t0)\n" POP_SAVED "   ret\n");
}

/* Where one goes on that has suspended itself. */
void carillon_port_continue_context(void);
__attribute__((naked, used)) void carillon_port_continue_context(void)
{
    __asm__ volatile(POP_SAVED "   ret\n");
}

/* A function that returns has ended its job. */
__attribute__((naked)) void carillon_port_resume_saved(void)
{
    __asm__ volatile("   lw t0, 8(a0)\n"
                     "   sw s0, 16(a0)\n"
                     "   sw ra, 12(a0)\n"
                     ".global carillon_port_resumed\n"
                     "carillon_port_resumed:\n"
                     "   sw sp, 4(a0)\n"
                     "   lw sp, 0(a0)\n"
                     "   la ra, carillon_osek_end\n"
                     "   jr t0\n");
}

__attribute__((naked)) void carillon_port_suspend(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile(PUSH_SAVED "   la t0, carillon_port_continue_context\n"
                                "   sw t0, 8(a0)\n"
                                "   sw sp, 0(a0)\n" BEFORE_BACK ".global carillon_port_suspended\n"
                                "carillon_port_suspended:\n" GO_BACK);
}

__attribute__((naked)) void carillon_port_leave(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile(BEFORE_BACK ".global carillon_port_left\n"
                                 "carillon_port_left:\n" GO_BACK);
}

#endif
