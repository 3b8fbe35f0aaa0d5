/* SPDX-License-Identifier: Apache-2.0
 *
 * Reset on AVR: the compiler's registers and stack, memory as C expects it, sleep modes, main.
 *
 * The C library's own start is left out (-nostartfiles): its table of vectors is not ours.  Sections .init0 to .init9
 * follow each other in memory; .init4 has what copies and clears variables (libgcc). */
#include "carillon_port.h"

#if defined(__AVR_ATmega128__) || defined(__AVR_ATmega64__)
#define SLEEP_CONTROL 0x55u /* MCUCR: SE, mode idle */
#define SLEEP_ENABLE 0x20u
#define EXTERNAL_EDGES 0x5Au /* EICRB */
#else
#define SLEEP_CONTROL 0x53u /* SMCR */
#define SLEEP_ENABLE 1u
#define EXTERNAL_EDGES 0x6Au
#endif

/* What else that register must hold: of a board with external memory, the bits that switch it on. */
#ifdef CARILLON_EXTERNAL_MEMORY
#define EXTERNAL_MEMORY CARILLON_EXTERNAL_MEMORY
#else
#define EXTERNAL_MEMORY 0u
#endif

int main(void);
void carillon_port_initialise(void);

__attribute__((naked, used, section(".init0"))) void carillon_port_reset(void)
{
    __asm__ volatile("   clr r1\n"
                     "   out 0x3f, r1\n"
                     "   ldi r28, lo8(%0)\n"
                     "   ldi r29, hi8(%0)\n"
                     "   out 0x3e, r29\n"
                     "   out 0x3d, r28\n"
#ifdef CARILLON_EXTERNAL_MEMORY
                     "   ldi r16, %1\n" /* before variables are copied there */
                     "   sts %2, r16\n"
#endif
#if defined(__AVR_3_BYTE_PC__)
                     "   out 0x3c, r1\n" /* EIND: calls by pointer go to the first 128 KiB */
#endif
                     ::"i"(CARILLON_RAM_END),
                     "n"(EXTERNAL_MEMORY), "n"(SLEEP_CONTROL));
}

__attribute__((naked, used, section(".init9"))) void carillon_port_run_main(void);
__attribute__((naked, used, section(".init9"))) void carillon_port_run_main(void)
{
    __asm__ volatile("   call carillon_port_initialise\n"
                     "   sei\n" /* no source is enabled yet */
                     "   call main\n"
                     "   jmp carillon_port_halt\n");
}

__attribute__((used)) void carillon_port_initialise(void)
{
    CARILLON_REGISTER(SLEEP_CONTROL) = SLEEP_ENABLE | EXTERNAL_MEMORY;
    CARILLON_REGISTER(EXTERNAL_EDGES) = 0xFFu; /* INT4 to INT7: rising edges */
}
