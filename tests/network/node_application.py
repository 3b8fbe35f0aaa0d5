# SPDX-License-Identifier: Apache-2.0
"""The application of all nodes of the networks here."""

from __future__ import annotations

SCHEDULE = """
[system]
board = "virtual-256"
[interrupt.bus]
source = "bus"
[task.Send]
period = "1ms"
offset = "100us"
deadline = "900us"
[task.Work]
period = "1ms"
offset = "400us"
"""
APPLICATION = """
#include <stdio.h>
#include "carillon/bus.h"
#include "carillon/osektime.h"
ttTASK(Send);
ttTASK(Work);
void bus(void);
static uint32_t number;
ttTASK(Send)
{
    (void)carillon_bus_send(&number, sizeof number);
    number++;
    carillon_work(30u);
}
ttTASK(Work)
{
    carillon_work(300u);
    carillon_bus_report(carillon_bus_clock());
}
void bus(void)
{
    struct carillon_bus_message message;
    while (carillon_bus_receive(&message)) {
        printf("%u %u %u\\n", message.sender, *(const uint32_t *)(const void *)message.data, message.stamp);
    }
}
"""
