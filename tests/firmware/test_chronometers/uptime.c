/* SPDX-License-Identifier: Apache-2.0 */
/* The time in 64 bits, while that of 16 begins anew.  The test defines WORK. */

#include "carillon/time.h"
static uint64_t last;
static uint32_t back, wrong, called;
static void look(void)
{
    SuspendOSInterrupts();
    const carillon_time before = carillon_now();
    const uint64_t now = carillon_uptime();
    const carillon_time after = carillon_now();
    if (now < last) {
        back++;
    }
    if ((carillon_time)((carillon_time)now - before) > (carillon_time)(after - before)) {
        wrong++;
    }
    last = now;
    ResumeOSInterrupts();
}
static void beat(void)
{
    look();
    called++;
}
static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(beat);
THREAD(Main)
{
    const uint64_t begin = carillon_uptime();
    (void)carillon_alarm_start(&alarm, 7001u, CARILLON_INFINITE);
    for (uint32_t k = 0u; k < 12u; k++) {
        (void)carillon_delay(30000u);
        look();
    }
    (void)carillon_alarm_stop(&alarm);
    look();
    report("back", back);
    report("wrong", wrong);
    report("called", called);
    report("passed", (uint32_t)(last - begin));
    /* Nothing waits: the clock has to follow the counter by itself. */
    carillon_work(WORK);
    const uint64_t before = last;
    look();
    report("wrong", wrong);
    report("more", (uint32_t)(last - before));
    carillon_port_halt();
}
