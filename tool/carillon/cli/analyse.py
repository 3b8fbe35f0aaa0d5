# SPDX-License-Identifier: Apache-2.0
"""``carillon analyse``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from carillon.cli import options
from carillon.cli.common import Report, asked

if TYPE_CHECKING:
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
    """Bound the response time of each task, thread, ISR and interrupt, with the terms that each bound is made of."""
    from carillon import console, pipeline
    from carillon.show.analysis import analysis_json, render_analysis

    report.status("allocating")
    source, carried = asked(paths, include, machine)
    planned = pipeline.plan(source, report.diagnostics, board, time_limit=time_limit, machine=carried, verdicts=False)
    report.status("analysing")
    bounds = pipeline.analyse(planned)
    measured = _measured(planned, time, out, report) if time is not None else None
    if time is not None and measured is None:
        return
    report.status("looking for how much each WCET may grow") if growth else None
    grows = pipeline.growths(planned) if growth else None
    report.result(analysis_json(planned.system, bounds, measured, grows))
    if not report.as_json:
        report.warnings()
        render_analysis(console.console(), planned.system, bounds, measured, grows)


def _measured(planned: Planned, time: str, out: options.Out, report: Report) -> dict[str, Spread | None] | None:
    """The responses of a run, by name; None after errors.  A run that breaks a bound is an error, as with ``carillon run``."""
    from carillon import pipeline
    from carillon.cli.runs import build_and_run, run_length
    from carillon.trace.analyse import analyse
    from carillon.trace.bounds import report_broken, warn_of_refuted
    from carillon.trace.executions import warn_of_exceeded

    ticks, _ = run_length(planned, None, time)
    trace = build_and_run(planned, "carillon", out, ticks, 0, report, stimuli=planned.system.stimuli)
    if trace is None:
        return None
    summary = analyse(trace, pipeline.releases(planned.system, trace))
    if not warn_of_exceeded(planned.system, trace, summary, report.diagnostics):
        bounds = pipeline.bounds_of(planned)
        warn_of_refuted(trace, summary, bounds, report.diagnostics)
        report_broken(trace, summary, bounds, report.diagnostics)
    return {task.lane.name: task.response for task in summary.tasks}
