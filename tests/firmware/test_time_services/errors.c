/* SPDX-License-Identifier: Apache-2.0 */
/* Every error of delays, alarms and semaphores. */

static void nothing(void)
{
}
static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(nothing);
static struct carillon_semaphore semaphore = CARILLON_SEMAPHORE_UP_TO(0, 2), full = CARILLON_SEMAPHORE(0xFFFF);
THREAD(Main)
{
    carillon_time now = carillon_now();
    report("zero", carillon_delay(0));
    report("negative", carillon_delay((carillon_duration)-5));
    report("long", carillon_delay(CARILLON_LONGEST_DURATION + 1u));
    const volatile carillon_duration none = 0u, minus = (carillon_duration)-5, more = CARILLON_LONGEST_WAIT + 1u;
    report("zero", carillon_delay_until(&now, none));
    report("long", carillon_delay_until(&now, minus));
    report("long", carillon_delay_until(&now, more));
    report("long", carillon_delay_until_next(&now, more, NULL));
    now = carillon_now();
    report("zero", carillon_alarm_start(&alarm, 0, 1));
    report("negative", carillon_alarm_start(&alarm, (carillon_duration)-1, 1));
    report("never", carillon_alarm_start(&alarm, T(1), 0));
    report("stopped", carillon_alarm_stop(&alarm));
    report("stopped", carillon_alarm_change(&alarm, T(5)));
    report("longest", carillon_alarm_start(&alarm, CARILLON_LONGEST_DURATION, 1));
    report("running", carillon_alarm_start(&alarm, T(1), 1));
    report("zero", carillon_alarm_change(&alarm, 0));
    report("fine", carillon_alarm_stop(&alarm));
    report("long", carillon_semaphore_p_within(&semaphore, (carillon_duration)-1));
    report("empty", carillon_semaphore_p_within(&semaphore, 0));
    report("late", carillon_semaphore_p_within(&semaphore, T(3)));
    report("fine", carillon_semaphore_v(&semaphore));
    report("fine", carillon_semaphore_v(&semaphore));
    report("overflow", carillon_semaphore_v(&semaphore));
    report("overflow", carillon_semaphore_v(&full));
    report("fine", carillon_semaphore_p(&semaphore));
    now = carillon_now();
    (void)carillon_delay(T(5));
    report("missed", carillon_delay_until(&now, (carillon_time)T(2)));
    carillon_port_halt();
}
