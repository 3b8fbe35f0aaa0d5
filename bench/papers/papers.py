# SPDX-License-Identifier: Apache-2.0
"""What the papers measured, and ours beside it: the benchmarks that repeat their tables and figures, by paper.

The guide's page ``papers.md`` says of each table and figure what it is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.papers.autosar import autosar
from bench.papers.dispatch import dispatch
from bench.papers.paper import FOOTPRINTS
from bench.papers.rows import Progress, Result, Row, row
from bench.papers.timers import timers
from carillon.diagnostics import Diagnostics

SLOTH_ON_TIME = "sloth-on-time"

EXPERIMENTS = {
    "periodic-timers-revisited": ("handlers", "periods", "threads", "interference"),
    "one-shot": ("philosophers",),
    "relteq": ("delays", "many"),
}
"""Papers on timers, and the parts of ``timers`` that repeat them."""

PAPERS = (SLOTH_ON_TIME, *EXPERIMENTS)

OTHERS = (
    "dispatch_multiplexed",
    "dispatch_shared_deadlines",
    "terminate_shared_deadlines",
    "met_deadline_interrupts",
    "met_deadline_interrupt",
    "release_jitter",
    "drift",
    *FOOTPRINTS,
)
"""Metrics of ``dispatch`` beside those of table I, which ``autosar`` measures, too."""


def papers(rounds: int, diagnostics: Diagnostics, progress: Progress, parts: Sequence[str] = ()) -> Result:
    """The experiments of the papers, or of some of ``PAPERS``, with the papers' own figures where they are of the same unit."""
    rows: list[Row] = []
    wanted = parts or PAPERS
    if SLOTH_ON_TIME in wanted:
        rows += [r for r in autosar(rounds, diagnostics, progress) if r.metric not in FOOTPRINTS]
        rows += [r for r in dispatch(rounds, diagnostics, progress) if r.metric in OTHERS]
        for metric, figures in FOOTPRINTS.items():
            rows += [row(metric, kernel, "TC1796", "bytes", [figure]) for kernel, figure in figures.items()]
    experiments = [part for paper in wanted for part in EXPERIMENTS.get(paper, ())]
    if not experiments:
        return Result(rows)
    result = timers(rounds, diagnostics, progress, experiments)
    return Result([*rows, *result.rows], result.plots)
