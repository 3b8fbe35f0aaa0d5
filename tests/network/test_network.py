# SPDX-License-Identifier: Apache-2.0
"""A network does what its file says, tick for tick: against an oracle that works out every clock and every message."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import oracle
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_application import APPLICATION, SCHEDULE

from carillon.diagnostics import Diagnostics, Span
from carillon.model.network import CHANCE, Link, Network, Node, Oscillator, Wander
from carillon.run.network import Built, NetworkRun, run_network
from carillon.trace import Kind

US = 10**6  # picoseconds
MS = 10**9
HERE = Path(__file__)
ROUND, SEND, WORK = 1000, 100, 400  # ticks of the application in node_application.py


def network(links: list[Link], clocks: list[Oscillator], starts: list[int], seed: int) -> Network:
    nodes = [
        Node(f"n{k}", HERE, None, start, clock, link, Span("network.toml"))
        for k, (link, clock, start) in enumerate(zip(links, clocks, starts, strict=True))
    ]
    return Network("test", seed, tuple(nodes), HERE)


def run(net: Network, built: Built, length: int, recorded: int | None = None) -> NetworkRun:
    diagnostics = Diagnostics()
    found = run_network(net, [built] * len(net.nodes), length, length if recorded is None else recorded, diagnostics)
    assert found is not None, diagnostics.reported
    return found


def oscillator(net: Network, k: int) -> oracle.Oscillator:
    node = net.nodes[k]
    wander = node.oscillator.wander
    steps = None if wander is None else (wander.step, wander.bound, wander.every)
    return oracle.Oscillator(1_000_000, node.start, node.oscillator.errors, steps, net.seed, k)


def expected(net: Network, length: int) -> tuple[list[str], list[tuple[int, int | None, int, int, int]]]:
    """What each node prints, and all messages: sent, arrival, sender, receiver, number."""
    arrivals: list[list[tuple[int, int, int]]] = [[] for _ in net.nodes]
    messages = []
    for k, node in enumerate(net.nodes):
        clock, link, count = oscillator(net, k), node.link, 0
        while (sent := clock.time(SEND + ROUND * count, length)) is not None and sent < length:
            for to, other in enumerate(net.nodes):
                if to == k:
                    continue
                number = 2 * count
                lost = oracle.draw(net.seed, oracle.LOSS, k, number, to) >> 32 < link.loss
                twice = oracle.draw(net.seed, oracle.TWICE, k, number, to) >> 32 < link.duplicate
                if lost:
                    messages.append((sent, None, k, to, number))
                for copy in () if lost else (number, number + 1) if twice else (number,):
                    at = sent + link.latency + oracle.drawn(net.seed, oracle.JITTER, k, copy, to, link.jitter)
                    if oracle.draw(net.seed, oracle.LATE, k, copy, to) >> 32 < link.late:
                        at += oracle.drawn(net.seed, oracle.DELAY, k, copy, to, link.late_by)
                    heard = at >= other.start
                    messages.append((sent, at if heard else None, k, to, copy))
                    if heard and at < length:
                        arrivals[to].append((at, k, copy))
            count += 1
    texts = []
    for to, its in enumerate(arrivals):
        clock = oscillator(net, to)
        texts.append("".join(f"{sender} {copy // 2} {clock.stamp(at)}\n" for at, sender, copy in sorted(its)))
    return texts, messages


LINKS = st.builds(
    Link,
    latency=st.integers(1, 3 * MS),
    jitter=st.sampled_from((0, 5 * US, 2 * MS)),
    loss=st.sampled_from((0, CHANCE // 5, CHANCE)),
    duplicate=st.sampled_from((0, CHANCE // 5, CHANCE)),
    late=st.sampled_from((0, CHANCE // 4)),
    late_by=st.integers(0, 4 * MS),
)
WANDERS = st.none() | st.builds(Wander, step=st.integers(1, 2000), bound=st.integers(2000, 50_000), every=st.integers(MS, 3 * MS))
CLOCKS = st.builds(
    Oscillator,
    errors=st.tuples(
        st.tuples(st.just(0), st.integers(-(10**7), 10**7)),
        st.tuples(st.integers(1, 6 * MS), st.integers(-(10**6), 10**6)),
    ),
    wander=WANDERS,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_every_message_comes_when_the_oracle_says_and_no_activation_is_lost(built: Built, data: st.DataObject) -> None:
    nodes = data.draw(st.integers(1, 4))
    net = network(
        data.draw(st.lists(LINKS, min_size=nodes, max_size=nodes)),
        data.draw(st.lists(CLOCKS, min_size=nodes, max_size=nodes)),
        data.draw(st.lists(st.integers(0, 3 * MS), min_size=nodes, max_size=nodes)),
        data.draw(st.integers(0, 2**63 - 1)),
    )
    length = 8 * MS
    found = run(net, built, length)
    texts, messages = expected(net, length)
    assert [node.trace.output for node in found.nodes] == texts
    assert sorted((m.sent, m.arrival or 0, m.sender, m.receiver, m.number) for m in found.messages) == sorted(
        (sent, at or 0, *rest) for sent, at, *rest in messages
    )
    for k, node in enumerate(found.nodes):
        last = oscillator(net, k).stamp(length)
        assert node.trace.length == last
        for task, at in (("Send", SEND), ("Work", WORK)):
            starts = [e.t for e in node.trace.events if e.kind is Kind.START and e.object == task]
            assert starts == list(range(at, last, ROUND))
        assert node.sent == len(range(SEND, last + 1, ROUND)) or last % ROUND == SEND
        assert [value for _, value in node.reports] == [at + 300 for at in range(WORK, last - 299, ROUND)]


def three(loss: int = 0) -> Network:
    links = [Link(20 * US, 5 * US, loss, CHANCE // 10, CHANCE // 10, 2 * MS) for _ in range(3)]
    clocks = [Oscillator(((0, ppb),), Wander(100, 5000, 2 * MS)) for ppb in (40_000, -90_000, 0)]
    return network(links, clocks, [0, 300 * US, 7 * US], 11)


def outcome(found: NetworkRun, nodes: int) -> list[object]:
    return [(n.trace.events, n.trace.output, n.reports, n.clock) for n in found.nodes[:nodes]]


def test_the_same_seed_gives_the_same_run_and_another_one_another(built: Built) -> None:
    net = three(CHANCE // 10)
    first = run(net, built, 30 * MS)
    again = run(net, built, 30 * MS)
    assert replace(first, passes=0) == replace(again, passes=0)
    assert outcome(run(replace(net, seed=12), built, 30 * MS), 3) != outcome(first, 3)


def test_how_far_nodes_run_ahead_of_each_other_changes_nothing(built: Built) -> None:
    """A fourth node that nobody hears has the least latency there is, so that none may run ahead of another."""
    net = three(CHANCE // 10)
    deaf = Node("deaf", HERE, None, 0, Oscillator(), Link(1, loss=CHANCE), Span("network.toml"))
    strict = run(replace(net, nodes=(*net.nodes, deaf)), built, 30 * MS)
    free = run(net, built, 30 * MS)
    assert outcome(strict, 3) == outcome(free, 3)
    assert strict.switches > free.switches


def test_what_is_not_recorded_happens_all_the_same(built: Built) -> None:
    whole, part = (run(three(), built, 20 * MS, recorded) for recorded in (20 * MS, 5 * MS))
    for one, other in zip(whole.nodes, part.nodes, strict=True):
        assert one.trace.output == other.trace.output
        assert one.clock == other.clock
        since = oracle.Fraction(5 * MS - one.clock.stretches[0].begin, oracle.SECOND)
        assert other.trace.length == (one.clock.offset(5 * MS) + since) * one.clock.hz // 1
        own = [e for e in one.trace.events if e.kind in (Kind.START, Kind.END) and e.t < other.trace.length]
        assert own == [e for e in other.trace.events if e.kind in (Kind.START, Kind.END)]
    assert part.messages == tuple(m for m in whole.messages if m.sent < 5 * MS)


def test_a_node_that_ends_leaves_the_others_alone(tmp_path: Path, built: Built) -> None:
    from carillon import pipeline
    from carillon.build.node import build_node

    (tmp_path / "schedule.toml").write_text(SCHEDULE)
    (tmp_path / "main.c").write_text(APPLICATION.replace("number++;", "if (++number == 3u) { ttShutdownOS(0); }"))
    diagnostics = Diagnostics()
    planned = pipeline.plan(tmp_path / "schedule.toml", diagnostics)
    made = build_node(planned.image, tmp_path / "build", diagnostics)
    assert made is not None
    net = three()
    found = run_network(net, [Built(planned.image, *made), built, built], 10 * MS, 10 * MS, diagnostics)
    assert found is not None
    assert found.nodes[0].trace.stopped == "the system was shut down"
    assert found.nodes[0].sent == 3
    others = run(net, built, 10 * MS)
    for k in (1, 2):
        heard = [line for line in others.nodes[k].trace.output.splitlines() if not (line[0] == "0" and int(line.split()[1]) > 2)]
        assert found.nodes[k].trace.output.splitlines() == heard


@pytest.mark.parametrize("end", ["return 0;", "abort();"])
def test_a_node_that_fails_is_named(tmp_path: Path, built: Built, end: str) -> None:
    from carillon import pipeline
    from carillon.build.node import build_node

    (tmp_path / "schedule.toml").write_text(SCHEDULE)
    main = f"int main(void) {{ if (carillon_bus_nodes() > 2u) {{ {end} }} ttStartOS(ttAppMode_default); }}"
    (tmp_path / "main.c").write_text(f"{APPLICATION}#include <stdlib.h>\n{main}\n")
    diagnostics = Diagnostics()
    planned = pipeline.plan(tmp_path / "schedule.toml", diagnostics)
    made = build_node(planned.image, tmp_path / "build", diagnostics)
    assert made is not None, diagnostics.reported
    assert run_network(three(), [built, Built(planned.image, *made), built], 3 * MS, 3 * MS, diagnostics) is None
    (found,) = diagnostics.reported
    assert found.code == "C095"
    assert "'n1'" in found.cause
