# SPDX-License-Identifier: Apache-2.0
"""``carillon run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon.cli import options
from carillon.cli.common import Report
from carillon.cli.network import show_asked
from carillon.cli.runs import Asked

EPILOG = "Example: carillon run examples/engine --board ast1030-evb --for 1s --events engine.jsonl"


def command(
    report: Report,
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
    perfetto: options.Perfetto = None,
    btf: options.Btf = None,
    ctf: options.Ctf = None,
    serial: Annotated[
        Path | None,
        typer.Option(
            "--serial", help="Make this socket the UART of the board, wait for who connects, and keep to real time; in QEMU."
        ),
    ] = None,
    stream: Annotated[
        Path | None,
        typer.Option("--stream", help="Write what [trace] sends to a file or a FIFO: of a UART in QEMU, of SWO in rigless."),
    ] = None,
    elf: Annotated[
        Path | None, typer.Option("--elf", help="Run this image, which another build made with the library, instead of building.")
    ] = None,
    offsets: options.Offsets = None,
    record: options.Record = None,
    stimuli: options.Stimuli = None,
    wait_states: options.WaitStates = 0,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 3 if a deadline was missed, an activation lost, a budget used up, or a WCET exceeded.",
        ),
    ] = False,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Build, run on a board, and show what happened: the timeline and a summary of every task; of a network, of all nodes."""
    files = {"events": events, "html": html, "perfetto": perfetto, "btf": btf, "ctf": ctf, "offsets": offsets, "stream": stream}
    given = (paths, board, include, kernel, machine, rounds, time, window, out, record, time_limit, files, strict, serial)
    asked = Asked(*given, elf=elf, stimuli=stimuli, wait_states=wait_states)
    show_asked(asked, report, serial=serial, stream=stream, elf=elf, stimuli=stimuli, **{"wait-states": wait_states or None})
