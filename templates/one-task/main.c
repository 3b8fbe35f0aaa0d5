/* SPDX-License-Identifier: Apache-2.0
 *
 * {{name}}: one periodic task.  schedule.toml says when it runs; a timer starts it. */
#include "carillon/osektime.h"

/* Microseconds in ticks of the board's clock. */
#define US(n) ((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * (n) / 1000000u))

ttTASK(control);

static volatile int32_t position, effort;

/* Hold the position at 1000.  carillon_work takes the time of a real controller's computation: put yours here. */
ttTASK(control)
{
    position += effort / 16;
    effort = (1000 - position) * 2;
    carillon_work(US(150));
}

/* A deadline was missed.  carillon_missed_task() says whose it was.  The system shuts down after this. */
void ttErrorHook(ttStatusType error)
{
    (void)error;
}
