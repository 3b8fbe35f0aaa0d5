# SPDX-License-Identifier: Apache-2.0
"""``carillon run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon.cli import options
from carillon.cli.common import check_kernel
from carillon.cli.network import network_of, show_network
from carillon.cli.runs import show_runs

EPILOG = "Example: carillon run examples/engine --board ast1030-evb --for 1s --events engine.jsonl"


def command(
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    kernel: options.Kernel = "carillon",
    machine: options.Machine = "microcode",
    rounds: options.Rounds = None,
    time: options.For = None,
    events: Annotated[
        Path | None, typer.Option("--events", help="Write every event to this file, one JSON object a line.")
    ] = None,
    window: options.Window = None,
    out: options.Out = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the timeline as a page of its own.")] = None,
    serial: Annotated[
        Path | None, typer.Option("--serial", help="Make this socket the UART of the board, and wait for who connects; in QEMU.")
    ] = None,
    offsets: options.Offsets = None,
    record: options.Record = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 3 if a deadline was missed, or a WCET exceeded.")] = False,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
    as_json: options.Json = False,
) -> None:
    """Build, run on a board, and show what happened: the timeline and a summary of every task; of a network, of all nodes."""
    check_kernel(kernel)
    network = network_of(
        paths,
        unfit={"board": board, "include": include, "rounds": rounds, "serial": serial},
        own={"offsets": offsets, "record": record},
    )
    files = {"events": events, "html": html}
    if network is not None:
        files["offsets"] = offsets
        show_network(network, time, record, window, out, as_json, time_limit, files, kernel=kernel, strict=strict)
        return
    show_runs(
        paths,
        board,
        (kernel,),
        rounds,
        time,
        window,
        out,
        as_json,
        time_limit,
        files,
        machine=machine,
        include=include,
        strict=strict,
        serial=serial,
    )
