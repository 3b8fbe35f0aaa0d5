/* SPDX-License-Identifier: Apache-2.0
 *
 * {{name}}: an LED changes each time that its task runs.  schedule.toml says when that is. */
#include "carillon/console.h"
#include "carillon/osektime.h"

#if defined(__AVR_ATmega328P__) /* an Arduino Uno: the LED "L" is bit 5 of port B */
#include <avr/io.h>
#define LED_DIRECTION DDRB
#define LED_OUTPUT PORTB
#define LED 0x20u
#else /* put the registers of your board's LED here; until then, these are variables */
static volatile uint8_t LED_DIRECTION, LED_OUTPUT;
#define LED 0x01u
#endif

ttTASK(Blink);

ttTASK(Blink)
{
    LED_DIRECTION |= LED;
    LED_OUTPUT ^= LED;
    carillon_say("led", (LED_OUTPUT & LED) != 0u);
}
