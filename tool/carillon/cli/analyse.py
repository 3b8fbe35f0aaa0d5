# SPDX-License-Identifier: Apache-2.0
"""``carillon analyse``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carillon.cli import options
from carillon.cli.common import Report, asked

if TYPE_CHECKING:
    from carillon.model.stacks import StackBound
    from carillon.pipeline import Planned
    from carillon.trace.summary import Spread

EPILOG = "Examples: carillon analyse examples/engine; carillon analyse examples/engine --for 1s (beside what a run measures)"


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    machine: options.Machine = "microcode",
    time: Annotated[str | None, typer.Option("--for", help="Run it for this time, and show what was measured beside it.")] = None,
    growth: Annotated[bool, typer.Option("--growth", help="Show by how much each WCET may grow.")] = False,
    out: options.Out = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Bound the response time of each task, thread, ISR and interrupt, with its terms, and the use of each stack."""
    from carillon import console, pipeline
    from carillon.cli.built import stacks_built
    from carillon.show.analysis import analysis_json, render_analysis
    from carillon.show.stacks import render_stacks, rows_of, stacks_json

    report.status("allocating")
    source, carried = asked(paths, include, machine)
    planned = pipeline.plan(source, report.diagnostics, board, time_limit=time_limit, machine=carried, verdicts=False)
    report.status("analysing")
    bounds = pipeline.analyse(planned)
    before = stacks_built(source, board, carried, out, time_limit) if time is None else None
    run = _run(planned, time, out, report) if time is not None else None
    if time is not None and run is None:
        return
    measured = run.responses if run is not None else None
    stacks = before if run is None else rows_of(run.bounds, run.used)
    if planned.system.board.native:  # its stacks are this machine's
        stacks = ()
    report.status("looking for how much each WCET may grow") if growth else None
    grows = pipeline.growths(planned) if growth else None
    report.result(analysis_json(planned.system, bounds, measured, grows) | {"stacks": stacks_json(stacks)})
    if not report.as_json:
        report.warnings()
        render_analysis(console.console(), planned.system, bounds, measured, grows)
        render_stacks(console.console(), stacks)


@dataclass(frozen=True, slots=True)
class _Run:
    """What was run: the bounds of its stacks, the bytes of each that were used at most, and the responses by name."""

    bounds: Sequence[StackBound]
    used: Mapping[str, int]
    responses: Mapping[str, Spread | None]


def _run(planned: Planned, time: str, out: Path | None, report: Report) -> _Run | None:
    """Build and run; None after errors.  A run that breaks a bound is an error, as with ``carillon run``."""
    from carillon import pipeline
    from carillon.cli.runs import built, run_built, run_length
    from carillon.trace.analyse import analyse
    from carillon.trace.bounds import report_broken, report_deep, warn_of_refuted
    from carillon.trace.executions import warn_of_exceeded

    ticks, _ = run_length(planned, None, time)
    firmware = built(planned, "carillon", out, report, stimuli=planned.system.stimuli)
    if firmware is None:
        return None
    trace = run_built(planned, firmware, ticks, 0, report, stimuli=planned.system.stimuli, stacks=True)
    if trace is None:
        return None
    summary = analyse(trace, pipeline.releases(planned.system, trace))
    bounds = pipeline.bounds_of(planned)
    if not warn_of_exceeded(planned.system, trace, summary, report.diagnostics):
        warn_of_refuted(trace, summary, bounds, report.diagnostics)
        report_broken(trace, summary, bounds, report.diagnostics)
    used = dict(trace.stacks_used)
    report_deep(firmware.stacks, used, bounds.places, report.diagnostics)
    return _Run(firmware.stacks, used, {task.lane.name: task.response for task in summary.tasks})
