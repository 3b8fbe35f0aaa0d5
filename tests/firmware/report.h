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
#elif defined(__AVR__)
#if defined(__AVR_ATmega128__)
#define UART_RATE 0x29u
#define UART_CONTROL 0x2Au
#define UART_STATUS 0x2Bu
#define UART_DATA 0x2Cu
#else
#define UART_RATE 0xC4u
#define UART_CONTROL 0xC1u
#define UART_STATUS 0xC0u
#define UART_DATA 0xC6u
#endif
static inline void report_byte(char byte)
{
    *(volatile uint8_t *)UART_CONTROL = 0x08u; /* the transmitter */
    *(volatile uint8_t *)UART_STATUS = 0x02u;  /* double rate */
    *(volatile uint8_t *)UART_RATE = 0u;
    while ((*(volatile uint8_t *)UART_STATUS & 0x20u) == 0u) {
    }
    *(volatile uint8_t *)UART_DATA = (uint8_t)byte;
}
#elif defined(CARILLON_CLIC)
static inline void report_byte(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x40020000) = (uint8_t)byte;
}
#elif defined(__riscv)
static inline void report_byte(char byte)
{
    while ((*(volatile uint8_t *)UINT32_C(0x10000005) & 0x20u) == 0u) {
    }
    *(volatile uint8_t *)UINT32_C(0x10000000) = (uint8_t)byte;
}
#elif defined(CARILLON_MASK_INTERRUPT) || defined(CARILLON_PLL_DIVIDE) /* ARMv6-M and STM32F4: the board's own */
#include "carillon/console.h"
static inline void report_byte(char byte)
{
    carillon_console_put(byte);
}
#elif defined(CARILLON_HPLL_MULTIPLIER)
static inline void report_byte(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x7E784000) = (uint8_t)byte;
}
#elif defined(__ARM_ARCH_8M_MAIN__)
static inline void report_byte(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x50200010) = 16u;
    *(volatile uint32_t *)UINT32_C(0x50200008) = 1u;
    *(volatile uint32_t *)UINT32_C(0x50200000) = (uint8_t)byte;
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
