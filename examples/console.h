/* SPDX-License-Identifier: Apache-2.0
 *
 * How the event-triggered examples speak: lines of a name and a number through the board's first UART, whose
 * emulator takes a byte at once, or on a virtual board through standard output. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdint.h>

#include "carillon_config.h"

#if CARILLON_INSTRUCTIONS_PER_TICK == 0
#include <stdio.h>
static inline void say_byte(char byte)
{
    (void)putchar(byte);
}
#elif defined(__AVR__)
/* AVR: UART0 at its highest rate, which takes a byte when the one before it has left. */
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
static inline void say_byte(char byte)
{
    *(volatile uint8_t *)UART_CONTROL = 0x08u; /* the transmitter */
    *(volatile uint8_t *)UART_STATUS = 0x02u;  /* double rate */
    *(volatile uint8_t *)UART_RATE = 0u;
    while ((*(volatile uint8_t *)UART_STATUS & 0x20u) == 0u) {
    }
    *(volatile uint8_t *)UART_DATA = (uint8_t)byte;
}
#elif defined(CARILLON_HPLL_MULTIPLIER)
/* ast1030-evb: UART5. */
static inline void say_byte(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x7E784000) = (uint8_t)byte;
}
#else
/* mps2-an385: UART0, its rate and transmitter set each time. */
static inline void say_byte(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x40004010) = 16u;
    *(volatile uint32_t *)UINT32_C(0x40004008) = 1u;
    *(volatile uint32_t *)UINT32_C(0x40004000) = (uint8_t)byte;
}
#endif

/* Say "NAME VALUE". */
static inline void say(const char *name, uint32_t value)
{
    char digits[10];
    unsigned count = 0u;
    while (*name != '\0') {
        say_byte(*name++);
    }
    say_byte(' ');
    do {
        digits[count++] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value != 0u);
    while (count != 0u) {
        say_byte(digits[--count]);
    }
    say_byte('\n');
}

#endif
