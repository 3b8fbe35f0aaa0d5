/* SPDX-License-Identifier: Apache-2.0
 *
 * Reset on AVR: the compiler's registers and stack, what the board stores, memory as C expects it, main.
 *
 * The C library's own start is left out (-nostartfiles): its table of vectors is not ours.  Sections .init0 to .init9
 * follow each other in memory; .init4 has what copies and clears variables (libgcc). */
#include "carillon_port.h"

/* What the board stores first: sleep modes, edges of interrupts, external memory. */
#ifdef CARILLON_STARTUP
#define STORE(address, value) "   ldi r16, " #value "\n   sts " #address ", r16\n"
#define STARTUP CARILLON_STARTUP(STORE)
#else
#define STARTUP
#endif

/* Calls by pointer go to the first 128 KiB. */
#if defined(__AVR_3_BYTE_PC__)
#define CLEAR_EIND "   out 0x3c, r1\n"
#else
#define CLEAR_EIND
#endif

int main(void);

__attribute__((naked, used, section(".init0"))) void carillon_port_reset(void)
{
    __asm__ volatile("   clr r1\n"
                     "   out 0x3f, r1\n"
                     "   ldi r28, lo8(%0)\n"
                     "   ldi r29, hi8(%0)\n"
                     "   out 0x3e, r29\n"
                     "   out 0x3d, r28\n" STARTUP CLEAR_EIND ::"i"(CARILLON_RAM_END));
}

__attribute__((naked, used, section(".init9"))) void carillon_port_run_main(void);
__attribute__((naked, used, section(".init9"))) void carillon_port_run_main(void)
{
    __asm__ volatile("   sei\n" /* no source is enabled yet */
                     "   call main\n"
                     "   jmp carillon_port_halt\n");
}
