/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread has to be in time every 10 ms.  Three alarms look after things that are not urgent: each may be up to 4 ms
 * late.  So the clock serves most of them together, with the interrupt of one of them or of the thread. */
#include "carillon/time.h"
#include "carillon/work.h"

static void blink(void)
{
    carillon_work(100u);
}
static void look_at_keys(void)
{
    carillon_work(200u);
}
static void measure_battery(void)
{
    carillon_work(300u);
}
static struct carillon_alarm blinking = CARILLON_ALARM_OF_FUNCTION(blink);
static struct carillon_alarm keys = CARILLON_ALARM_OF_FUNCTION(look_at_keys);
static struct carillon_alarm battery = CARILLON_ALARM_OF_FUNCTION(measure_battery);

THREAD(Control)
{
    const carillon_duration slack = CARILLON_MILLISECONDS(4);
    (void)carillon_alarm_set_slack(&blinking, slack);
    (void)carillon_alarm_set_slack(&keys, slack);
    (void)carillon_alarm_set_slack(&battery, slack);
    (void)carillon_alarm_start(&blinking, CARILLON_MILLISECONDS(7), CARILLON_INFINITE);
    (void)carillon_alarm_start(&keys, CARILLON_MILLISECONDS(12), CARILLON_INFINITE);
    (void)carillon_alarm_start(&battery, CARILLON_MILLISECONDS(17), CARILLON_INFINITE);
    carillon_time next = carillon_now();
    for (;;) {
        carillon_work(5000u);
        (void)carillon_delay_until(&next, CARILLON_MILLISECONDS(10));
    }
}
