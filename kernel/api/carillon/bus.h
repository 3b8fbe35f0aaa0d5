/* SPDX-License-Identifier: Apache-2.0
 *
 * The message bus between virtual boards, which `carillon run network.toml` runs in one virtual time.  A message goes
 * to every other node, like a frame of CAN.  It may be lost, late, sent twice or overtaken by others: the network's
 * file says how often.  An application that runs alone sends to nobody and receives nothing.
 *
 * The board calls the source of the device `bus`: an interrupt or an ISR of the schedule that has this source is
 * requested for every message that arrives.  It takes all messages that wait, until carillon_bus_receive returns false.
 */
#ifndef CARILLON_BUS_H
#define CARILLON_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"

#ifndef CARILLON_BUS_SOURCE
#error "this board has no message bus: its file defines no CARILLON_BUS_SOURCE, as that of virtual-256 does"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the longest message, and how many messages wait in the device at most: those that come then are lost. */
#define CARILLON_BUS_LONGEST 64u
#define CARILLON_BUS_WAITING 64u

/* `stamp`: the local clock, as carillon_bus_clock has it, when the message arrived: the device took it.  `sender`: the
 * node that sent it.  `length`: bytes of `data`. */
struct carillon_bus_message {
    uint32_t stamp;
    uint16_t sender;
    uint16_t length;
    uint8_t data[CARILLON_BUS_LONGEST];
};

/* The number of this node, from 0, in the order of the network's file.
 *
 * Returns: the number; alone 0.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
uint32_t carillon_bus_node(void);

/* How many nodes there are in the network.
 *
 * Returns: the number; alone 1.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
uint32_t carillon_bus_nodes(void);

/* Send a message to all other nodes.
 *
 * data: the message; it is copied.
 * length: bytes of the message, at most CARILLON_BUS_LONGEST.
 * Returns: whether it was sent; false if it is too long.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
bool carillon_bus_send(const void *data, uint32_t length);

/* Take the message that waits longest.
 *
 * message: where it is put; it stays as it is if none waits.
 * Returns: whether one waited.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
bool carillon_bus_receive(struct carillon_bus_message *message);

/* Read the local clock, which the device stamps messages with.  It has the error of the node's oscillator, and nothing
 * ever sets it.
 *
 * Returns: ticks of the schedule's clock since this node's power-up, modulo 2^32.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
uint32_t carillon_bus_clock(void);

/* Tell the simulation what this node takes the network's time for, now.  The picture of the clocks' offsets shows it.
 * Alone, nothing happens.
 *
 * time: ticks of the schedule's clock.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
void carillon_bus_report(uint64_t time);

#ifdef __cplusplus
}
#endif

#endif
