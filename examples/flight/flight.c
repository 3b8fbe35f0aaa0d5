/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tasks and drivers of flight.giotto compute: they hold a helicopter of one kilogram at ten metres.  In place
 * of its GPS and its rotor there is that helicopter.  Each task works a little less long than the program says, so that
 * it ends within its time also when the machine takes some of it. */
#include "giotto.h"

#include "carillon/work.h"

#define NAVIGATION_US 3900u
#define CONTROL_US 7800u

#define GRAVITY 9810 /* mN */
#define HOVERS 10000 /* mm */
#define STEP_MS 10   /* between two readings */

static void take(uint32_t us)
{
    carillon_work((us * (CARILLON_CLOCK_HZ / 1000u)) / 1000u);
}

/* Sensor and actuator. */

static int pushed_by;

void get_gps(position *gps)
{
    static position now;
    now.speed += ((pushed_by - GRAVITY) * STEP_MS) / 1000;
    now.height += (now.speed * STEP_MS) / 1000;
    *gps = now;
}

void put_rotor(const command *rotor)
{
    pushed_by = *rotor;
}

/* The tasks. */

void navigate(const position *seen, position *course)
{
    *course = *seen;
    take(NAVIGATION_US);
}

void control(const position *at, command *last, command *thrust)
{
    const int force = GRAVITY + (3 * (HOVERS - at->height)) - (4 * at->speed);
    const int least = *last - 2000; /* the rotor turns slower by no more */
    *thrust = (force < least) ? least : ((force > (2 * GRAVITY)) ? (2 * GRAVITY) : force);
    *last = *thrust;
    take(CONTROL_US);
}

/* The drivers and their guard. */

bool always(void)
{
    return true;
}

void copy_position(const position *from, position *to)
{
    *to = *from;
}

void copy_command(const command *from, command *to)
{
    *to = *from;
}

/* First values. */

void no_position(position *course)
{
    *course = (position){0, 0};
}

void no_command(command *thrust)
{
    *thrust = 0;
}

/* The number of the last reset.  A product counts its resets in EEPROM or flash: what QEMU emulates keeps nothing. */
uint32_t flight_resets(void)
{
    return 1u;
}
