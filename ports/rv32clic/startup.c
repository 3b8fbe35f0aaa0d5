/* SPDX-License-Identifier: Apache-2.0
 *
 * Reset on RV32 with a CLIC: the first instructions. */
#include "carillon_board.h"
#include "carillon_port.h"

#include "ports/rv32/reset.h"

/* Where the image begins.  Without relaxation, because what it sets up is what relaxed code relies on. */
__attribute__((naked, used, section(".text.reset"))) void carillon_port_reset(void)
{
    __asm__ volatile("   .option push\n"
                     "   .option norelax\n"
                     "   la gp, __global_pointer$\n"
                     "   .option pop\n"
                     "   .weak carillon_tls\n" /* the linker script's, if it has one */
                     "   la tp, carillon_tls\n"
                     "   la sp, carillon_stack_top\n"
                     "   la t0, carillon_port_exception\n" /* aligned to 128 bytes */
                     "   addi t0, t0, 3\n"                 /* with a CLIC there is no other mode */
                     "   csrw mtvec, t0\n"
                     "   csrw mscratch, zero\n" /* no handler runs */
                     "   j carillon_port_run_main\n");
}

/* Exceptions come here, as interrupts that nobody uses: nothing goes on, and a run says so. */
__attribute__((naked, used, aligned(128))) void carillon_port_exception(void);
__attribute__((naked, used, aligned(128))) void carillon_port_exception(void)
{
    __asm__ volatile("   j carillon_port_unexpected\n");
}
