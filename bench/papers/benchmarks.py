# SPDX-License-Identifier: Apache-2.0
"""The benchmarks by name, and their tables.

Figures are instructions, ticks and bytes; a row names unit, board and number of samples.  Benchmarks report;
they never fail because a figure is bad.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.papers import paper, vee
from bench.papers.autosar import autosar as schedule_tables
from bench.papers.boards import BOARDS, boards
from bench.papers.clocks import clocks
from bench.papers.dispatch import built
from bench.papers.dispatch import dispatch as time_triggered
from bench.papers.made import scratch
from bench.papers.microkernel import PARTS as LOADS
from bench.papers.microkernel import microkernel as interpreted
from bench.papers.osek import osek as event_triggered
from bench.papers.papers import PAPERS
from bench.papers.papers import papers as repeated
from bench.papers.peers import peers
from bench.papers.rows import IN_CYCLES, Peer, Progress, Result, Row, row
from bench.papers.rows import board as measured_board
from bench.papers.services import services as waiting
from bench.papers.timers import PARTS
from bench.papers.timers import timers as experiments
from carillon.console import heading
from carillon.diagnostics import Diagnostics


def simulator(rounds: int, diagnostics: Diagnostics, progress: Progress) -> list[Row]:
    """Expiries a second of this machine's time on a virtual board, tracing off: eight cells of period 10 ticks."""
    rates = []
    with scratch() as folder:
        firmware = built("simulator", "carillon", folder, diagnostics, None).firmware
        for k in range(5):
            progress(f"simulator, run {k + 1} of 5")
            before = time.perf_counter()
            result = subprocess.run(
                [str(firmware.elf), "--ticks", str(rounds * 5000), "--count"], capture_output=True, text=True, check=True
            )
            rates.append(int(result.stdout.split()[1]) / (time.perf_counter() - before))
    return [row("expiries_per_second", "carillon", "virtual-256", "1/s", [round(r) for r in rates])]


def _beside_peers(rounds: int, diagnostics: Diagnostics, progress: Progress, _: Sequence[str]) -> Result:
    """The services, and beside them, where instructions are counted, kernels in Rust."""
    rows = waiting(rounds, diagnostics, progress)
    beside = () if measured_board() == IN_CYCLES else peers(rounds, progress)
    return Result([*rows, *(r for peer in beside for r in peer.rows)], peers=beside)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What measures, what it says of itself, and the parts of it that can be asked for alone."""

    run: Callable[[int, Diagnostics, Progress, Sequence[str]], Result]
    text: str = ""
    parts: tuple[str, ...] = ()
    in_cycles: bool = False
    """Whether its applications run on the board in RTL, too."""


def _whole(measure: Callable[[int, Diagnostics, Progress], list[Row]], text: str, *, in_cycles: bool = False) -> Benchmark:
    return Benchmark(lambda rounds, diagnostics, progress, _: Result(measure(rounds, diagnostics, progress)), text, (), in_cycles)


BENCHMARKS = {
    "autosar": _whole(schedule_tables, "Schedule tables, beside tables I to III of Sloth on Time.", in_cycles=True),
    "boards": Benchmark(boards, "Random rounds on boards that people own: no expiry is lost. A part is a board.", BOARDS),
    "clocks": _whole(clocks, "Applications under each clock of their board."),
    "dispatch": _whole(time_triggered, "Dispatch, termination and deadlines of rounds, with both kernels.", in_cycles=True),
    "microkernel": Benchmark(
        interpreted, "The programmable microkernel, beside its paper's tables. A part is a load.", tuple(LOADS), in_cycles=True
    ),
    "osek": _whole(event_triggered, "Services of the event-triggered kernel.", in_cycles=True),
    "papers": Benchmark(repeated, "What papers measured, and ours beside it. A part is a paper.", PAPERS),
    "services": Benchmark(_beside_peers, "What it costs to wait, to wake, and to do something at a time.", in_cycles=True),
    "simulator": _whole(simulator, "Expiries a second that this machine simulates."),
    "timers": Benchmark(experiments, "Experiments of three papers on timers.", tuple(PARTS)),
}


def render(console: Console, name: str, rows: Sequence[Row], peers: Sequence[Peer] = ()) -> None:
    """A table for each set of kernels and boards that metrics have in common: a line for a metric, a column for a kernel.

    ``boards`` has one for each board.  ``peers`` are columns where they have a figure, and a line below each: versions and flags.
    """
    if name == "microkernel":
        vee.render(console, rows)
        rows = [r for r in rows if r.kernel == "microcode"]
    if name == "boards":
        for board in dict.fromkeys(r.board for r in rows):
            _table(console, name, [r for r in rows if r.board == board])
        return
    others = {peer.name for peer in peers}
    columns: dict[tuple[tuple[str, str], ...], list[Row]] = {}
    for metric in dict.fromkeys(r.metric for r in rows):
        found = [r for r in rows if r.metric == metric]
        columns.setdefault(tuple((r.kernel, r.board) for r in found if r.kernel not in others), []).extend(found)
    for table in columns.values():
        _table(console, name, table)
    for peer in peers:
        console.print(Text(peer.told()))
    if name in ("autosar", "papers"):
        paper.render(console, rows)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,g}"


_BESIDE: dict[str, Callable[[Row], str]] = {
    "best peer": lambda r: f"{_figure(r.peer)} {r.peer_name}".strip(),
    "at most": lambda r: _figure(r.must),
    "goal": lambda r: _figure(r.goal),
}
"""Columns beside those of the kernels, which are there if one of the rows has such a figure."""


def _table(console: Console, name: str, rows: Sequence[Row]) -> None:
    kernels = list(dict.fromkeys(r.kernel for r in rows))
    boards = ", ".join(dict.fromkeys(r.board for r in rows))
    console.print(heading(name, f" on {boards}: median, and minimum to maximum where they differ", ""))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("metric", "unit"):
        table.add_column(title, no_wrap=True)
    columns = [(title, figure) for title, figure in _BESIDE.items() if any(figure(r) for r in rows)]
    for title in (*kernels, "samples", *(title for title, _ in columns)):
        table.add_column(title, justify="right", no_wrap=True)
    for metric in dict.fromkeys(r.metric for r in rows):
        of = {r.kernel: r for r in rows if r.metric == metric}
        cells = []
        for kernel in kernels:
            r = of.get(kernel)
            spread = f" ({r.minimum:,g} to {r.maximum:,g})" if r and r.minimum != r.maximum else ""
            cells.append(f"{r.median:,}{spread}" if r else "-")
        first = next(iter(of.values()))
        table.add_row(metric, first.unit, *cells, str(first.samples), *(figure(first) for _, figure in columns))
    console.print(table)
