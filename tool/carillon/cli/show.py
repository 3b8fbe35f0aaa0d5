# SPDX-License-Identifier: Apache-2.0
"""``carillon show``."""

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

EPILOG = "Example: carillon show examples/three-tasks --compare --html three-tasks.html --svg three-tasks.svg"


def command(
    paths: Schedule = None,
    board: BoardOption = None,
    include: IncludeOption = None,
    kernel: KernelOption = "carillon",
    machine: MachineOption = "microcode",
    compare: Annotated[bool, typer.Option("--compare", help="Run both kernels and show one above the other.")] = False,
    rounds: RoundsOption = None,
    time: ForOption = None,
    window: WindowOption = None,
    out: OutOption = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with a timeline to zoom into.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Write a picture.")] = None,
    perfetto: Annotated[Path | None, typer.Option("--perfetto", help="Write a trace for the Perfetto viewer.")] = None,
    vcd: Annotated[Path | None, typer.Option("--vcd", help="Write a VCD file for a waveform viewer.")] = None,
    offsets: OffsetsOption = None,
    record: RecordOption = None,
    time_limit: TimeLimitOption = TIME_LIMIT,
    as_json: JsonOption = False,
) -> None:
    """Run and show the timeline in the terminal, as a page, as a picture, or for other viewers."""
    check_kernel(kernel)
    unfit = {"board": board, "include": include, "rounds": rounds, "compare": compare or None, "vcd": vcd}
    network = network_of(paths, unfit=unfit, own={"offsets": offsets, "record": record})
    if network is not None:
        files = {"html": html, "svg": svg, "perfetto": perfetto, "offsets": offsets}
        show_network(network, time, record, window, out, as_json, time_limit, files, kernel=kernel)
        return
    kernels = ("carillon", "conventional") if compare else (kernel,)
    show_runs(
        paths,
        board,
        kernels,
        rounds,
        time,
        window,
        out,
        as_json,
        time_limit,
        machine=machine,
        include=include,
        html=html,
        svg=svg,
        perfetto=perfetto,
        vcd=vcd,
    )
