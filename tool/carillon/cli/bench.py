# SPDX-License-Identifier: Apache-2.0
"""``carillon bench``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carillon import console
from carillon.cli import options
from carillon.cli.common import Report, check_kernel, check_outputs, schedule_file, usage
from carillon.sources import GIOTTO, files_of

if TYPE_CHECKING:
    from carillon.bench import Row
    from carillon.trace import Trace

EPILOG = "Example: carillon bench examples/three-tasks --for 100ms"


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    kernel: Annotated[
        list[str] | None,
        typer.Option(
            "--kernel",
            "-k",
            help="carillon, conventional or counter-per-task; several times.",
            show_default="carillon and conventional",
        ),
    ] = None,
    rounds: options.Rounds = None,
    time: options.For = None,
    out: options.Out = None,
    stimuli: options.Stimuli = None,
    wait_states: options.WaitStates = 0,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Build and run an application on each kernel: starts, jitter, the kernel's instructions, flash and RAM side by side."""
    from carillon import pipeline
    from carillon.bench import KERNELS, render, rows_of
    from carillon.cli.runs import built, run_built, run_length, stimuli_of
    from carillon.run.hardware import Hardware
    from carillon.trace.analyse import analyse

    source = schedule_file(paths, include)
    if isinstance(source, Path) and source.suffix.lower() == GIOTTO:
        usage(f"'{source}' is a Giotto program, which no conventional kernel carries out")
    check_outputs(files_of(source), out=out)
    hardware = Hardware(wait_states)
    rows: list[Row] = []
    traces: list[Trace] = []
    clock: int | None = None
    for name in dict.fromkeys(map(check_kernel, kernel or KERNELS)):
        report.status(f"allocating for the {name} kernel")
        planned = pipeline.plan(source, report.diagnostics, board, name, time_limit, clock)
        clock = planned.system.clock_hz  # of all that are compared
        ticks, count = run_length(planned, rounds, time)
        happens = stimuli_of(planned.system, stimuli, report)
        firmware = built(planned, name, out and out / name, report, stimuli=happens, hardware=hardware)
        if firmware is None:
            return
        trace = run_built(planned, firmware, ticks, count, report, stimuli=happens, hardware=hardware)
        if trace is None:
            return
        summary = analyse(trace, pipeline.releases(planned.system, trace))
        rows += rows_of(name, summary, firmware, trace.unit if trace.instructions_per_tick else "")
        traces.append(trace)
    first = traces[0]
    runs = [{"kernel": t.kernel, "length": t.length, "stopped": t.stopped} for t in traces]
    told = {"application": first.application, "board": first.board, "clock_hz": clock, "runs": runs}
    report.result(told | {"rows": [row.as_json() for row in rows]})
    if not report.as_json:
        report.warnings()
        render(console.console(), first.application, first.board, rows)
        for trace in traces:
            if trace.stopped:
                console.console().print(f"The {trace.kernel} kernel's run ended in tick {trace.length - 1}: {trace.stopped}.")
