/* SPDX-License-Identifier: Apache-2.0
 *
 * For the carillon_port.c of ARMv6-M and ARMv7-M: a delay that is exact to the instruction, and standing still. */
#ifndef CARILLON_DELAY_H
#define CARILLON_DELAY_H

/* The call, five more, the return, and the loop's two a turn: one short if what is left is odd. */
__attribute__((naked)) void carillon_port_delay(uint32_t instructions __attribute__((unused)))
{
    __asm__ volatile(".syntax unified\n"
                     "   cmp r0, #9\n"
                     "   blo 2f\n"
                     "   subs r0, r0, #7\n"
                     "   lsrs r0, r0, #1\n"
                     "   bcc 1f\n"
                     "   nop\n"
                     "1: subs r0, r0, #1\n"
                     "   bne 1b\n"
                     "2: bx lr\n");
}

void carillon_port_halt(void)
{
    for (;;) {
    }
}

void carillon_port_unexpected(void)
{
    carillon_port_halt();
}

#endif
