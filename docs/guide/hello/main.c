/* SPDX-License-Identifier: Apache-2.0
 *
 * A task that prints a line. */
#include "carillon/console.h"
#include "carillon/osektime.h"

ttTASK(Hello)
{
    static uint32_t greetings;
    greetings++;
    carillon_say("hello", greetings);
}
