# SPDX-License-Identifier: Apache-2.0
"""How far apart the rounds of a network's nodes are: the metric ``sync_offset``, in ticks.

Measured are the true times at which nodes report (``carillon_bus_report``) from a task of the round: each node's task reports at
the same place of the global round.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.papers.made import BENCH
from carillon import pipeline
from carillon.build.node import build_node
from carillon.diagnostics import Diagnostics
from carillon.model.network import PICOSECONDS
from carillon.read.network import read_network
from carillon.run.network import Built, NetworkRun, run_network

EXAMPLE = "examples/synchronised-nodes/network.toml"
SETTLED = 21
"""Rounds after which the nodes of the example have started."""


def offsets(run: NetworkRun, settled: int, among: Collection[str] | None = None) -> list[float]:
    """By how many ticks the first and the last node are apart, in each round that begins after ``settled`` picoseconds.

    ``among``: the names of the nodes that count; all, if it is None.  Each report of the first of them is compared with the
    others' nearest reports.
    """
    nodes = [n for n in run.nodes if among is None or n.node.name in among]
    times = [[time for time, _ in node.reports] for node in nodes]
    offsets = []
    for time in times[0]:
        if time < settled or any(not node_times or node_times[-1] < time for node_times in times):
            continue
        near = [time]
        for node_times in times[1:]:
            k = bisect_left(node_times, time)
            near.append(min(node_times[max(0, k - 1) : k + 1], key=lambda t: abs(t - time)))
        offsets.append((max(near) - min(near)) * nodes[0].clock.hz / PICOSECONDS)
    return offsets


def sync_offset(rounds: int) -> list[float]:
    """The same of the example's nodes, once they have started.

    Raises CarillonError if the network cannot be built or run.
    """
    diagnostics = Diagnostics()
    network = diagnostics.required(read_network(BENCH.parent / EXAMPLE, diagnostics))
    with TemporaryDirectory(prefix="carillon-") as scratch:
        built: dict[Path, Built] = {}
        for node in network.nodes:
            if node.schedule not in built:
                planned = pipeline.plan(node.schedule, diagnostics, node.board)
                made = diagnostics.required(build_node(planned.image, Path(scratch) / str(len(built)), diagnostics))
                built[node.schedule] = Built(planned.image, *made)
        length = (rounds + SETTLED + 1) * PICOSECONDS // 1000
        nodes = [built[node.schedule] for node in network.nodes]
        run = diagnostics.required(run_network(network, nodes, length, 0, diagnostics))
        return offsets(run, SETTLED * PICOSECONDS // 1000)
