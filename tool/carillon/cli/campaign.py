# SPDX-License-Identifier: Apache-2.0
"""``carillon campaign``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carillon.cli import options
from carillon.cli.common import Report, build_folder, check_outputs, counted, schedule_file, ticks_of, usage
from carillon.diagnostics import suggestion
from carillon.sources import files_of

if TYPE_CHECKING:
    from carillon.pipeline import Planned
    from carillon.run.campaign import Plan, Row
    from carillon.run.injection import FaultKind

EPILOG = (
    "Examples: carillon campaign examples/engine --board virtual-256 --runs 100000; "
    "carillon campaign examples/engine --board virtual-256 --only 1234; "
    "carillon campaign my-app --board arduino-mega --kinds late,lost --for 2s --recovery 100ms --workers 8"
)
ROUNDS = 3
"""So many rounds a run has at least, the last of which is for the recovery."""


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    machine: options.Machine = "microcode",
    runs: Annotated[int, typer.Option("--runs", min=1, help="How many runs the campaign has, with those that were done.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="What the faults are drawn from.")] = 1,
    kinds: Annotated[str | None, typer.Option("--kinds", help="Kinds of faults, such as late,lost.", show_default="all")] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes.", show_default="as the machine has processors")
    ] = None,
    dask: Annotated[str | None, typer.Option("--dask", help="Address of a Dask scheduler, whose workers do the runs.")] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", "-n", min=2, help="Rounds that a run takes.", show_default=str(ROUNDS))
    ] = None,
    time: options.For = None,
    recovery: Annotated[
        str | None,
        typer.Option("--recovery", help="After this time all must be as without the fault.", show_default="a round"),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option("--results", help="File of results, to which runs are added.", show_default="campaign.jsonl, build folder"),
    ] = None,
    only: Annotated[int | None, typer.Option("--only", min=0, help="Repeat this run alone; the file stays as it is.")] = None,
    out: options.Out = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Run on a virtual board or an AVR many times, each with one fault: which are tolerated, detected, lost, or let it hang."""
    from carillon import pipeline
    from carillon.cli.common import check_machine
    from carillon.cli.runs import built
    from carillon.run.campaign import header, planned
    from carillon.show.campaign import campaign_json, render_campaign

    chosen = _kinds(kinds)
    if dask is not None and workers is not None:
        usage("give either --workers or --dask")
    source = schedule_file(paths, include)
    check_outputs(files_of(source), out=out, results=results)
    report.status("allocating")
    found = pipeline.plan(source, report.diagnostics, board, time_limit=time_limit, machine=check_machine(machine, source))
    run = found.system.board.run
    if run is None or run.kind not in ("native", "simavr"):
        cause = f"nothing injects faults on board '{found.system.board.name}': it is neither a virtual one nor an AVR in simavr"
        report.refuse("C361", cause, "choose such a board: --board virtual-256, say; 'carillon boards' lists them")
    ticks, back = _lengths(found, rounds, time, recovery)
    firmware = built(found, "carillon", out, report)
    if firmware is None:
        return
    report.status("running without fault")
    both = planned(found.image, firmware, ticks, back, seed, report.diagnostics)
    if both is None:
        return
    plan, expiries = both
    plan = replace(plan, kinds=_possible(chosen, plan.kinds, report))
    head = header(plan, found.system.digest, found.system.board.name)
    path = results or build_folder(found, "carillon", out) / "campaign.jsonl"
    rows = _do(plan, head, path, runs, only, workers or os.cpu_count() or 1, dask, report)
    if rows is None:
        return
    result = campaign_json(head, rows)
    report.result(result | {"expiries_without_fault": expiries, "rows": [r.as_json() for r in rows] if only is not None else []})
    report.show(lambda to: render_campaign(to, result, found.system.clock_hz))
    if only is not None:
        report.say(*(", ".join(f"{key} {value}" for key, value in row.as_json().items()) for row in rows))
    else:
        report.say("", f"results: {path}")


def _kinds(text: str | None) -> list[FaultKind] | None:
    """The kinds that are asked for; None: all."""
    from carillon.run.injection import FaultKind

    if text is None:
        return None
    names = [kind.value for kind in FaultKind]
    asked = [name.strip() for name in text.split(",")]
    for name in asked:
        if name not in names:
            usage(f"--kinds: no kind '{name}': {suggestion(name, names)}")
    return [kind for kind in FaultKind if kind.value in asked]


def _possible(chosen: list[FaultKind] | None, possible: Sequence[FaultKind], report: Report) -> tuple[FaultKind, ...]:
    """The kinds that the campaign has: one that is asked for by name and has nothing to hit is refused (C361)."""
    from carillon.run.injection import FaultKind

    for kind in FaultKind:
        if kind not in possible and (chosen is None or kind in chosen):
            cause = f"'{kind.value}' has nothing to hit: the firmware has no such thing"
            if chosen is not None:
                report.refuse("C361", cause, f"leave it out of --kinds; possible are {', '.join(k.value for k in possible)}")
            report.diagnostics.warning("C361", None, cause, "the campaign goes on without it")
    return tuple(kind for kind in possible if chosen is None or kind in chosen)


def _lengths(found: Planned, rounds: int | None, time: str | None, recovery: str | None) -> tuple[int, int]:
    """The ticks of a run, and those of the recovery at its end."""
    from carillon.cli.runs import run_length

    one, _ = run_length(found, None, None)
    one = max((mode.round_length for mode in found.system.modes), default=one)
    if rounds is not None or time is not None:
        ticks, _ = run_length(found, rounds, time)
    else:
        ticks = ROUNDS * one
    back = one if recovery is None else ticks_of(recovery, found.system.clock_hz, "--recovery")
    if back >= ticks:
        usage("the run is no longer than the recovery: give a longer --for, or a shorter --recovery")
    return ticks, back


def _do(
    plan: Plan, head: dict[str, object], path: Path, runs: int, only: int | None, count: int, dask: str | None, report: Report
) -> list[Row] | None:
    """Do the runs that the file lacks, and return all; None after errors."""
    from carillon.run.campaign import opened, results, workers
    from carillon.run.campaign import runs as do_runs
    from carillon.run.judging import UnrepeatableError

    try:
        if only is not None:
            return do_runs(plan, [only])
        with opened(path, head, report.diagnostics) as file:
            if file is None:
                return None
            if file.dropped:
                report.diagnostics.warning("C360", None, f"the last line of '{path}' was half-written", "its run is done again")
            done = {row.run for row in file.rows}
            left = [number for number in range(runs) if number not in done]
            if left:
                with workers(count, dask, report.diagnostics) as pool:
                    if pool is None:
                        return None
                    for rows in results(plan, left, *pool):
                        file.add(rows)
                        _progress(report, len(file.rows), len(done) + len(left))
            return [row for row in file.rows if row.run < runs]
    except BrokenExecutor:
        report.refuse("C361", "a worker has been killed", "give the command again: the campaign goes on where it was")
    except UnrepeatableError as error:
        cause = f"run {error} differs from the run without fault before its fault"
        report.refuse("C361", cause, "let the application depend on nothing but its inputs: no time or chance of the host")


def _progress(report: Report, done: int, of: int) -> None:
    """On standard error, for a person at a terminal."""
    if not report.as_json and sys.stderr.isatty():
        sys.stderr.write(f"\r{done:,} of {counted(of, 'run')}" + ("\n" if done == of else ""))
        sys.stderr.flush()
