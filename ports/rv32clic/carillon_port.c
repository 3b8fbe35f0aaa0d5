/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to RV32 with a CLIC: what the header does not inline. */
#include "carillon_port.h"

#if CARILLON_OSEK
#include "kernel/run/kernel.h"
#include "ports/rv32/context.h"
#endif

void carillon_port_set_level(uint16_t source, uint16_t level)
{
    *(volatile uint8_t *)(uintptr_t)CARILLON_CLIC_LEVEL(source) = (uint8_t)level;
}

/* A turn takes eight cycles. */
__attribute__((naked)) void carillon_port_start(const struct carillon_store *list __attribute__((unused)),
                                                uint32_t count __attribute__((unused)))
{
    __asm__ volatile("   .option push\n"
                     "   .option norvc\n"
                     "   .balign 4\n"
                     ".global carillon_port_start_load\n"
                     "carillon_port_start_load:\n"
                     "   lw t0, 0(a0)\n"
                     "   lw t1, 4(a0)\n"
                     "   addi a0, a0, 8\n"
                     "   sw t1, 0(t0)\n"
                     "   addi a1, a1, -1\n"
                     "   bnez a1, carillon_port_start_load\n"
                     "   .option pop\n"
                     "   ret\n");
}

/* Look at the counter until less than a slide's length is left; the jump into the slide leaves out what has passed.  A
 * start that comes too late follows at once.
 *
 * From the load's cycle to that of the list's first store are 19 cycles, eight for each store before, and the nops that
 * are not left out. */
__attribute__((naked)) void carillon_port_start_at(uint32_t counter __attribute__((unused)),
                                                   uint32_t target __attribute__((unused)),
                                                   const struct carillon_store *before __attribute__((unused)),
                                                   uint32_t before_count __attribute__((unused)),
                                                   const struct carillon_store *list __attribute__((unused)),
                                                   uint32_t count __attribute__((unused)))
{
    __asm__ volatile("   .option push\n"
                     "   .option norvc\n"
                     "   .option norelax\n"
                     "   .balign 4\n"
                     "   slli t0, a3, 3\n" /* eight cycles a store */
                     "   add a1, a1, t0\n"
                     "   addi a1, a1, 19\n"
                     "1: lw t0, 0(a0)\n"
                     "   sub t0, t0, a1\n" /* how many nops from there */
                     "   addi t1, t0, -64\n"
                     "   bgtz t1, 1b\n"
                     "   bltz t0, 3f\n"
                     "   slli t1, t1, 2\n" /* less 4 bytes for each that is left out */
                     "   la t0, 2f\n"
                     "   sub t0, t0, t1\n"
                     "   jr t0\n"
                     "2: .rept 64\n"
                     "   nop\n"
                     "   .endr\n"
                     "3: lw t0, 0(a2)\n"
                     "   lw t1, 4(a2)\n"
                     "   addi a2, a2, 8\n"
                     "   sw t1, 0(t0)\n"
                     "   addi a3, a3, -1\n"
                     "   bnez a3, 3b\n"
                     "   mv a0, a4\n"
                     "   mv a1, a5\n"
                     "   j carillon_port_start_load\n"
                     "   .option pop\n");
}

#if CARILLON_OSEK

/* Call a task that is a handler's body, and ends as one.  It takes from the stack what CARILLON_ENTRY puts there, and returns
 * from an interrupt to behind the call, at its own level.  Interrupts are off from there to the end of the vector, because a
 * task may have chained a more urgent one, which begins when the vector has ended. */
__attribute__((naked)) void carillon_port_call_handler(carillon_vector function __attribute__((unused)))
{
    __asm__ volatile(
        PUSH_SAVED "   la t0, frame\n"
                   "   lw t1, 0(t0)\n"
                   "   sw t1, 52(sp)\n"
                   "   sw sp, 0(t0)\n"
                   "   addi sp, sp, -32\n"
                   "   la t1, carillon_port_landed\n"
                   "   sw t1, 8(sp)\n"
                   "   csrr t0, mscratch\n"
                   "   sw t0, 12(sp)\n"
                   "   lw t1, 4(t0)\n"
                   "   csrr t2, %[mintstatus]\n"
                   "   srli t2, t2, 24\n"
                   "   slli t2, t2, 16\n"
                   "   li t0, %[before]\n"
                   "   or t1, t1, t0\n"
                   "   xor t1, t1, t0\n"
                   "   or t1, t1, t2\n"
                   "   sw t1, 4(sp)\n"
                   "   csrw mscratch, sp\n"
                   "   jr a0\n"
        :
        : [mintstatus] "n"(CARILLON_MINTSTATUS), [before] "n"(CARILLON_CAUSE_LEVEL | CARILLON_CAUSE_ENABLED));
}

