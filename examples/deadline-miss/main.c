/* SPDX-License-Identifier: Apache-2.0
 *
 * Every fourth job of Filter overruns; the error hook counts. */
#include "carillon/osektime.h"

#define MICROSECONDS(us) ((us) * (CARILLON_CLOCK_HZ / 1000u) / 1000u)

ttTASK(Filter);
ttTASK(Sample);

volatile unsigned jobs, misses;

ttTASK(Filter)
{
    jobs++;
    carillon_work(jobs % 4u == 0u ? MICROSECONDS(450u) : MICROSECONDS(180u));
}

ttTASK(Sample)
{
    carillon_work(MICROSECONDS(40u));
}

void ttErrorHook(ttStatusType error)
{
    if (error == TT_E_OS_DEADLINE) {
        misses++;
    }
}
