/* SPDX-License-Identifier: Apache-2.0
 *
 * Each task changes a pin of its own: bits 0 to 2 of port B, pins 8 to 10 of an Uno. */
#include <avr/io.h>

#include "carillon/osektime.h"

static void change(uint8_t bit)
{
    DDRB |= (uint8_t)(1u << bit);
    PORTB ^= (uint8_t)(1u << bit);
}

ttTASK(Sample)
{
    change(0);
}

ttTASK(Filter)
{
    change(1);
}

ttTASK(Send)
{
    change(2);
}
