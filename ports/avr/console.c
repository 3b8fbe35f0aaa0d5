/* SPDX-License-Identifier: Apache-2.0
 *
 * The console of an AVR: USART0 at its highest rate, an eighth of the clock.  printf of avr-libc writes to it, too. */
#include <avr/io.h>
#include <stdio.h>

#include "carillon/console.h"

#ifdef UDR0

__attribute__((weak)) void carillon_console_put(char byte)
{
    UCSR0B = (uint8_t)(1u << TXEN0);
    UCSR0A = (uint8_t)(1u << U2X0);
    UBRR0L = 0u;
    while ((UCSR0A & (1u << UDRE0)) == 0u) {
    }
    UDR0 = (uint8_t)byte;
}

#endif

static int put(char byte, FILE *stream)
{
    (void)stream;
    carillon_console_put(byte);
    return 0;
}

/* The library's table of standard input, output and error.  It is the library's own where an application uses none of
 * them, and no memory then. */
static FILE console = FDEV_SETUP_STREAM(put, NULL, _FDEV_SETUP_WRITE);
__attribute__((weak)) FILE *__iob[3] = {NULL, &console, &console};
