/* SPDX-License-Identifier: Apache-2.0
 *
 * {{name}}: current, speed and position of a motor.  schedule.toml says when each loop runs; the timers start them.
 *
 * Each loop is a proportional controller of a motor that is simulated in integers.  Put your own in its place: read the
 * converter where `current` begins, and set the duty cycle where it ends. */
#include "carillon/osektime.h"

/* Microseconds in ticks of the board's clock. */
#define US(n) ((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * (n) / 1000000u))

ttTASK(current);
ttTASK(speed);
ttTASK(position);

/* Each is written by one loop, and read by the loop inside it. */
static volatile int32_t wanted_speed, wanted_current;
/* The motor, in 1/256 of its units. */
static volatile int32_t angle, velocity, amperes;

/* The innermost loop.  carillon_work takes the time of a real controller's computation. */
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

/* Hold the angle at 1000. */
ttTASK(position)
{
    wanted_speed = (1000 * 256 - angle) / 8;
    carillon_work(US(150));
}

/* A deadline was missed.  carillon_missed_task() says whose it was.  The system shuts down after this. */
void ttErrorHook(ttStatusType error)
{
    (void)error;
}
