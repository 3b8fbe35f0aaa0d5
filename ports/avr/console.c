/* SPDX-License-Identifier: Apache-2.0
 *
 * The console of an AVR: its first USART at its highest rate, an eighth of the clock.  printf of avr-libc writes to it,
 * too.  Devices with USB (ATmega32U4) call their only USART number 1. */
#include <avr/io.h>
#include <stdio.h>

#include "carillon/console.h"

#if defined(UDR0)
#define DATA UDR0
#define STATE UCSR0A
#define CONTROL UCSR0B
#define RATE UBRR0L
#elif defined(UDR1)
#define DATA UDR1
#define STATE UCSR1A
#define CONTROL UCSR1B
#define RATE UBRR1L
#endif
/* The bits of these registers have the same places in every USART. */
#define TRANSMITTER_ON (1u << 3)
#define READY (1u << 5)
#define DOUBLE_SPEED (1u << 1)

#ifdef DATA

__attribute__((weak)) void carillon_console_put(char byte)
{
    CONTROL = (uint8_t)TRANSMITTER_ON;
    STATE = (uint8_t)DOUBLE_SPEED;
    RATE = 0u;
    while ((STATE & READY) == 0u) {
    }
    DATA = (uint8_t)byte;
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
