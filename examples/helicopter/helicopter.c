/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tasks and drivers of helicopter.giotto compute, and a helicopter to fly: a mass of one kilogram, in place of
 * the sensor and the rotor.  Lengths are in millimetres, forces in millinewtons. */
#include "giotto.h"

#include "carillon/console.h"

#define GRAVITY 9810
#define STEP_MS 10 /* between two readings of the height */
#define TOP 10000  /* of the flight */

/* The helicopter. */

static int is_at, rises_by, pushed_by; /* mm, mm/s, mN */

void put_rotor(const int *force)
{
    pushed_by = *force;
}

/* The height is read every ten milliseconds, and the helicopter has moved on for so long. */
void get_height(int *height)
{
    static unsigned readings;
    rises_by += ((pushed_by - GRAVITY) * STEP_MS) / 1000;
    is_at += (rises_by * STEP_MS) / 1000;
    if (is_at <= 0) { /* on the ground */
        is_at = 0;
        rises_by = (rises_by < 0) ? 0 : rises_by;
    }
    *height = is_at;
    if ((readings++ % 10u) == 0u) {
        carillon_say("altitude", (uint32_t)is_at);
    }
}

/* The tasks. */

void estimate(const int *measured, int *position, int *speed, int *last)
{
    *position = *measured;
    *speed = ((*measured - *last) * 1000) / STEP_MS;
    *last = *measured;
}

void control(const int *wanted, const int *at, const int *rises, int *thrust)
{
    const int force = GRAVITY + (3 * (*wanted - *at)) - (4 * *rises);
    *thrust = (force < 0) ? 0 : ((force > (2 * GRAVITY)) ? (2 * GRAVITY) : force);
}

void climb(const int *before, int *course, int *flown, int *time)
{
    *course = (*before < TOP) ? (*before + 200) : TOP; /* 2 m/s */
    *time += 100;
    *flown = *time;
}

void descend(const int *before, int *course)
{
    const int by = (*before > 2000) ? 150 : 50; /* 1.5 m/s, then 0.5 m/s */
    *course = (*before > by) ? (*before - by) : -100;
}

/* The drivers and their guards. */

bool always(void)
{
    return true;
}

bool has_hovered(const int *flown)
{
    return *flown >= 10000;
}

void nothing(void)
{
}

void copy_int(const int *from, int *to)
{
    *to = *from;
}

void copy_state(const int *course, const int *position, const int *speed, int *wanted, int *at, int *rises)
{
    *wanted = *course;
    *at = *position;
    *rises = *speed;
}

/* First values. */

void on_the_ground(int *length)
{
    *length = 0;
}

void at_rest(int *speed)
{
    *speed = 0;
}

void no_thrust(int *force)
{
    *force = 0;
}

void no_time(int *time)
{
    *time = 0;
}
