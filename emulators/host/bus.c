/* SPDX-License-Identifier: Apache-2.0
 *
 * The device of a virtual board that sends and receives messages: kernel/api/carillon/bus.h says what it promises. */
#include <string.h>

#include "carillon_config.h"
#include "emulators/host/network.h"
#ifdef CARILLON_BUS_SOURCE
#include "carillon/bus.h"
#endif

const struct network *carillon_network;
void *carillon_node;
uint32_t carillon_node_number;

#ifdef CARILLON_BUS_SOURCE
_Static_assert(CARILLON_BUS_LONGEST == NETWORK_LONGEST, "both sides of the bus agree");

static struct carillon_bus_message waiting[CARILLON_BUS_WAITING];
static uint32_t first;
static uint32_t count;

static void keep(const struct network_message *message, uint64_t tick)
{
    if (count < CARILLON_BUS_WAITING) {
        struct carillon_bus_message *const place = &waiting[(first + count) % CARILLON_BUS_WAITING];
        place->stamp = (uint32_t)tick;
        place->sender = message->sender;
        place->length = message->length;
        (void)memcpy(place->data, message->data, message->length);
        count++;
    }
}

uint32_t carillon_bus_node(void)
{
    return carillon_node_number;
}

uint32_t carillon_bus_nodes(void)
{
    return (carillon_network == NULL) ? 1u : carillon_network->nodes;
}

bool carillon_bus_send(const void *data, uint32_t length)
{
    if (length > CARILLON_BUS_LONGEST) {
        return false;
    }
    if (carillon_network != NULL) {
        carillon_network->send(carillon_node, data, length);
    }
    return true;
}

bool carillon_bus_receive(struct carillon_bus_message *message)
{
    if (count == 0u) {
        return false;
    }
    *message = waiting[first];
    first = (first + 1u) % CARILLON_BUS_WAITING;
    count--;
    return true;
}

uint32_t carillon_bus_clock(void)
{
    return (uint32_t)carillon_host_ticks();
}

void carillon_bus_report(uint64_t time)
{
    if (carillon_network != NULL) {
        carillon_network->report(carillon_node, time);
    }
}
#else
static void keep(const struct network_message *message, uint64_t tick)
{
    (void)message; /* a board without the device hears nothing */
    (void)tick;
}
#endif

enum network_event carillon_node_pass(uint64_t *tick)
{
    const struct network_message *message = NULL;
    const enum network_event event = carillon_network->pass(carillon_node, tick, &message);
    if (event == NETWORK_MESSAGE) {
        keep(message, *tick);
    }
    return event;
}
