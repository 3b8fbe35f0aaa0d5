/* SPDX-License-Identifier: Apache-2.0
 *
 * LEDs at pins 12 and 13 of an Uno: bits 4 and 5 of port B. */
#include <avr/io.h>

#include "carillon/osektime.h"

ttTASK(Red)
{
    DDRB |= (uint8_t)(1u << 4);
    PORTB ^= (uint8_t)(1u << 4);
}

ttTASK(Green)
{
    DDRB |= (uint8_t)(1u << 5);
    PORTB ^= (uint8_t)(1u << 5);
}
