/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to RV32 with a CLIC: what the header does not inline. */
#include "carillon_port.h"

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

/* mcause has the level of what was preempted.  Call the function at that level, or at that of the interrupts below tasks,
 * as by a return from the interrupt to it.  Then interrupts are off again, and mcause and mepc are what the handler's
 * return needs. */
__attribute__((naked)) void carillon_port_run_lowered(carillon_vector function __attribute__((unused)))
{
    __asm__ volatile("   addi sp, sp, -16\n"
                     "   csrr t0, mcause\n"
                     "   sw ra, 0(sp)\n"
                     "   sw t0, 4(sp)\n"
                     "   csrr t1, mepc\n"
                     "   sw t1, 8(sp)\n"
                     "   .if %[below] != 0\n"
                     "   slli t1, t0, 8\n"
                     "   srli t1, t1, 24\n"
                     "   li t2, %[below]\n"
                     "   bgeu t1, t2, 2f\n"
                     "   xor t1, t1, t2\n"
                     "   slli t1, t1, 16\n"
                     "   xor t0, t0, t1\n"
                     "   csrw mcause, t0\n"
                     "2:\n"
                     "   .endif\n"
                     "   la ra, 1f\n"
                     "   csrw mepc, a0\n"
                     ".global carillon_port_lower\n"
                     "carillon_port_lower:\n"
                     "   mret\n"
                     "1: csrci mstatus, 8\n"
                     "   lw t0, 4(sp)\n"
                     "   lw t1, 8(sp)\n"
                     "   csrw mcause, t0\n"
                     "   lw ra, 0(sp)\n"
                     "   csrw mepc, t1\n"
                     "   addi sp, sp, 16\n"
                     "   ret\n"
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
