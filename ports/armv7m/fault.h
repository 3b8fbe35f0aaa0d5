/* SPDX-License-Identifier: Apache-2.0
 *
 * For the carillon_port.c of ARMv7-M: what a fault, or an interrupt that nobody serves, leaves behind. */
#ifndef CARILLON_FAULT_H
#define CARILLON_FAULT_H

#include "ports/armv7m/fault_record.h"

/* It needs no stack, as there may be none.  Where the frame could not be pushed (STKERR, MSTKERR), `pc` stays 0. */
__attribute__((naked)) void carillon_port_unexpected(void)
{
    __asm__ volatile(".syntax unified\n"
                     "   ldr r0, =carillon_fault\n"
                     "   mrs r1, ipsr\n"
                     "   ldr r3, =0xE000ED28\n" /* CFSR; BFAR is 16 bytes behind */
                     "   ldr r2, [r3, #16]\n"
                     "   ldr r3, [r3]\n"
                     "   stmia r0!, {r1, r2, r3}\n"
                     "   mov r1, sp\n"
                     "   str r1, [r0]\n"
                     "   movw r1, #0x1010\n"
                     "   tst r3, r1\n"
                     "   bne 1f\n"
                     "   ldr r1, [sp, #24]\n"
                     "   str r1, [r0, #4]\n"
                     "1:\n" CARILLON_FAULT_END);
}

#endif
