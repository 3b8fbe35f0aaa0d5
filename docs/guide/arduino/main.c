/* SPDX-License-Identifier: Apache-2.0
 *
 * The LED "L" of an Arduino, and what it shows as a line of text.  The same file is for the Uno, the Leonardo and the
 * Mega; their schematics say where the LED is. */
#include <avr/io.h>

#include "carillon/console.h"
#include "carillon/osektime.h"

#if defined(__AVR_ATmega328P__)
#define LED_DIRECTION DDRB
#define LED_OUTPUT PORTB
#define LED 5
#elif defined(__AVR_ATmega32U4__)
#define LED_DIRECTION DDRC
#define LED_OUTPUT PORTC
#define LED 7
#elif defined(__AVR_ATmega2560__)
#define LED_DIRECTION DDRB
#define LED_OUTPUT PORTB
#define LED 7
#endif

ttTASK(Blink)
{
    LED_DIRECTION |= (uint8_t)(1u << LED);
    LED_OUTPUT ^= (uint8_t)(1u << LED);
    carillon_say("led", (uint32_t)((LED_OUTPUT >> LED) & 1u));
}
