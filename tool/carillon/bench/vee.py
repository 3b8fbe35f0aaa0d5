# SPDX-License-Identifier: Apache-2.0
"""What the paper on the programmable microkernel measured: its tables 1 to 3, and ours beside them.

Its times are microseconds of a StrongARM SA-1110 with 206 MHz, ours are instructions of a Cortex-M4 in QEMU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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

PAPER: Mapping[tuple[str, int, str], tuple[float, ...]] = {
    ("long", 4, "edf"): (12.207, 1.356, 3.778, 0.818, 4, 0, 4.653, 1.473, 30, 0),
    ("long", 4, "edf-s"): (20.888, 2.170, 3.884, 0.818, 4, 1.411, 5.574, 0, 60, 30),
    ("long", 4, "rm-s"): (14.377, 1.356, 3.545, 0.817, 5, 1.475, 5.356, 0, 28, 4),
    ("long", 10, "edf"): (21.159, 1.356, 6.129, 0.917, 4, 0, 8.792, 3.658, 54, 0),
    ("long", 10, "edf-s"): (26.855, 2.170, 4.472, 0.850, 4, 1.565, 9.510, 0, 107, 53),
    ("long", 10, "rm-s"): (18.175, 1.356, 4.412, 0.9001, 5, 1.724, 9.330, 0, 58, 10),
    ("long", 50, "edf"): (129.120, 1.356, 21.767, 0.950, 4, 0, 44.972, 18.508, 174, 0),
    ("long", 50, "edf-s"): (120.710, 1.899, 6.822, 0.750, 0, 2.207, 52.882, 0, 347, 173),
    ("long", 50, "nonpreemptive-s"): (115.020, 1.899, 6.843, 0.750, 0, 2.212, 52.885, 0, 351, 177),
    ("long", 50, "rm-s"): (93.859, 1.356, 6.746, 0.883, 5, 2.393, 47.784, 0, 218, 50),
    ("long", 100, "edf"): (287.000, 1.356, 38.573, 0.786, 4, 0, 81.749, 36.074, 318, 0),
    ("long", 100, "edf-s"): (247.400, 1.899, 7.628, 0.517, 0, 2.258, 116.190, 0, 636, 318),
    ("long", 100, "nonpreemptive-s"): (248.210, 2.170, 7.643, 0.518, 0, 2.248, 116.790, 0, 640, 322),
    ("long", 100, "rm-s"): (159.780, 1.356, 8.361, 0.550, 2, 3.604, 98.175, 0, 412, 100),
    ("medium", 4, "edf"): (12.207, 1.356, 3.087, 0.350, 1, 0, 4.608, 1.384, 30, 0),
    ("medium", 4, "edf-s"): (20.888, 2.170, 4.065, 0.350, 1, 1.428, 5.513, 0, 60, 30),
    ("medium", 4, "nonpreemptive-s"): (20.888, 2.170, 4.061, 0.351, 0, 1.439, 5.528, 0, 61, 31),
    ("medium", 4, "rm-s"): (13.292, 1.356, 3.123, 0.350, 1, 1.639, 5.356, 0, 28, 4),
    ("medium", 10, "edf"): (21.159, 1.356, 4.730, 0.350, 1, 0, 8.647, 3.460, 54, 0),
    ("medium", 10, "edf-s"): (27.127, 2.170, 4.676, 0.350, 1, 1.595, 9.588, 0, 108, 54),
    ("medium", 10, "nonpreemptive-s"): (27.127, 27.127, 4.682, 0.350, 0, 1.601, 9.668, 0, 109, 55),
    ("medium", 10, "rm-s"): (16.819, 1.356, 4.032, 0.350, 1, 1.821, 9.340, 0, 58, 10),
    ("medium", 50, "edf"): (126.680, 1.356, 17.929, 0.417, 1, 0, 43.574, 16.983, 174, 0),
    ("medium", 50, "edf-s"): (113.390, 1.899, 6.799, 0.334, 0, 2.152, 52.417, 0, 348, 174),
    ("medium", 50, "nonpreemptive-s"): (116.100, 1.899, 6.816, 0.333, 0, 2.163, 52.701, 0, 349, 175),
    ("medium", 50, "rm-s"): (87.077, 1.356, 6.466, 0.350, 1, 2.442, 46.375, 0, 218, 50),
    ("medium", 100, "edf"): (281.850, 1.356, 36.765, 0.601, 2, 0, 81.655, 35.190, 318, 0),
    ("medium", 100, "edf-s"): (247.120, 1.899, 7.584, 0.368, 0, 2.229, 113.880, 0, 636, 318),
    ("medium", 100, "nonpreemptive-s"): (251.740, 1.899, 7.591, 0.367, 0, 2.230, 115.550, 0, 638, 320),
    ("medium", 100, "rm-s"): (159.510, 1.356, 8.308, 0.384, 1, 3.647, 95.773, 0, 412, 100),
    ("short", 4, "edf"): (12.207, 1.356, 3.091, 0.352, 1, 0, 4.693, 1.382, 30, 0),
    ("short", 4, "edf-s"): (20.888, 2.170, 4.063, 0.350, 1, 1.435, 5.468, 0, 60, 30),
    ("short", 4, "nonpreemptive-s"): (20.888, 2.170, 4.061, 0.350, 0, 1.441, 5.548, 0, 61, 31),
    ("short", 4, "rm-s"): (13.292, 1.356, 3.123, 0.350, 1, 1.639, 5.356, 0, 28, 4),
    ("short", 10, "edf"): (21.159, 1.356, 4.730, 0.350, 1, 0, 8.661, 3.460, 54, 0),
    ("short", 10, "edf-s"): (27.127, 2.170, 4.677, 0.351, 1, 1.595, 9.606, 0, 108, 54),
    ("short", 10, "nonpreemptive-s"): (27.127, 2.170, 4.682, 0.352, 0, 1.601, 9.683, 0, 109, 55),
    ("short", 10, "rm-s"): (16.819, 1.356, 4.032, 0.350, 1, 1.821, 9.382, 0, 58, 10),
    ("short", 50, "edf"): (131.020, 1.356, 16.902, 0.234, 1, 0, 41.721, 16.905, 174, 0),
    ("short", 50, "edf-s"): (116.370, 1.899, 6.742, 0.200, 0, 2.160, 51.498, 0, 348, 174),
    ("short", 50, "nonpreemptive-s"): (118.270, 1.899, 6.754, 0.200, 0, 2.169, 51.701, 0, 349, 175),
    ("short", 50, "rm-s"): (89.247, 1.356, 6.366, 0.200, 0, 2.460, 45.442, 0, 218, 50),
    ("short", 100, "edf"): (300.560, 1.356, 34.913, 0.349, 1, 0, 81.572, 34.844, 318, 0),
    ("short", 100, "edf-s"): (242.510, 1.899, 7.580, 0.200, 0, 2.216, 115.570, 0, 636, 318),
    ("short", 100, "nonpreemptive-s"): (243.600, 1.899, 7.580, 0.200, 0, 2.211, 115.700, 0, 637, 319),
    ("short", 100, "rm-s"): (160.860, 1.356, 8.237, 0.200, 0, 3.641, 96.869, 0, 412, 100),
}
"""By load, tasks and method; cases that are infeasible are not there."""


def _figure(metric: str, value: float) -> str:
    """Shares with two digits, and others with four or all that stand before the point: the table has room for these."""
    if metric in _SHARES:
        return f"{value:.2f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def render(console: Console, rows: Sequence[Row]) -> None:
    """A table for each load: ours, and below it the paper's line."""
    found = {(r.metric, r.kernel): r.median for r in rows}
    for number, load in enumerate(LOADS, 1):
        if not any(metric.endswith(f"_{load}") for metric, _ in found):
            continue
        console.print(heading(f"table {number}", f" of the paper: tasks with {load} execution times", ""))
        console.print("ours: instructions; lines 'paper': microseconds at 206 MHz; E+S and S are sizes", highlight=False)
        drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        for title in ("tasks", "method", *METRICS.values()):
            drawn.add_column(title, justify="left" if title == "method" else "right", no_wrap=True)
        for tasks in TASKS:
            for method in METHODS:
                ours = [found.get((f"{metric}_{tasks}_{load}", method)) for metric in METRICS]
                text = ["-" if value is None else _figure(metric, value) for metric, value in zip(METRICS, ours, strict=True)]
                why = next((it for it in ("late", "infeasible") if (f"{it}_{tasks}_{load}", method) in found), "not measured")
                drawn.add_row(str(tasks), method, *(text if ours[0] is not None else [why]))
                if method != "cells":
                    theirs = PAPER.get((load, tasks, method))
                    shown = [_figure(metric, value) for metric, value in zip(METRICS, theirs or (), strict=theirs is not None)]
                    drawn.add_row("", "  paper", *(shown or ["infeasible"]))
        console.print(drawn)
