/* SPDX-License-Identifier: Apache-2.0
 *
 * Each round a node tells the others what its clock shows.  From what the master says it works out the master's time:
 * the stamp of a message is what the own clock showed when it arrived, and the message was under way for some
 * microseconds. The rounds themselves go by the node's own oscillator: nothing sets it. */
#include <string.h>

#include "carillon/bus.h"
#include "carillon/osektime.h"

#define MASTER 0u
#define LATE 10       /* ticks: a message that is so much later than it should be says nothing */
#define UNDER_WAY 21u /* ticks: the bus takes 20 us to 22 us */

struct hello {
    uint32_t clock;
    uint32_t round;
};

void message_arrived(void);
ttTASK(Send);
ttTASK(Control);

static volatile uint32_t ahead;  /* the master's clock, less the own */
static volatile uint32_t heard;  /* messages of others */
static volatile uint32_t newest; /* round of the master's that was heard; 0: none yet */
static uint32_t rounds;

ttTASK(Send)
{
    const struct hello hello = {carillon_bus_clock(), ++rounds};
    (void)carillon_bus_send(&hello, sizeof hello);
    carillon_work(10u);
}

void message_arrived(void)
{
    struct carillon_bus_message message;
    while (carillon_bus_receive(&message)) {
        struct hello hello;
        memcpy(&hello, message.data, sizeof hello);
        heard++;
        if (message.sender == MASTER && hello.round > newest) { /* neither a double nor one that was overtaken */
            const uint32_t now = hello.clock + UNDER_WAY - message.stamp;
            /* Nor late; one that says that the master is further ahead was only faster than others. */
            if (newest == 0u || (int32_t)(now - ahead) > -LATE) {
                newest = hello.round;
                ahead = now;
            }
        }
    }
    carillon_work(2u);
}

ttTASK(Control)
{
    carillon_work(200u + 10u * carillon_bus_node());
    if (newest != 0u || carillon_bus_node() == MASTER) {
        carillon_bus_report((uint64_t)(carillon_bus_clock() + ahead));
    }
}
