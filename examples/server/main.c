/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands come in a burst, and each takes long.  The thread that carries them out is above the filter, so that a
 * single command is answered at once.  But the server lets it run for 2 ms in 10 ms, so that the filter goes on. */
#include "carillon/console.h"
#include "carillon/time.h"
#include "carillon/work.h"

/* Some hundredths of a millisecond. */
static void work(uint32_t hundredths)
{
    carillon_work(hundredths * (CARILLON_CLOCK_HZ / 100000u));
}

/* The commands: five of them, 3 ms after the start. */
static struct carillon_semaphore commands = CARILLON_SEMAPHORE(0);
static struct carillon_alarm line = CARILLON_ALARM_OF_SEMAPHORE(&commands);

THREAD(Control)
{
    (void)carillon_alarm_start(&line, CARILLON_MILLISECONDS(3), 1u);
    carillon_time next = carillon_now();
    for (;;) {
        work(100u);
        (void)carillon_delay_until(&next, CARILLON_MILLISECONDS(5));
    }
}

THREAD(Commands)
{
    (void)carillon_semaphore_p(&commands);
    for (uint32_t command = 1u; command <= 5u; command++) {
        work(120u);
        carillon_duration left = 0u;
        (void)carillon_server_left(Shell, &left);
        carillon_say("ticks of the budget left", left);
    }
}

THREAD(Filter)
{
    for (;;) {
        work(10u);
    }
}
