/* SPDX-License-Identifier: Apache-2.0
 *
 * What the firmware of a test says: lines of a name and a number, through the board's UART or, on a virtual board,
 * standard output. */
#ifndef REPORT_H
#define REPORT_H

#include <stdint.h>

#include "carillon_config.h"

#if CARILLON_INSTRUCTIONS_PER_TICK == 0
#include <stdio.h>
static inline void report_byte(char byte)
{
    (void)putchar(byte);
}
#elif defined(CARILLON_HPLL_MULTIPLIER)
static inline void report_byte(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x7E784000) = (uint8_t)byte;
}
#else
static inline void report_byte(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x40004010) = 16u;
    *(volatile uint32_t *)UINT32_C(0x40004008) = 1u;
    *(volatile uint32_t *)UINT32_C(0x40004000) = (uint8_t)byte;
}
#endif

static void report(const char *name, uint32_t value)
{
    char digits[10];
    unsigned count = 0;
    while (*name != '\0') {
        report_byte(*name++);
    }
    report_byte(' ');
    do {
        digits[count++] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value != 0u);
    while (count != 0u) {
        report_byte(digits[--count]);
    }
    report_byte('\n');
}

#endif
