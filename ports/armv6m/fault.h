/* SPDX-License-Identifier: Apache-2.0
 *
 * For the carillon_port.c of ARMv6-M: what a fault, or an interrupt that nobody serves, leaves behind. */
#ifndef CARILLON_FAULT_H
#define CARILLON_FAULT_H

#include "ports/armv7m/fault_record.h"

/* It needs no stack, as there may be none. */
__attribute__((naked)) void carillon_port_unexpected(void)
{
    __asm__ volatile(".syntax unified\n"
                     "   ldr r0, =carillon_fault\n"
                     "   mrs r1, ipsr\n"
                     "   str r1, [r0]\n"
                     "   mov r1, sp\n"
                     "   str r1, [r0, #12]\n"
                     "   ldr r1, [sp, #24]\n"
                     "   str r1, [r0, #16]\n" CARILLON_FAULT_END);
}

#endif
