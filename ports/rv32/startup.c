/* SPDX-License-Identifier: Apache-2.0
 *
 * Reset on RV32: the first instructions. */
#include "carillon_board.h"
#include "carillon_port.h"

#include "ports/rv32/reset.h"

/* Where the image begins.  Without relaxation, because what it sets up is what relaxed code relies on. */
__attribute__((naked, used, section(".text.reset"))) void carillon_port_reset(void)
{
    __asm__ volatile("   csrw mie, zero\n"
                     "   .option push\n"
                     "   .option norelax\n"
                     "   la gp, __global_pointer$\n"
                     "   .option pop\n"
                     "   .weak carillon_tls\n" /* the linker script's, if it has one */
                     "   la tp, carillon_tls\n"
                     "   la sp, carillon_stack_top\n"
                     "   la t0, carillon_port_entries + 1\n" /* vectored */
                     "   csrw mtvec, t0\n"
                     "   j carillon_port_run_main\n");
}
