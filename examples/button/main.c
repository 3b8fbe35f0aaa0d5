/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts presses of a button.  The LED of the board, at D13, is on while the button is down. */
#include <avr/io.h>
#include <stdbool.h>
#include <stdint.h>

#include "carillon/console.h"
#include "carillon/osektime.h"

ttTASK(Debounce);
void Edge(void);

#define BUTTON 0x04u /* of port D */
#define LED 0x20u    /* of port B */

static volatile uint16_t edges;
static uint16_t presses;
static bool was_high;
static bool down;

void Edge(void)
{
    edges++;
}

ttTASK(Debounce)
{
    const bool high = (PIND & BUTTON) != 0u;
    if (high == was_high && high != down) {
        down = high;
        DDRB |= LED;
        if (down) {
            PORTB |= LED;
            presses++;
            carillon_say("presses", presses);
            carillon_say("edges", edges);
        } else {
            PORTB &= (uint8_t)~LED;
        }
    }
    was_high = high;
}
