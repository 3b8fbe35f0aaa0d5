/* SPDX-License-Identifier: Apache-2.0
 *
 * The master tells in each round what the global time is.  The others' rounds follow: their tasks start when the
 * master's do.  The master follows itself: it needs no correction, and lets its own rounds begin. */
#include <string.h>

#include "carillon/bus.h"
#include "carillon/osektime.h"

#define MASTER 0u
#define ROUND 1000u  /* ticks */
#define UNDER_WAY 20 /* ticks: the bus takes 20 us to 20.5 us */
#define LATE 2       /* ticks: a message that is so much later than others says nothing */

struct now {
    uint32_t global_time;
    uint32_t schedule_time;
};

void message_arrived(void);
ttTASK(Send);
ttTASK(Control);

static volatile uint32_t newest;  /* the master's time that was heard last */
static volatile uint32_t misfits; /* messages that were late, one after the other */

ttTASK(Send)
{
    struct now now;
    if ((carillon_bus_node() == MASTER) && (ttGetGlobalTime(&now.global_time) == TT_E_OS_OK) &&
        (ttGetScheduleTime(&now.schedule_time) == TT_E_OS_OK)) {
        (void)carillon_bus_send(&now, sizeof now);
    }
    carillon_work(10u);
}

static void follow(const struct carillon_bus_message *message)
{
    struct now now;
    uint32_t own;
    memcpy(&now, message->data, sizeof now);
    const uint32_t since = UNDER_WAY + (carillon_bus_clock() - message->stamp);
    if ((newest != 0u) && ((int32_t)(now.global_time - newest) <= 0)) {
        return; /* a double, or one that was overtaken */
    }
    (void)ttGetGlobalTime(&own);
    const int32_t late = (int32_t)(own - (now.global_time + since));
    if ((newest != 0u) && (late >= LATE) && (misfits < 8u)) {
        misfits++; /* unless it happens again and again: then it is the own time that is wrong */
        return;
    }
    misfits = 0u;
    newest = now.global_time;
    (void)ttSyncTimes(now.global_time + since, (now.schedule_time + since) % ROUND);
}

void message_arrived(void)
{
    struct carillon_bus_message message;
    while (carillon_bus_receive(&message)) {
        if (message.sender == MASTER) {
            follow(&message);
        }
    }
}

ttTASK(Control)
{
    uint32_t time;
    (void)ttGetGlobalTime(&time);
    carillon_bus_report(time);
    carillon_work(200u);
}

void ttIdleTask(void)
{
    if (carillon_bus_node() == MASTER) {
        (void)ttSyncTimes(0u, 0u);
    }
    for (;;) {
        carillon_work(1000000u);
    }
}
