# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Schedule = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Schedule or OIL file, ARXML files, or a folder with a schedule.toml or ARXML files.", show_default="./schedule.toml"
    ),
]
Include = Annotated[
    list[Path] | None, typer.Option("--include", "-I", help="Folder of files that an OIL file includes; several times.")
]
Board = Annotated[str | None, typer.Option("--board", "-b", help="Board, instead of the schedule's: a name or a board.toml.")]
Kernel = Annotated[str, typer.Option("--kernel", "-k", help="carillon, or for comparison: conventional, counter-per-task.")]
TimeLimit = Annotated[
    float,
    typer.Option(
        "--time-limit", help="What the allocation may cost for each mode: the work of a processor in so many seconds.", min=0.1
    ),
]
TIME_LIMIT = 20.0
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Machine = Annotated[
    str,
    typer.Option(
        "--machine",
        help="What carries out a Giotto program: microcode, ticks: that with a tick, or cells without an interpreter.",
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Build folder.", show_default="build/BOARD-KERNEL beside the schedule")
]

# Of runs
Rounds = Annotated[int | None, typer.Option("--rounds", "-n", min=1, help="Dispatcher rounds to run.", show_default="1")]
For = Annotated[str | None, typer.Option("--for", help="Time to run instead, such as 20ms or '5000 ticks'.")]
Window = Annotated[str | None, typer.Option("--window", help="Part of the timeline to show: FROM..TO, such as 0ms..20ms.")]
Perfetto = Annotated[Path | None, typer.Option("--perfetto", help="Write a trace for the Perfetto viewer, ui.perfetto.dev.")]
Btf = Annotated[Path | None, typer.Option("--btf", help="Write a trace in the Best Trace Format (AMALTHEA, APP4MC).")]
Ctf = Annotated[Path | None, typer.Option("--ctf", help="Write a folder with a trace in the Common Trace Format (babeltrace).")]

Stimuli = Annotated[
    Path | None,
    typer.Option("--stimuli", help="What happens to pins and inputs: a TOML or CSV file, instead of the schedule's [stimuli]."),
]
WaitStates = Annotated[
    int, typer.Option("--wait-states", min=0, max=2, help="Wait states of the memory, on a board that is simulated in RTL.")
]

# Of runs of networks
RECORDED = "1s"
"""How much of a run is recorded at most, where nothing is said."""
Offsets = Annotated[Path | None, typer.Option("--offsets", help="Of a network: write a picture of how far its clocks are apart.")]
Record = Annotated[
    str | None,
    typer.Option("--record", help="Of a network: how much of the run is recorded, such as 20ms.", show_default=RECORDED),
]
