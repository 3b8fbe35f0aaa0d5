# SPDX-License-Identifier: Apache-2.0
"""``carillon show``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon.cli import options
from carillon.cli.common import Report
from carillon.cli.network import show_asked
from carillon.cli.runs import Asked

EPILOG = "Example: carillon show examples/three-tasks --compare --html three-tasks.html --svg three-tasks.svg"


def command(
    report: Report,
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
    stimuli: options.Stimuli = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Run and show the timeline in the terminal, as a page, as a picture, or for other viewers."""
    files = {"html": html, "svg": svg, "perfetto": perfetto, "vcd": vcd, "offsets": offsets}
    given = (paths, board, include, kernel, machine, rounds, time, window, out, record, time_limit, files)
    show_asked(Asked(*given, compare=compare, stimuli=stimuli), report, compare=compare or None, vcd=vcd, stimuli=stimuli)
