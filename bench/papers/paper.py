# SPDX-License-Identifier: Apache-2.0
"""What the Sloth on Time paper measured: tables I, II and III and the footprints of its section V-C3.

Its figures are clock cycles of an Infineon TC1796, and bytes; ours are instructions of a Cortex-M4 in QEMU.  So the columns
say how the kernels of one machine compare, and not how one machine compares with the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table as Drawn

from bench.papers.rows import Row
from carillon.console import heading

KERNELS = ("carillon", "software", "conventional")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table: what was measured, our metric of it, and the paper's figures of its kernel and of the commercial one."""

    text: str
    metric: str
    sloth: int
    commercial: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the paper.  ``peer`` is its commercial kernel, ``unit`` that of the paper's figures."""

    name: str
    text: str
    peer: str
    unit: str
    lines: tuple[Line, ...]


CYCLES = "clock cycles (TC1796)"

TABLES = (
    Table(
        "I",
        "time-triggered dispatch and termination, with deadlines",
        "commercial OSEKtime",
        CYCLES,
        (
            Line("dispatch", "dispatch", 14, 120),
            Line("terminate", "terminate", 14, 38),
            Line("dispatch, 1 deadline", "dispatch_deadline_1", 26, 120),
            Line("dispatch, 2 deadlines", "dispatch_deadline_2", 34, 120),
            Line("terminate, 1 deadline", "terminate_deadline_1", 24, 38),
            Line("terminate, 2 deadlines", "terminate_deadline_2", 34, 38),
        ),
    ),
    Table(
        "II",
        "services of schedule tables",
        "commercial AUTOSAR OS",
        CYCLES,
        (
            Line("StartScheduleTableRel", "start_schedule_table_rel", 108, 1104),
            Line("StopScheduleTable", "stop_schedule_table", 20, 752),
        ),
    ),
    Table(
        "III",
        "activation by schedule tables, and termination",
        "commercial AUTOSAR OS",
        CYCLES,
        (
            Line("activate: idle to basic", "tt_dispatch_idle_basic", 14, 2344),
            Line("activate: basic to basic", "tt_dispatch_basic_basic", 14, 2400),
            Line("activate: extended to extended", "tt_dispatch_extended_extended", 77, 2400),
            Line("terminate: basic to idle", "terminate_basic_idle", 14, 382),
            Line("terminate: basic to basic", "terminate_basic_basic", 14, 532),
            Line("terminate: extended to extended", "terminate_extended_extended", 88, 532),
        ),
    ),
)

FOOTPRINTS = {
    "flash": {"Sloth on Time": 1480, "commercial OSEKtime": 2600},
    "ram": {"Sloth on Time": 8, "commercial OSEKtime": 52},
}
"""Section V-C3: bytes of an application with one task and one deadline, start-up code included."""


def as_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """A record of each line of the tables: the paper's figures, and the medians of ours by kernel."""
    return [
        {
            "table": table.name,
            "line": line.text,
            "metric": line.metric,
            "sloth_on_time": line.sloth,
            "peer": line.commercial,
            "peer_name": table.peer,
            "peer_unit": table.unit,
            "unit": next(iter(found.values())).unit,
            "kernels": {kernel: row.median for kernel, row in found.items()},
        }
        for table in TABLES
        for line in table.lines
        if (found := _of(rows, line.metric))
    ]


def _of(rows: Sequence[Row], metric: str) -> Mapping[str, Row]:
    return {r.kernel: r for r in rows if r.metric == metric}


def render(console: Console, rows: Sequence[Row]) -> None:
    """The paper's tables with our columns beside its own; what was not measured has a dash."""
    for table in TABLES:
        ours = next((r for line in table.lines for r in rows if r.metric == line.metric), None)
        if ours is None:
            continue
        console.print(heading(f"table {table.name}", f" of the paper: {table.text}", ""))
        console.print(f"ours: {ours.unit} on {ours.board}; the paper's: {table.unit}", highlight=False)
        drawn = Drawn(box=box.SIMPLE_HEAD, pad_edge=False)
        drawn.add_column("", no_wrap=True)
        kernels = [k for k in KERNELS if any(k in _of(rows, line.metric) for line in table.lines)]
        for title in (*kernels, "Sloth on Time", table.peer):
            drawn.add_column(title, justify="right")
        for line in table.lines:
            found = _of(rows, line.metric)
            medians = (f"{found[k].median:,}" if k in found else "-" for k in kernels)
            drawn.add_row(line.text, *medians, f"{line.sloth:,}", f"{line.commercial:,}")
        console.print(drawn)
