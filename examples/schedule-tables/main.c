/* SPDX-License-Identifier: Apache-2.0
 *
 * Two schedule tables: one is gone through once, and the other follows it when a task says so. */
#include "os.h"

#include "carillon/console.h"

static volatile uint32_t speed; /* of the fan, in percent */

static TickType now(void)
{
    TickType value = 0;
    (void)GetCounterValue(Time, &value);
    return value;
}

/* The first point of both tables. */
TASK(Fan)
{
    speed = (speed < 100u) ? (speed + 25u) : 100u;
    carillon_say("fan", speed);
    TerminateTask();
}

/* The spark, and 4 ms later a look for the flame: if it burns, Burn begins when Light has ended. */
TASK(Ignition)
{
    static uint32_t sparks;
    sparks++;
    if (sparks == 1u) {
        carillon_say("spark", now());
    } else {
        carillon_say("flame", now());
        (void)NextScheduleTable(Light, Burn);
    }
    TerminateTask();
}

TASK(Control)
{
    static uint32_t turns;
    turns++;
    carillon_say("control", now());
    if (turns == 3u) {
        (void)StopScheduleTable(Burn);
        carillon_say("out", turns);
    }
    TerminateTask();
}

TASK(Report)
{
    for (;;) {
        (void)WaitEvent(Turn);
        (void)ClearEvent(Turn);
        carillon_say("report", now());
    }
}
