# SPDX-License-Identifier: Apache-2.0
"""What the paper on the programmable microkernel measured: its tables 1 to 3, and ours beside them.

Its times are microseconds of a StrongARM SA-1110 with 206 MHz, ours are instructions of a Cortex-M4 in QEMU.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.resources import files

from rich import box
from rich.console import Console
from rich.table import Table

from carillon.bench.microkernel import METHODS, TASKS
from carillon.bench.rows import Row
from carillon.console import heading

LOADS = ("long", "medium", "short")
METRICS = {
    "microcode_peak": "peak",
    "microcode_min": "min",
    "microcode_average": "average",
    "utilisation": "U",
    "preemptions": "P",
    "s_code": "S code",
    "e_code": "E code",
    "scheduler": "sched.",
    "e_and_s_size": "E+S",
    "s_size": "S",
}
"""The tables' columns, by the metrics of ours; the last two are sizes."""
_SHARES = ("utilisation",)


def paper() -> dict[tuple[str, int, str], tuple[float, ...]]:
    """The paper's figures, in the order of :data:`METRICS`, by load, tasks and method; infeasible cases are not there."""
    text = files("carillon.bench").joinpath("vee.csv").read_text(encoding="utf-8")
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
    for number, load in enumerate(LOADS, 1):
        if not any(metric.endswith(f"_{load}") for metric, _ in measured):
            continue
        console.print(heading(f"table {number}", f" of the paper: tasks with {load} execution times", ""))
        console.print("ours: instructions; lines 'paper': microseconds at 206 MHz; E+S and S are sizes", highlight=False)
        drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        for title in ("tasks", "method", *METRICS.values()):
            drawn.add_column(title, justify="left" if title == "method" else "right", no_wrap=True)
        for tasks in TASKS:
            for method in METHODS:
                ours = [measured.get((f"{metric}_{tasks}_{load}", method)) for metric in METRICS]
                text = ["-" if value is None else _figure(metric, value) for metric, value in zip(METRICS, ours, strict=True)]
                why = next((it for it in ("late", "infeasible") if (f"{it}_{tasks}_{load}", method) in measured), "not measured")
                drawn.add_row(str(tasks), method, *(text if ours[0] is not None else [why]))
                if method != "cells":
                    theirs = theirs_of.get((load, tasks, method))
                    shown = [_figure(metric, value) for metric, value in zip(METRICS, theirs or (), strict=theirs is not None)]
                    drawn.add_row("", "  paper", *(shown or ["infeasible"]))
        console.print(drawn)
