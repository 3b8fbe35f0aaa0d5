# SPDX-License-Identifier: Apache-2.0
"""What one application costs on several kernels: how late tasks start, what the kernel executes, how much memory it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table

from carillon.build import Firmware
from carillon.console import heading
from carillon.trace.summary import Spread, Summary

KERNELS = ("carillon", "conventional")
"""What is compared where nothing is said: the second has one timer, a queue and a software ready list."""

START, JITTER = "start", "jitter"


@dataclass(frozen=True, slots=True)
class Row:
    """A figure of one kernel; of a task, if it has a name.  A figure that is counted once has one sample."""

    metric: str
    task: str
    kernel: str
    unit: str
    values: Spread

    def as_json(self) -> dict[str, object]:
        """The form of ``carillon bench --json``."""
        told = {"metric": self.metric, "task": self.task or None, "kernel": self.kernel, "unit": self.unit}
        return told | self.values.as_json()


def rows_of(kernel: str, summary: Summary, firmware: Firmware, unit: str) -> list[Row]:
    """What a run showed and its image takes; ``unit`` is what the run counts of code, empty where code takes no time.

    The mean power is an estimate from the currents of the board's file, if it has some.
    """
    rows: list[Row] = []
    for task in summary.tasks:
        for metric, values in ((START, task.start_delay), (JITTER, None if task.jitter is None else _once(task.jitter))):
            rows += [] if values is None else [Row(metric, task.lane.name, kernel, "ticks", values)]
    totals = summary.totals
    counted = [
        *([("kernel", unit, totals.kernel_n)] if unit else []),
        ("interrupts", "", totals.interrupts),
        ("deadlines_missed", "", totals.deadlines_missed),
        *([("power", "uW", round(totals.energy.estimate.power * 10**6))] if totals.energy is not None else []),
        ("flash", "bytes", firmware.flash),
        ("ram", "bytes", firmware.ram),
    ]
    return rows + [Row(metric, "", kernel, of, _once(value)) for metric, of, value in counted]


def _once(value: int) -> Spread:
    return Spread(value, float(value), value, 1)


def render(console: Console, application: str, where: str, rows: Sequence[Row]) -> None:
    """A table: a line for each figure, a column for each kernel."""
    console.print(heading(application, f" on {where}: median, and minimum to maximum where they differ", ""))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("", "task", "unit"):
        table.add_column(title, no_wrap=True)
    kernels = list(dict.fromkeys(row.kernel for row in rows))
    for kernel in kernels:
        table.add_column(kernel, justify="right", no_wrap=True)
    found = {(row.metric, row.task, row.kernel): row for row in rows}
    lines = dict.fromkeys((row.metric, row.task, row.unit) for row in rows)
    for metric, task, unit in sorted(lines, key=lambda line: line[0] != START and (1 if line[0] == JITTER else 2)):
        cells = [_figure(found.get((metric, task, kernel))) for kernel in kernels]
        table.add_row(metric, task, unit, *cells)
    console.print(table)


def _figure(row: Row | None) -> str:
    if row is None:
        return "-"
    least, most = row.values.minimum, row.values.maximum
    return f"{row.values.median:,g}" + (f" ({least:,} to {most:,})" if least != most else "")
