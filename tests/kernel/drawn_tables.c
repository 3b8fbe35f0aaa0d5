/* SPDX-License-Identifier: Apache-2.0
 *
 * The constants that the tool writes of schedule tables, as memory that a test draws for each of its programs.  They
 * are constants wherever the kernel's headers are seen, so that these are not seen here. */
#include "drawn_tables.h"

_Alignas(16) unsigned char carillon_osek_counters[DRAWN_BYTES];
_Alignas(16) unsigned char carillon_osek_schedule_tables[DRAWN_BYTES];
_Alignas(16) unsigned char carillon_osek_cursors[DRAWN_BYTES];
_Alignas(16) unsigned char carillon_osek_point_actions[DRAWN_BYTES];

void *drawn_counters(void)
{
    return carillon_osek_counters;
}

void *drawn_tables(void)
{
    return carillon_osek_schedule_tables;
}

void *drawn_cursors(void)
{
    return carillon_osek_cursors;
}

void *drawn_actions(void)
{
    return carillon_osek_point_actions;
}