/* The words of such a task are no handler's any more. */
__attribute__((naked)) void carillon_port_unwind(void)
{
    __asm__ volatile("   csrr t0, mscratch\n"
                     "   beqz t0, 1f\n"
                     "   lw t1, 8(t0)\n"
                     "   la t2, carillon_port_landed\n"
                     "   bne t1, t2, 1f\n"
                     "   lw t0, 12(t0)\n"
                     "   csrw mscratch, t0\n"
                     "1: la t0, frame\n"
                     "   lw sp, 0(t0)\n"
                     "   j carillon_port_landed\n");
}

/* What CARILLON_FRAME ends with. */
void carillon_port_frame_end(void);
__attribute__((naked, used)) void carillon_port_frame_end(void)
{
    __asm__ volatile("   lw ra, 16(sp)\n"
                     "   lw t1, 20(sp)\n"
                     "   lw t2, 24(sp)\n"
                     "   lw t3, 28(sp)\n"
                     "   lw t4, 32(sp)\n"
                     "   lw t5, 36(sp)\n"
                     "   lw t6, 40(sp)\n"
                     "   lw a0, 44(sp)\n"
                     "   lw a1, 48(sp)\n"
                     "   csrci mstatus, 8\n"
                     "   lw t0, 12(sp)\n"
                     "   lw a2, 52(sp)\n"
                     "   csrw mscratch, t0\n"
                     "   lw t0, 8(sp)\n"
                     "   lw a3, 56(sp)\n"
                     "   csrw mepc, t0\n"
                     "   lw t0, 4(sp)\n"
                     "   lw a4, 60(sp)\n"
                     "   csrw mcause, t0\n"
                     "   lw t0, 0(sp)\n"
                     "   lw a5, 64(sp)\n"
                     "   lw a6, 68(sp)\n"
                     "   lw a7, 72(sp)\n"
                     "   addi sp, sp, 80\n"
                     "   mret\n");
}

static inline bool is_among(const struct carillon_port_frame *innermost, uint32_t source)
{
    const struct carillon_port_frame *frame = innermost;
    while ((frame != NULL) && ((frame->cause & CARILLON_CAUSE_SOURCE) != source)) {
        frame = frame->below;
    }
    return frame != NULL;
}

bool carillon_port_is_active(uint32_t source)
{
    return is_among(carillon_port_frames(), source);
}

bool carillon_port_peek_active(uint32_t source)
{
    return is_among(carillon_port_frames(), source);
}

/* The dispatcher has preempted no handler. */
void carillon_port_run_base(carillon_vector function)
{
    carillon_port_run_preempted(function, 0u);
}

__attribute__((naked)) static void go_on_diverted(void)
{
    __asm__ volatile("   andi sp, sp, -16\n" /* within a leaf the stack may not be aligned */
                     "   jr t0\n");
}
void carillon_port_divert(const void *frame, carillon_vector function)
{
    struct carillon_port_frame *const diverted = (struct carillon_port_frame *)(uintptr_t)frame;
    diverted->t0 = (uint32_t)(uintptr_t)function;
    diverted->pc = (uint32_t)(uintptr_t)go_on_diverted;
}

/* Suspend a context, and go on where another one left off, in its place. */
__attribute__((naked)) void carillon_port_exchange(struct carillon_context *context __attribute__((unused)),
                                                   struct carillon_context *other __attribute__((unused)))
{
    __asm__ volatile(PUSH_SAVED "   la t0, carillon_port_continue_context\n"
                                "   sw t0, 8(a0)\n"
                                "   sw sp, 0(a0)\n"
                                ".global carillon_port_exchange_from\n"
                                "carillon_port_exchange_from:\n"
                                "   lw t0, 4(a0)\n"
                                "   lw t1, 12(a0)\n"
                                "   lw t2, 16(a0)\n"
                                ".global carillon_port_exchange_to\n"
                                "carillon_port_exchange_to:\n"
                                "   sw t0, 4(a1)\n"
                                "   sw t1, 12(a1)\n"
                                "   sw t2, 16(a1)\n"
                                "   lw t0, 8(a1)\n"
                                "   lw sp, 0(a1)\n"
                                "   la ra, carillon_osek_end\n"
                                "   jr t0\n");
}

