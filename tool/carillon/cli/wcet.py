# SPDX-License-Identifier: Apache-2.0
"""``carillon wcet``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carillon.cli import options
from carillon.cli.common import Report, check_outputs, schedule_file, usage
from carillon.cli.settings import write_settings
from carillon.diagnostics import Diagnostics
from carillon.sources import ARXML, GIOTTO, files_of, is_foreign

if TYPE_CHECKING:
    from carillon.pipeline import Planned
    from carillon.sources import Source
    from carillon.trace.longest import Longest

EPILOG = (
    "Examples: carillon wcet examples/engine --for 1s; carillon wcet examples/engine --for 1s --margin 50% --write "
    "(writes a wcet of each task that has none or a refuted one)"
)
MOST_MARGIN = 10
"""The largest margin, as a part of what was seen."""


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    rounds: options.Rounds = None,
    time: options.For = None,
    margin: Annotated[str, typer.Option("--margin", help="How much longer a written WCET is than what was seen.")] = "20%",
    write: Annotated[
        bool,
        typer.Option("--write", help="Write the WCETs into the schedule, of all that have none or one that the run refutes."),
    ] = False,
    stimuli: options.Stimuli = None,
    wait_states: options.WaitStates = 0,
    out: options.Out = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Measure the longest execution of each task, thread, ISR and interrupt in a run; a longer one may exist."""
    from carillon import pipeline
    from carillon.cli.runs import build_and_run, run_length, stimuli_of
    from carillon.run.hardware import Hardware
    from carillon.show.longest import longest_json, render_longest, with_margin
    from carillon.trace.analyse import analyse
    from carillon.trace.executions import warn_of_fault, warn_of_lost
    from carillon.trace.longest import longest

    source, part = schedule_file(paths, include), margin_of(margin)
    files = files_of(source)
    if files[0].suffix.lower() == GIOTTO:
        usage("a Giotto program says the WCETs of its tasks in annotations; carillon run says which of them are too short")
    check_outputs((*files, *(() if stimuli is None else (stimuli,))), out=out)
    foreign = is_foreign(source)
    if write and not foreign:
        check_outputs(write=files[0])
    before = files[0].read_bytes() if write and not foreign and files[0].is_file() else b""
    report.status("allocating")
    planned = pipeline.plan(source, report.diagnostics, board, time_limit=time_limit)
    ticks, count = run_length(planned, rounds, time)
    happens = stimuli_of(planned.system, stimuli, report)
    trace = build_and_run(planned, "carillon", out, ticks, count, report, stimuli=happens, hardware=Hardware(wait_states))
    if trace is None:
        return
    summary = analyse(trace, pipeline.releases(planned.system, trace))
    warn_of_lost(planned.system, summary, trace, report.diagnostics)
    warn_of_fault(planned.system, summary, trace, report.diagnostics)
    items = longest(planned.system, trace, summary)
    texts = with_margin(items, part, planned.system.clock_hz, _other_clock(source, planned) if board is not None else None)
    written = None
    if write and texts:
        written = _write(files[0], before, items, texts, foreign, report)
    report.result(longest_json(planned.system, trace, items, part, texts, None if written is None else str(written)))
    report.show(lambda to: render_longest(to, planned.system, trace, items, part, texts))
    if written is not None:
        chosen = [item for item in items if item.name in texts]
        report.say(f"wrote {written}:", *(f'  {item.kind} {item.name}: wcet = "{texts[item.name]}"' for item in chosen))
        report.say("carillon check says whether the schedule holds with that.")
    elif write and not texts:
        lacking = any(item.ticks is not None and (item.declared is None or item.exceeds) for item in items)
        why = "of what lacks a wcet, or has one that is too short, the run shows parts of jobs alone"
        report.say(f"Nothing was written: {why if lacking else 'all that ran have a wcet that the run does not refute'}.")
    elif not write and texts:
        report.say("Nothing was written; --write writes the last column into the schedule.")


def margin_of(text: str) -> Fraction:
    """A margin such as ``20%``, as a part."""
    match = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*%\s*", text, re.ASCII)
    if match is None:
        usage(f"--margin '{text}': write a part of what was seen, such as 20%")
    part = Fraction(match[1]) / 100
    if part > MOST_MARGIN:
        usage(f"--margin '{text}' is more than {MOST_MARGIN * 100}%")
    return part


def _other_clock(source: Source, planned: Planned) -> int | None:
    """The clock of the schedule's own board, if that is another one."""
    from carillon.frontends import read_schedule

    own = read_schedule(source, Diagnostics())
    return own.clock_hz if own is not None and own.clock_hz != planned.system.clock_hz else None


def _write(
    path: Path, before: bytes, items: Sequence[Longest], texts: Mapping[str, str], foreign: bool, report: Report
) -> Path | None:
    """Write what is wanted into a schedule, all or nothing; None after an error (C350), which says what to write by hand."""
    chosen = [item for item in items if item.name in texts]
    key = ("CarillonWcet" if path.suffix.lower() == ARXML else "CARILLON_WCET") if foreign else "wcet"
    by_hand = ", ".join(f'{key} = "{texts[item.name]}" of {item.kind} {item.name}' for item in chosen)
    if foreign:
        cause = f"carillon wcet writes into schedules (TOML), and '{path}' is none"
        report.diagnostics.error("C350", None, cause, f"write by hand: {by_hand}")
        return None
    return write_settings(path, before, {item.path: {"wcet": texts[item.name]} for item in chosen}, by_hand, report)
