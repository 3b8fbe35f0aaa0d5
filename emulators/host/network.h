/* SPDX-License-Identifier: Apache-2.0
 *
 * Between a node and the network that it is in: emulators/network loads the nodes and lets them run, each on a stack of
 * its own. */
#ifndef CARILLON_NETWORK_H
#define CARILLON_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#define NETWORK_LONGEST 64u

/* Why time stopped: the tick has come, a message has arrived before it, or the run is over. */
enum network_event { NETWORK_TICK, NETWORK_MESSAGE, NETWORK_END };

struct network_message {
    uint16_t sender;
    uint16_t length;
    uint8_t data[NETWORK_LONGEST];
};

/* What a node asks of its network; `node` is what carillon_node_run was given. */
struct network {
    uint32_t nodes;
    /* Let time pass to the node's tick *tick, or to that of what comes before; *tick is when that was.  A message is
     * valid until the next call. */
    enum network_event (*pass)(void *node, uint64_t *tick, const struct network_message **message);
    void (*send)(void *node, const void *data, uint32_t length);
    void (*report)(void *node, uint64_t time);
    void (*finish)(void *node, int status); /* does not return */
};

/* Of a node: run the application.  Its records go to the file `trace`, those before the tick `until`. */
void carillon_node_run(const struct network *network, void *node, uint32_t number, const char *trace, uint64_t until);

/* bus.c: whether the node is in a network, and its number there; and what controller.c asks of it. */
extern const struct network *carillon_network;
extern void *carillon_node;
extern uint32_t carillon_node_number;
enum network_event carillon_node_pass(uint64_t *tick);

/* controller.c: ticks since power-up. */
uint64_t carillon_host_ticks(void);

#endif