/* The frame of what was preempted is the argument. */
__attribute__((naked)) void carillon_port_budget_vector(void)
{
    __asm__ volatile("   csrr a0, mscratch\n"
                     "   j carillon_budget_vector\n");
}
__attribute__((naked)) void carillon_port_round_budget_vector(void)
{
    __asm__ volatile("   csrr a0, mscratch\n"
                     "   j carillon_round_budget_vector\n");
}
__attribute__((naked)) void carillon_port_slice_vector(void)
{
    __asm__ volatile("   csrr a0, mscratch\n"
                     "   j carillon_slice_vector\n");
}
__attribute__((naked)) void carillon_port_turn_vector(void)
{
    __asm__ volatile("   csrr a0, mscratch\n"
                     "   j carillon_slice_over\n");
}
#endif

/* The level of what the handler has preempted is in mcause.  Where frames are linked, what has come since the handler
 * began may have changed that: it is in the frame, and mscratch leads to the frame below while the function runs. */
#if CARILLON_OSEK
#define TAKE_CAUSE           \
    "   csrci mstatus, 8\n"  \
    "   csrr t1, mscratch\n" \
    "   sw t1, 8(sp)\n"      \
    "   lw t0, 4(t1)\n"      \
    "   lw t1, 12(t1)\n"     \
    "   csrw mscratch, t1\n" \
    "   csrw mcause, t0\n"
#define GIVE_CAUSE      \
    "   lw t1, 8(sp)\n" \
    "   lw ra, 0(sp)\n" \
    "   csrw mscratch, t1\n"
#else
#define TAKE_CAUSE         \
    "   csrr t0, mcause\n" \
    "   sw t0, 4(sp)\n"    \
    "   csrr t1, mepc\n"   \
    "   sw t1, 8(sp)\n"
#define GIVE_CAUSE         \
    "   lw t0, 4(sp)\n"    \
    "   lw t1, 8(sp)\n"    \
    "   csrw mcause, t0\n" \
    "   lw ra, 0(sp)\n"    \
    "   csrw mepc, t1\n"
#endif

/* Call the function at that level, or at that of the interrupts below tasks, as by a return from the interrupt to it.
 * Then interrupts are off again, and everything is as the handler's end needs it.  No branch: a task begins as late after
 * its expiry whatever the handler has preempted. */
__attribute__((naked)) void carillon_port_run_lowered(carillon_vector function __attribute__((unused)))
{
    __asm__ volatile("   addi sp, sp, -16\n"
                     "   sw ra, 0(sp)\n" TAKE_CAUSE "   .if %[below] != 0\n"
                     "   slli t1, t0, 8\n"
                     "   srli t1, t1, 24\n"
                     "   sltiu t2, t1, %[below]\n"
                     "   neg t2, t2\n"
                     "   xori t1, t1, %[below]\n"
                     "   and t1, t1, t2\n"
                     "   slli t1, t1, 16\n"
                     "   xor t0, t0, t1\n"
                     "   csrw mcause, t0\n"
                     "   .endif\n"
                     "1: la ra, 2f\n"
                     "   csrw mepc, a0\n"
                     ".global carillon_port_lower\n"
                     "carillon_port_lower:\n"
                     "   mret\n"
                     "2: csrci mstatus, 8\n" GIVE_CAUSE "   addi sp, sp, 16\n"
                     "   ret\n"
                     ".global carillon_port_run_preempted\n"
                     "carillon_port_run_preempted:\n"
                     "   addi sp, sp, -16\n"
                     "   sw ra, 0(sp)\n" TAKE_CAUSE "   j 1b\n"
                     :
                     : [below] "n"(CARILLON_BELOW_TASKS));
}

/* Four cycles a turn, and a jump into nops for the rest: with the call and the return, 17 cycles beside. */
__attribute__((naked)) void carillon_port_delay(uint32_t cycles __attribute__((unused)))
{
    __asm__ volatile("   .option push\n"
                     "   .option norvc\n"
                     "   .option norelax\n"
                     "   .balign 4\n"
                     "   addi a0, a0, -17\n"
                     "   bltz a0, 3f\n"
                     "   andi t0, a0, 3\n"
                     "   slli t0, t0, 2\n"
                     "   la t1, 2f\n"
                     "   sub t1, t1, t0\n"
                     "   jr t1\n"
                     "   nop\n"
                     "   nop\n"
                     "   nop\n"
                     "2: addi a0, a0, -4\n"
                     "   bgez a0, 2b\n"
                     "3: ret\n"
                     "   .option pop\n");
}

void carillon_port_halt(void)
{
    for (;;) {
    }
}

CARILLON_HANDLER(carillon_port_unexpected);
void carillon_port_unexpected(void)
{
    carillon_port_halt();
}
