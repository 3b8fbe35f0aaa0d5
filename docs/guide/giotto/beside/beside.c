/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tasks of beside.giotto compute; each works nearly as long as the program says. */
#include "giotto.h"

#include "carillon/work.h"

static void take(uint32_t us)
{
    carillon_work((us * (CARILLON_CLOCK_HZ / 1000u)) / 1000u);
}

void get_wheel(angle *wheel)
{
    static angle turned;
    turned++;
    *wheel = turned;
}

void control(const angle *seen, angle *target)
{
    *target = -*seen;
    take(3800u);
}

void keep(const angle *seen)
{
    (void)seen;
    take(4800u);
}

bool always(void)
{
    return true;
}

void copy_angle(const angle *from, angle *to)
{
    *to = *from;
}

void zero(angle *to)
{
    *to = 0;
}
