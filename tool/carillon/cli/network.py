# SPDX-License-Identifier: Apache-2.0
"""``carillon run`` and ``carillon show`` on a network: build its nodes, run them in one virtual time, show all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from carillon import console
from carillon.cli import options
from carillon.cli.common import Report, check_kernel, check_outputs, ticks_of, usage
from carillon.cli.runs import Asked, show_end, show_runs, window_ticks

if TYPE_CHECKING:
    from carillon.model.network import Network
    from carillon.pipeline import Planned
    from carillon.run.network import Built, NetworkRun
    from carillon.show.network import Pictured

LENGTH = "100ms"
"""How long a network runs where nothing is said."""


def show_asked(asked: Asked, report: Report, **unfit: object) -> None:
    """Run and show what the command line names: a network, which ``unfit`` options do not fit, or a schedule."""
    check_kernel(asked.kernel)
    network = _network_of(asked, unfit)
    if network is None:
        show_runs(asked, report)
    else:
        show_network(network, asked, report)


def _network_of(asked: Asked, more: Mapping[str, object]) -> Path | None:
    """The network's file that the command line means; None for a schedule.

    Options that were given and do not fit are refused, of which a command has ``more`` that do not fit a network.
    """
    from carillon.read.network import network_file

    paths = asked.paths
    path = paths[0] if paths else Path()
    network = network_file(path) if not paths or len(paths) == 1 else None
    for_networks: Mapping[str, object] = {"offsets": asked.files["offsets"], "record": asked.record}
    unfit = {"board": asked.board, "include": asked.include, "rounds": asked.rounds, **more}
    for option, value in (for_networks if network is None else unfit).items():
        if value is not None:
            alien = f"is for networks, and '{path}' is none"
            unfitting = "does not fit a network: each node has its own schedule, board and rounds"
            usage(f"--{option} {alien if network is None else unfitting}")
    return network


def show_network(path: Path, asked: Asked, report: Report) -> None:
    """Run a network and show it."""
    from carillon import pipeline
    from carillon.model.network import PICOSECONDS
    from carillon.read.network import read_network
    from carillon.run.network import run_network
    from carillon.show.network import NANOSECONDS, as_json, pictured, render
    from carillon.trace.analyse import analyse
    from carillon.trace.executions import warn_of_exceeded, warn_of_missed
    from carillon.units import format_duration

    check_outputs((path,), False, out=asked.out, **asked.files)
    length = ticks_of(asked.time or LENGTH, PICOSECONDS, "--for")
    part = min(length, ticks_of(asked.record or options.RECORDED, PICOSECONDS, "--record"))
    shown = window_ticks(asked.window, NANOSECONDS, max(1, part * NANOSECONDS // PICOSECONDS))
    network = report.diagnostics.required(read_network(path, report.diagnostics))
    late = max(network.nodes, key=lambda one: one.start)
    if late.start >= length:
        power_up = format_duration(late.start, PICOSECONDS)
        usage(f"--for: node '{late.name}' has no power until {power_up}: run the network for longer")
    planned, built = _build(network, asked, asked.out or path.parent / "build", report)
    report.status(f"running {len(built)} nodes")
    run = run_network(network, built, length, part, report.diagnostics)
    if run is None:
        return
    nodes = list(zip([plan.system for plan in planned], [node.trace for node in run.nodes], strict=True))
    picture = pictured(run, [pipeline.releases(system, trace) for system, trace in nodes])
    _write(picture, shown, asked.written)
    missed = sum(s.totals.deadlines_missed for s in picture.summaries)
    for system, trace in nodes:
        warn_of_missed(system, trace, report.diagnostics)
        missed += warn_of_exceeded(system, trace, analyse(trace, ()), report.diagnostics)
    times = {"length": length / PICOSECONDS, "recorded": part / PICOSECONDS}
    files = [str(written) for written in asked.written.values()]
    report.result({"network": network.name, **times, "nodes": as_json(picture), "files": files})
    if not report.as_json:
        report.warnings()
        render(console.console(), picture, shown)
        for node in run.nodes:
            last = node.begin + node.trace.length - 1
            show_end(f"Node {node.node.name} ended in its tick {last}", node.node.name, node.trace)
        asked.show_written()
    asked.judge(missed, report)


def _build(network: Network, asked: Asked, folder: Path, report: Report) -> tuple[list[Planned], list[Built]]:
    """Plan and build the nodes' images, once for nodes with the same schedule and board."""
    from carillon import pipeline
    from carillon.build.node import build_node
    from carillon.files import alone
    from carillon.run.network import Built

    done: dict[tuple[Path, str | None], tuple[Planned, Built]] = {}
    for node in network.nodes:
        key = node.schedule.resolve(), node.board
        if key in done:
            continue
        report.status(f"building what node {node.name} runs")
        planned = pipeline.plan(node.schedule, report.diagnostics, node.board, asked.kernel, asked.time_limit)
        if not planned.system.board.native:
            cause = f"node '{node.name}' is on board '{planned.system.board.name}', which no network can run"
            remedy = 'a node is a virtual board: write board = "virtual-256", or another one of those, in its [[node]]'
            report.diagnostics.error("C228", node.span, cause, remedy)
            continue
        node_folder = folder / f"network-{node.name}-{asked.kernel}"
        with alone(node_folder):
            built_node = build_node(planned.image, node_folder, report.diagnostics)
        if built_node is not None:
            done[key] = planned, Built(planned.image, *built_node)
    report.diagnostics.stop_on_errors()
    both = [done[node.schedule.resolve(), node.board] for node in network.nodes]
    return [planned for planned, _ in both], [built for _, built in both]


def _write(picture: Pictured, shown: tuple[int, int] | None, files: Mapping[str, Path]) -> None:
    """Write the files that were asked for."""
    from carillon import show
    from carillon.files import replacing
    from carillon.show import offsets
    from carillon.show.network import first_window

    part = shown or first_window(picture)
    for option, path in files.items():
        try:
            if option not in ("events", "offsets"):
                show.write(option, path, picture.panels, part, picture.run.network.name)
                continue
            with replacing(path) as stream:
                if option == "events":
                    stream.writelines(json.dumps(line) + "\n" for line in _events(picture.run))
                else:
                    offsets.write(stream, picture.run)
        except ValueError as error:
            usage(f"--window: {error}")


def _events(run: NetworkRun) -> list[dict[str, object]]:
    """Every event of every node, and every message, by true time in picoseconds."""
    lines: list[tuple[int, dict[str, object]]] = []
    names = [node.node.name for node in run.nodes]
    for node in run.nodes:
        for e in node.trace.events:
            time = node.clock.time_of(node.begin + e.t)
            lines.append((time, {"node": node.node.name, "t": e.t, "event": e.kind.value, "object": e.object}))
    for m in run.messages:
        ends = {"from": names[m.sender], "to": names[m.receiver], "number": m.number // 2}
        lines.append((m.sent, {"node": names[m.sender], "event": "send", **ends}))
        if m.arrival is not None and m.arrival < run.length:
            lines.append((m.arrival, {"node": names[m.receiver], "event": "arrive", **ends}))
    return [{"time": time, **line} for time, line in sorted(lines, key=lambda line: line[0])]
