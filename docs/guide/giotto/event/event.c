/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tasks of event.giotto compute.  In place of a door, every fifth run of `drive` requests its interrupt. */
#include "giotto.h"

#include "carillon/work.h"
#include "carillon_port.h"

static count opened_by;

static void take(uint32_t us)
{
    carillon_work((us * (CARILLON_CLOCK_HZ / 1000u)) / 1000u);
}

void get_door(count *door)
{
    *door = opened_by;
}

void move(const count *seen, count *position)
{
    static uint32_t runs;
    *position = *seen;
    take(1500u);
    runs++;
    if ((runs % 5u) == 0u) {
        opened_by++;
        carillon_port_pend(16u); /* the number of soft0 in the board file */
    }
    take(2000u);
}

void opened(const count *seen)
{
    (void)seen;
    take(1800u);
}

bool always(void)
{
    return true;
}

void copy_count(const count *from, count *to)
{
    *to = *from;
}

void zero(count *to)
{
    *to = 0;
}
