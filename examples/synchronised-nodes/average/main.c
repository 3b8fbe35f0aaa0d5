/* SPDX-License-Identifier: Apache-2.0
 *
 * Each node tells in each round what it takes the global time for.  So the others know how far they are ahead of it.
 * Two of the nodes may be silent, late or lie: the two highest and the two lowest differences are dropped. */
#include <string.h>

#include "carillon/average.h"
#include "carillon/bus.h"
#include "carillon/osektime.h"

#define ROUND 1000u   /* ticks */
#define UNDER_WAY 20u /* ticks: the bus takes 20 us to 20.5 us */
#define NODES 16u
#define FAULTY 2u

void message_arrived(void);
ttTASK(Send);
ttTASK(Adjust);

static volatile int32_t ahead[NODES]; /* of each node, in ticks */
static volatile bool heard[NODES];    /* since Adjust */

ttTASK(Send)
{
    uint32_t time;
    (void)ttGetGlobalTime(&time);
    (void)carillon_bus_send(&time, sizeof time);
    carillon_bus_report(time);
    carillon_work(10u);
}

void message_arrived(void)
{
    struct carillon_bus_message message;
    while (carillon_bus_receive(&message)) {
        uint32_t own;
        uint32_t sent;
        if ((message.sender < NODES) && !heard[message.sender] && (ttGetGlobalTime(&own) == TT_E_OS_OK)) {
            memcpy(&sent, message.data, sizeof sent);
            const uint32_t since = UNDER_WAY + (carillon_bus_clock() - message.stamp);
            ahead[message.sender] = (int32_t)(own - (sent + since));
            heard[message.sender] = true;
        }
    }
}

ttTASK(Adjust)
{
    int32_t differences[NODES + 1u] = {0}; /* the first is the own one */
    uint32_t count = 1u;
    int32_t average;
    uint32_t time;
    for (uint32_t node = 0u; node < NODES; node++) {
        if (heard[node]) {
            differences[count++] = ahead[node];
        }
    }
    /* Who was not heard is known to be wrong: so many others less are. */
    const uint32_t missing = (carillon_bus_nodes() > count) ? (carillon_bus_nodes() - count) : 0u;
    const uint32_t faulty = (missing < FAULTY) ? (FAULTY - missing) : 0u;
    if (carillon_fault_tolerant_average(differences, count, faulty, &average) &&
        (ttGetGlobalTime(&time) == TT_E_OS_OK)) {
        time -= (uint32_t)average;
        (void)ttSyncTimes(time, time % ROUND); /* a step every 71 minutes, when the time begins anew at 0 */
    }
    for (uint32_t node = 0u; node < NODES; node++) {
        heard[node] = false; /* what came meanwhile as well: it was compared with the time before */
    }
    carillon_work(10u);
}
