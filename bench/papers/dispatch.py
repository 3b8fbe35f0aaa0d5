# SPDX-License-Identifier: Apache-2.0
"""The time-triggered kernel, on ``ast1030-evb``: what dispatch, termination and deadlines cost."""

from __future__ import annotations

from pathlib import Path

from bench.papers.latency import data_lines, latencies, on_avr
from bench.papers.made import BENCH, Application, made, scratch
from bench.papers.rows import BOARD, Progress, Row, board, row, runs_of
from bench.papers.shortest import minimal_period
from carillon.diagnostics import Diagnostics
from carillon.pipeline import Planned
from carillon.trace.summary import Summary
from carillon.trace.timeline import HandlerKind

KERNELS = ("carillon", "conventional")

TABLE_I = (
    ("dispatch", "Plain"),
    ("dispatch_deadline_1", "One"),
    ("dispatch_deadline_2", "Two"),
    ("terminate", "Plain"),
    ("terminate_deadline_1", "One"),
    ("terminate_deadline_2", "Two"),
)
"""Metrics of table I of the paper, and the task of ``bench/dispatch`` in which each is measured."""


def built(name: str, kernel: str, folder: Path, diagnostics: Diagnostics, on: str | None = "") -> Application:
    """An application of ``bench``, built in a folder."""
    return made(BENCH / name / "schedule.toml", folder / f"{name}-{kernel}", diagnostics, board() if on == "" else on, kernel)


def overheads(summary: Summary, kernel: str) -> list[Row]:
    """The rows of table I, from a run of ``bench/dispatch``."""
    return [
        row(metric, kernel, board(), "instructions", runs_of(summary, task, metric.partition("_")[0])) for metric, task in TABLE_I
    ]


def dispatch(rounds: int, diagnostics: Diagnostics, progress: Progress) -> list[Row]:
    """Table I of the paper on ``ast1030-evb``: dispatch, termination, deadlines, jitter, drift, footprint.

    Besides, on ``mps2-an385``, the dispatch of tasks that have one interrupt source together.  In cycles, what a start and an
    end take in all, and the shortest period of a task, too.

    ``rounds`` (at least 1000 for published figures) is the number of samples of the dispatch figures; jitter and
    drift are taken over ten times as many.
    """
    rows: list[Row] = []
    with scratch() as folder:
        for kernel in KERNELS:
            progress(f"dispatch, {kernel} kernel: {rounds} rounds")
            application = built("dispatch", kernel, folder, diagnostics)
            summary = application.analysed(rounds)
            table = overheads(summary, kernel)
            multiplexed = row("dispatch_multiplexed", kernel, board(), "instructions", runs_of(summary, "Many", "dispatch"))
            rows += [*table[:3], multiplexed, *table[3:]]
            rows.append(_met(summary, kernel, rounds, application.planned))
            taken = [
                h.end.n - h.begin.n for h in summary.handlers if h.end is not None and h.met and h.kind is HandlerKind.DEADLINE
            ]
            rows += [row("met_deadline_interrupt", kernel, board(), "instructions", taken[:rounds])] if taken else []
            if board() == BOARD:  # on the other, each deadline has a cell
                progress(f"deadlines that share a cell, {kernel} kernel")
                sharing = built("shared-deadlines", kernel, folder, diagnostics).analysed(max(1, rounds // 2))
                for what in ("dispatch", "terminate"):
                    samples = runs_of(sharing, "Task", what)
                    rows.append(row(f"{what}_shared_deadlines", kernel, board(), "instructions", samples))
            else:
                progress(f"from the request to the task, and from its end to what goes on, {kernel} kernel")
                rows += [*latencies(kernel, rounds, folder, diagnostics), data_lines(kernel, folder, diagnostics)]
                rows.append(minimal_period(kernel, rounds, folder, diagnostics, progress))
                rows += on_avr(kernel, rounds, folder, diagnostics)
            progress(f"lowered, {kernel} kernel")
            lowered = built("lowered", kernel, folder, diagnostics).analysed(max(1, rounds // 16 + 1))
            rows.append(row("dispatch_lowered", kernel, board(), "instructions", _lowered(lowered, "dispatch")))
            rows.append(row("terminate_lowered", kernel, board(), "instructions", _lowered(lowered, "terminate")))
            progress(f"jitter and drift, {kernel} kernel: {10 * rounds} rounds")
            long = application.analysed(10 * rounds)
            rows.append(row("release_jitter", kernel, board(), "ticks", [t.jitter for t in long.tasks if t.jitter is not None]))
            rows.append(row("drift", kernel, board(), "ticks", [t.drift for t in long.tasks if t.drift is not None]))
            firmware = built("minimal", kernel, folder, diagnostics).firmware
            rows.append(row("flash", kernel, board(), "bytes", [firmware.flash]))
            rows.append(row("ram", kernel, board(), "bytes", [firmware.ram]))
        if board() != BOARD:
            return rows
        progress(f"one source for several tasks: {rounds} rounds")
        application = built("shared", "carillon", folder, diagnostics, None)
        where, shared = application.planned.system.board.name, application.analysed(rounds)
        for k, task in enumerate(_gathered(application.planned)):
            samples = runs_of(shared, task, "dispatch")
            rows.append(row(f"dispatch_shared_{k + 1}", "carillon", where, "instructions", samples, 12 + 5 * k))
    return rows


def _gathered(planned: Planned) -> list[str]:
    """The tasks that have a source together, in the order in which its handler asks for them."""
    activations = [c for c in planned.allocation.modes[0].carriers if c.action.runs]
    own = [c for c in activations if sum(o.source == c.source for o in activations) > 1]
    return [c.demand.object for c in sorted(own, key=lambda c: c.turn)]


def _lowered(summary: Summary, field: str) -> list[float]:
    """The samples of the task whose dispatch costs something: the one that was lowered."""
    best = max(("Fast", "Slow"), key=lambda name: max(runs_of(summary, name, "dispatch")))
    return runs_of(summary, best, field)


def _met(summary: Summary, kernel: str, rounds: int, planned: Planned) -> Row:
    """Interrupts in each round that only find a deadline met."""
    length = planned.system.modes[0].round_length
    counts = [0] * rounds
    for handler in summary.handlers:
        if handler.met and handler.kind.value != "activation":
            counts[handler.begin.t // length] += 1
    return row("met_deadline_interrupts", kernel, board(), "per round", counts)
