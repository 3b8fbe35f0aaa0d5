/* SPDX-License-Identifier: Apache-2.0
 *
 * A servo drive; carillon_work stands for the computation. */
#include "carillon/osektime.h"

#define US(n) ((n) * (CARILLON_CLOCK_HZ / 1000u) / 1000u)

ttTASK(current_loop);
ttTASK(position_loop);
ttTASK(report);

ttTASK(current_loop)
{
    carillon_work(US(32u));
}

ttTASK(position_loop)
{
    carillon_work(US(144u));
}

ttTASK(report)
{
    carillon_work(US(1600u));
}
