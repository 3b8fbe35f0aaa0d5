/* SPDX-License-Identifier: Apache-2.0
 *
 * The three loops: the same file in the project and in an image of `carillon build`. */
#include "carillon/osektime.h"

/* Microseconds in ticks of the board's clock. */
#define US(n) ((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * (n) / 1000000u))

ttTASK(current);
ttTASK(speed);
ttTASK(position);

static volatile int32_t wanted_speed, wanted_current;
static volatile int32_t angle, velocity, amperes;

ttTASK(current)
{
    amperes += (wanted_current - amperes) / 4;
    velocity += amperes / 64;
    angle += velocity / 256;
    carillon_work(US(8));
}

ttTASK(speed)
{
    wanted_current = (wanted_speed - velocity) / 2;
    carillon_work(US(40));
}

ttTASK(position)
{
    wanted_speed = (1000 * 256 - angle) / 8;
    carillon_work(US(150));
}
