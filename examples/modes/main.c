/* SPDX-License-Identifier: Apache-2.0
 *
 * Startup, drive, limp home, drive, ...: Supervisor changes the mode after every third round. */
#include "carillon/osektime.h"

#define MICROSECONDS(us) ((us) * (CARILLON_CLOCK_HZ / 1000u) / 1000u)

ttTASK(Supervisor);
ttTASK(SelfTest);
ttTASK(Control);
ttTASK(Limp);

static unsigned rounds;

ttTASK(Supervisor)
{
    carillon_work(MICROSECONDS(40u));
    if (++rounds % 3u == 0u) {
        const ttAppModeType mode = ttGetActiveApplicationMode();
        (void)ttSwitchAppMode(mode == ttAppMode_drive ? ttAppMode_limp_home : ttAppMode_drive);
    }
}

ttTASK(SelfTest)
{
    carillon_work(MICROSECONDS(250u));
}

ttTASK(Control)
{
    carillon_work(MICROSECONDS(80u));
}

ttTASK(Limp)
{
    carillon_work(MICROSECONDS(120u));
}
