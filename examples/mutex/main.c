/* SPDX-License-Identifier: Apache-2.0
 *
 * Log writes to a device: it locks the bus, and waits until the device has answered.  Control wants the bus meanwhile.
 * When the device answers, Log goes on before Filter, which works for long and does not use the bus. */
#include "carillon/console.h"
#include "carillon/time.h"
#include "carillon/work.h"

/* Some hundredths of a millisecond. */
static void work(uint32_t hundredths)
{
    carillon_work(hundredths * (CARILLON_CLOCK_HZ / 100000u));
}

/* The device: it answers 0.8 ms after it has been asked. */
static struct carillon_semaphore answered = CARILLON_SEMAPHORE(0);
static struct carillon_alarm device = CARILLON_ALARM_OF_SEMAPHORE(&answered);

THREAD(Log)
{
    (void)carillon_mutex_lock(Bus);
    work(20u);
    (void)carillon_alarm_start(&device, CARILLON_MICROSECONDS(800), 1u);
    (void)carillon_semaphore_p(&answered);
    work(20u);
    (void)carillon_mutex_unlock(Bus);
    work(20u);
}

THREAD(Filter)
{
    (void)carillon_delay(CARILLON_MICROSECONDS(500));
    work(300u);
}

THREAD(Control)
{
    (void)carillon_delay(CARILLON_MICROSECONDS(400));
    if (carillon_mutex_lock_within(Bus, CARILLON_MICROSECONDS(200)) != E_OK) {
        carillon_say("no bus after ticks", (uint32_t)CARILLON_MICROSECONDS(200));
    }
    (void)carillon_mutex_lock(Bus);
    work(10u);
    (void)carillon_mutex_unlock(Bus);
}
