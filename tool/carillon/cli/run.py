# SPDX-License-Identifier: Apache-2.0
"""``carillon run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon.cli.common import (
    TIME_LIMIT,
    BoardOption,
    IncludeOption,
    JsonOption,
    KernelOption,
    MachineOption,
    OutOption,
    Schedule,
    TimeLimitOption,
    check_kernel,
)
from carillon.cli.network import OffsetsOption, RecordOption, network_of, show_network
from carillon.cli.runs import ForOption, RoundsOption, WindowOption, show_runs

EPILOG = "Example: carillon run examples/engine --board ast1030-evb --for 1s --events engine.jsonl"


def command(
    paths: Schedule = None,
    board: BoardOption = None,
    include: IncludeOption = None,
    kernel: KernelOption = "carillon",
    machine: MachineOption = "microcode",
    rounds: RoundsOption = None,
    time: ForOption = None,
    events: Annotated[
        Path | None, typer.Option("--events", help="Write every event to this file, one JSON object a line.")
    ] = None,
    window: WindowOption = None,
    out: OutOption = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the timeline as a page of its own.")] = None,
    serial: Annotated[
        Path | None, typer.Option("--serial", help="Make this socket the UART of the board, and wait for who connects; in QEMU.")
    ] = None,
    offsets: OffsetsOption = None,
    record: RecordOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 3 if a deadline was missed, or a WCET exceeded.")] = False,
    time_limit: TimeLimitOption = TIME_LIMIT,
    as_json: JsonOption = False,
) -> None:
    """Build, run on a board, and show what happened: the timeline and a summary of every task; of a network, of all nodes."""
    check_kernel(kernel)
    network = network_of(
        paths,
        unfit={"board": board, "include": include, "rounds": rounds, "serial": serial},
        own={"offsets": offsets, "record": record},
    )
    if network is not None:
        files = {"events": events, "html": html, "offsets": offsets}
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
        machine=machine,
        include=include,
        strict=strict,
        serial=serial,
        events=events,
        html=html,
    )
