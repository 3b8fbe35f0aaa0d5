# SPDX-License-Identifier: Apache-2.0
"""What a node sends because of what it has received comes in time, whoever ran ahead; and what comes first at one instant."""

from __future__ import annotations

import heapq
from pathlib import Path

import oracle
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_network import CLOCKS, MS, US, network, oscillator, run

from carillon import pipeline
from carillon.build.node import build_node
from carillon.diagnostics import Diagnostics
from carillon.model.network import Link, Network, Oscillator
from carillon.run.network import Built
from carillon.trace import Kind

HOPS, FIRST, CYCLE = 2, 1000, 1000  # ticks
SCHEDULE = """
[system]
board = "virtual-256"
[osek.isr.Bus]
source = "bus"
[osek.task.Begin]
priority = 2
[osek.task.Relay]
priority = 1
autostart = true
events = ["Came"]
[osek.event.Came]
[osek.counter.Clock]
tick = "1ms"
[osek.alarm.Round]
counter = "Clock"
activate = "Begin"
autostart = { at = 1, cycle = 1 }
"""
APPLICATION = f"""
#include <stdio.h>
#include "os.h"
#include "carillon/bus.h"
DeclareTask(Begin);
DeclareTask(Relay);
DeclareEvent(Came);
TASK(Begin)
{{
    const uint8_t hops = {HOPS}u;
    (void)carillon_bus_send(&hops, 1u);
    TerminateTask();
}}
ISR(Bus)
{{
    (void)SetEvent(Relay, Came);
}}
TASK(Relay)
{{
    for (;;) {{
        struct carillon_bus_message message;
        (void)WaitEvent(Came);
        (void)ClearEvent(Came);
        while (carillon_bus_receive(&message)) {{
            printf("%u %u %u\\n", message.sender, message.data[0], message.stamp);
            if (message.data[0]-- != 0u) {{
                (void)carillon_bus_send(message.data, 1u);
            }}
        }}
    }}
}}
"""


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("relay")
    (folder / "schedule.toml").write_text(SCHEDULE)
    (folder / "main.c").write_text(APPLICATION)
    diagnostics = Diagnostics()
    planned = pipeline.plan(folder / "schedule.toml", diagnostics)
    made = build_node(planned.image, Path(folder / "build"), diagnostics)
    assert made is not None, diagnostics.reported
    return Built(planned.image, *made)


def relayed(net: Network, length: int) -> list[str]:
    """What each node prints; every instant in its order."""
    queue: list[tuple[int, int, int, int, int]] = []  # time, sender (-1: an alarm, which comes first), number, node, hops
    sent = [0] * len(net.nodes)
    clocks = [oscillator(net, k) for k in range(len(net.nodes))]
    for k, clock in enumerate(clocks):
        tick = FIRST
        while (at := clock.time(tick, length)) is not None:
            queue.append((at, -1, 0, k, HOPS + 1))
            tick += CYCLE
    heapq.heapify(queue)
    texts = [""] * len(net.nodes)
    while queue:
        time, sender, _, node, hops = heapq.heappop(queue)
        if time >= length:
            break
        if sender >= 0:
            texts[node] += f"{sender} {hops} {clocks[node].stamp(time)}\n"
        if hops == 0:
            continue
        link, number = net.nodes[node].link, 2 * sent[node]
        sent[node] += 1
        for to, other in enumerate(net.nodes):
            if to != node:
                at = time + link.latency + oracle.drawn(net.seed, oracle.JITTER, node, number, to, link.jitter)
                if at >= other.start:
                    heapq.heappush(queue, (at, node, number, to, hops - 1))
    return texts


LINKS = st.builds(Link, latency=st.integers(1, 400 * US), jitter=st.integers(0, 300 * US))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_relayed_message_is_neither_early_nor_late(relay: Built, data: st.DataObject) -> None:
    links, clocks, starts = (
        data.draw(st.lists(kind, min_size=3, max_size=3)) for kind in (LINKS, CLOCKS, st.integers(0, 900 * US))
    )
    net = network(links, clocks, starts, data.draw(st.integers(0, 2**63 - 1)))
    found = run(net, relay, 4 * MS)
    assert [node.trace.output for node in found.nodes] == relayed(net, 4 * MS)


def test_at_one_instant_the_nodes_own_tick_comes_before_a_message(built: Built) -> None:
    """What is sent at tick 100 arrives with Work's tick 400."""
    net = network([Link(300 * US), Link(300 * US)], [Oscillator(), Oscillator()], [0, 0], 1)
    found = run(net, built, 3 * MS)
    for node in found.nodes:
        at = [(e.kind, e.object) for e in node.trace.events if e.t == 400]
        assert at.index((Kind.START, "Work")) < at.index((Kind.PREEMPT, "Work")) < at.index((Kind.START, "bus"))


def test_messages_of_one_instant_come_by_their_senders_numbers(built: Built) -> None:
    net = network([Link(10 * US)] * 4, [Oscillator()] * 4, [0] * 4, 1)
    found = run(net, built, 2 * MS)
    for k, node in enumerate(found.nodes):
        senders = [line.split()[0] for line in node.trace.output.splitlines()]
        assert senders == [str(other) for _ in range(2) for other in range(4) if other != k]


def test_more_messages_than_wait_are_lost_and_no_others(tmp_path: Path) -> None:
    """While the interrupt is held back for a round, 70 messages come; the device keeps the first 64."""
    (tmp_path / "schedule.toml").write_text(
        '[system]\nboard = "virtual-256"\n[interrupt.bus]\nsource = "bus"\n[task.Send]\nperiod = "10ms"\noffset = "1ms"\n'
    )
    (tmp_path / "main.c").write_text(
        """
#include <stdio.h>
#include "carillon/bus.h"
#include "carillon/osektime.h"
#include "carillon_port.h"
ttTASK(Send);
void bus(void);
ttTASK(Send)
{
    static const uint8_t longer[CARILLON_BUS_LONGEST + 1u];
    if (carillon_bus_node() == 0u) {
        for (uint8_t k = 0; k < 70u; k++) {
            (void)carillon_bus_send(&k, 1u);
            carillon_work(10u);
        }
        printf("%d %d", carillon_bus_send(longer, sizeof longer), carillon_bus_send(longer, sizeof longer - 1u));
    } else {
        const uint32_t saved = carillon_port_lock();
        carillon_work(3000u);
        carillon_port_unlock(saved);
    }
}
void bus(void)
{
    struct carillon_bus_message message;
    while (carillon_bus_receive(&message)) {
        printf("%u/%u ", message.data[0], message.length);
    }
}
"""
    )
    diagnostics = Diagnostics()
    planned = pipeline.plan(tmp_path / "schedule.toml", diagnostics)
    made = build_node(planned.image, tmp_path / "build", diagnostics)
    assert made is not None, diagnostics.reported
    net = network([Link(10 * US)] * 2, [Oscillator()] * 2, [0, 0], 1)
    found = run(net, Built(planned.image, *made), 8 * MS)
    assert found.nodes[0].trace.output == "0 1"
    assert found.nodes[0].sent == 71
    assert found.nodes[1].received == 71
    assert found.nodes[1].trace.output == "".join(f"{k}/1 " for k in range(64))
