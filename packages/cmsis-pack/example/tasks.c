/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of schedule.toml.  When main has set up what it needs, it calls ttStartOS(ttOS_DEFAULTAPPMODE). */
#include "carillon/osektime.h"

volatile uint32_t controls, reported;

ttTASK(Control)
{
    controls++;
}

ttTASK(Report)
{
    reported = controls;
}
