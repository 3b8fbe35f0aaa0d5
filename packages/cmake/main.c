/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers start Control and Report, as the schedule says. */
#include "carillon/console.h"
#include "carillon/osektime.h"

static volatile uint32_t controls;

ttTASK(Control)
{
    controls++;
}

ttTASK(Report)
{
    carillon_say("controls", controls);
}
