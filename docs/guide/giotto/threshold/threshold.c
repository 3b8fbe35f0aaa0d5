/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tasks of threshold.giotto compute.  The tank becomes hotter by a degree at each fifth reading. */
#include "giotto.h"

#include "carillon/work.h"
#include "carillon_port.h"

static void take(uint32_t us)
{
    carillon_work((us * (CARILLON_CLOCK_HZ / 1000u)) / 1000u);
}

void get_temperature(int *temperature)
{
    static int readings;
    readings++;
    *temperature = 20 + (readings / 5);
}

void controlled(const int *seen, int *valve)
{
    *valve = *seen % 4;
    take(1500u);
}

bool is_third(const int *valve)
{
    return *valve > 0;
}

void cooled(const int *seen)
{
    (void)seen;
    take(1600u);
}

void noted(void)
{
    take(500u);
}

void told(void)
{
    take(500u);
}

bool always(void)
{
    return true;
}

void copy_int(const int *from, int *to)
{
    *to = *from;
}

void zero(int *to)
{
    *to = 0;
}
