/* SPDX-License-Identifier: Apache-2.0
 *
 * The control loops only work.  In the fifth round, the third task prints the ring, as a debugger would read it. */
#include "carillon/console.h"
#include "carillon/osektime.h"
#include "carillon/work.h"
#include "pins.h"

#define US(time) ((time) * (CARILLON_CLOCK_HZ / 1000000u))

extern uint32_t carillon_trace_ring[64];
volatile uint32_t pins[3];

void current(void)
{
    carillon_work(US(100u));
}

void speed(void)
{
    carillon_work(US(600u));
}

void report(void)
{
    static uint32_t rounds;
    rounds++;
    for (uint32_t k = 0u; (rounds == 5u) && (k < 64u); k++) {
        carillon_say("word", carillon_trace_ring[k]);
    }
}
