# SPDX-License-Identifier: Apache-2.0
"""``carillon show``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon.cli import options
from carillon.cli.common import check_kernel
from carillon.cli.network import network_of, show_network
from carillon.cli.runs import show_runs

EPILOG = "Example: carillon show examples/three-tasks --compare --html three-tasks.html --svg three-tasks.svg"


def command(
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    kernel: options.Kernel = "carillon",
    machine: options.Machine = "microcode",
    compare: Annotated[bool, typer.Option("--compare", help="Run both kernels and show one above the other.")] = False,
    rounds: options.Rounds = None,
    time: options.For = None,
    window: options.Window = None,
    out: options.Out = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with a timeline to zoom into.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Write a picture.")] = None,
    perfetto: Annotated[Path | None, typer.Option("--perfetto", help="Write a trace for the Perfetto viewer.")] = None,
    vcd: Annotated[Path | None, typer.Option("--vcd", help="Write a VCD file for a waveform viewer.")] = None,
    offsets: options.Offsets = None,
    record: options.Record = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
    as_json: options.Json = False,
) -> None:
    """Run and show the timeline in the terminal, as a page, as a picture, or for other viewers."""
    check_kernel(kernel)
    unfit = {"board": board, "include": include, "rounds": rounds, "compare": compare or None, "vcd": vcd}
    network = network_of(paths, unfit=unfit, own={"offsets": offsets, "record": record})
    files = {"html": html, "svg": svg, "perfetto": perfetto, "vcd": vcd}
    if network is not None:
        files["offsets"] = offsets
        show_network(network, time, record, window, out, as_json, time_limit, files, kernel=kernel)
        return
    kernels = ("carillon", "conventional") if compare else (kernel,)
    show_runs(paths, board, kernels, rounds, time, window, out, as_json, time_limit, files, machine=machine, include=include)
