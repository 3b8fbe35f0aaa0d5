# SPDX-License-Identifier: Apache-2.0
"""One application for all nodes of all networks here, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from carillon import pipeline
from carillon.build.node import build_node
from carillon.diagnostics import Diagnostics
from carillon.run.network import Built

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


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("network")
    (folder / "schedule.toml").write_text(SCHEDULE)
    (folder / "main.c").write_text(APPLICATION)
    diagnostics = Diagnostics()
    planned = pipeline.plan(folder / "schedule.toml", diagnostics)
    made = build_node(planned.image, Path(folder / "build"), diagnostics)
    assert made is not None, diagnostics.found
    return Built(planned.image, *made)
