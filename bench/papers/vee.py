# SPDX-License-Identifier: Apache-2.0
"""What the paper on the programmable microkernel measured: its tables 1 to 3, and ours beside them.

Its times are microseconds of a StrongARM SA-1110 with 206 MHz, ours are instructions of a Cortex-M4 in QEMU, or cycles of a
core in RTL.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from bench.papers.microkernel import METHODS, TASKS
from bench.papers.rows import Row
from carillon.console import heading

LOADS = ("long", "medium", "short")
METRICS = {
    "microcode_peak": "peak",
    "microcode_min": "min",
    "microcode_average": "aver-\nage",
    "utilisation": "U",
    "preemptions": "P",
    "s_code": "S\ncode",
    "e_code": "E\ncode",
    "scheduler": "sched.",
    "e_and_s_size": "E+S",
    "s_size": "S",
}
"""The tables' columns, by the metrics of ours, in lines as narrow as the figures; the last two are sizes."""
_SHARES = ("utilisation",)
NONPREEMPTIVE = "nonpreemptive"
"""The metric of the last column: P of the same program with nonpreemptive S code, which the paper has in its own lines."""


def paper() -> dict[tuple[str, int, str], tuple[float, ...]]:
    """The paper's figures, in the order of :data:`METRICS`, by load, tasks and method; infeasible cases are not there."""
    text = Path(__file__).with_name("vee.csv").read_text(encoding="utf-8")
    _, *rows = csv.reader(line for line in text.splitlines() if not line.startswith("#"))
    return {(load, int(tasks), method): tuple(map(float, figures)) for load, tasks, method, *figures in rows}


def _figure(metric: str, value: float) -> str:
    """Shares with two digits, and others with four or all that stand before the point: the table has room for these."""
    if metric in _SHARES:
        return f"{value:.2f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def render(console: Console, rows: Sequence[Row]) -> None:
    """A table for each load: ours, and below it the paper's line."""
    measured, theirs_of = {(r.metric, r.kernel): r.median for r in rows}, paper()
    most = {(r.metric, r.kernel): r.maximum for r in rows}
    for number, load in enumerate(LOADS, 1):
        if not any(metric.endswith(f"_{load}") for metric, _ in measured):
            continue
        console.print(heading(f"table {number}", f" of the paper: tasks with {load} execution times", ""))
        unit = next((r.unit for r in rows if r.metric.startswith("e_code_")), "instructions")
        console.print(f"ours: {unit}; lines 'paper': microseconds at 206 MHz; E+S and S are sizes", highlight=False)
        console.print("nonpreemptive: P of the same tasks, measured with nonpreemptive S code", highlight=False)
        drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        for title in ("tasks", "method", *METRICS.values(), "nonpre-\nemptive"):
            drawn.add_column(title, justify="left" if title == "method" else "right", no_wrap=True)
        for tasks in TASKS:
            for method in METHODS:
                ours = [measured.get((f"{metric}_{tasks}_{load}", method)) for metric in METRICS]
                text = ["-" if value is None else _figure(metric, value) for metric, value in zip(METRICS, ours, strict=True)]
                why = next((it for it in ("late", "infeasible") if (f"{it}_{tasks}_{load}", method) in measured), "unmeasured")
                cells = text if ours[0] is not None else [why, *[""] * (len(METRICS) - 1)]
                preempted = most.get((f"{NONPREEMPTIVE}_{tasks}_{load}", method))
                drawn.add_row(str(tasks), method, *cells, "" if preempted is None else f"{preempted:g}")
                if method != "cells":
                    theirs = theirs_of.get((load, tasks, method))
                    shown = [_figure(metric, value) for metric, value in zip(METRICS, theirs or (), strict=theirs is not None)]
                    drawn.add_row("", "  paper", *(shown or ["infeasible"]))
        console.print(drawn)
