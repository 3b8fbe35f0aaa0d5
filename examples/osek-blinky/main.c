/* SPDX-License-Identifier: Apache-2.0
 *
 * An LED, here a variable, changes every 10 ms. */
#include "os.h"

#include "carillon/console.h"

DeclareTask(Blink);

static volatile uint8_t led;

TASK(Blink)
{
    led ^= 1u;
    carillon_say("led", led);
    TerminateTask();
}
