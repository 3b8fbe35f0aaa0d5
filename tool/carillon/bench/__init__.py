# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: Carillon and the conventional kernel with the same application, board, compiler and flags, in one run.

Figures are instructions, ticks and bytes; a row names unit, board and number of samples.  Benchmarks report;
they never fail because a figure is bad.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from carillon.bench.clocks import clocks
from carillon.bench.osek import osek as event_triggered
from carillon.bench.rows import BOARD, Progress, Result, Row, row, runs_of
from carillon.bench.services import services as waiting
from carillon.bench.timers import PARTS
from carillon.bench.timers import timers as experiments
from carillon.console import heading
from carillon.diagnostics import Diagnostics
from carillon.pipeline import Planned, plan, releases
from carillon.resources import data_root
from carillon.trace.analyse import analyse
from carillon.trace.summary import Summary, TaskSummary

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.build import Firmware


def _built(name: str, kernel: str, folder: Path, diagnostics: Diagnostics, board: str | None = BOARD) -> tuple[Planned, Firmware]:
    from carillon.build import build

    planned = plan(data_root() / "bench" / name / "schedule.toml", diagnostics, board, kernel)
    firmware = build(planned.image, folder / f"{name}-{kernel}", diagnostics)
    diagnostics.stop_on_errors()
    assert firmware is not None
    return planned, firmware


def _measured(
    name: str, kernel: str, rounds: int, folder: Path, diagnostics: Diagnostics, board: str | None = BOARD
) -> tuple[Planned, Summary]:
    from carillon.run import run

    planned, firmware = _built(name, kernel, folder, diagnostics, board)
    trace = run(planned.image, firmware, planned.system.modes[0].round_length * rounds, diagnostics, rounds=rounds)
    diagnostics.stop_on_errors()
    assert trace is not None
    return planned, analyse(trace, releases(planned.system, trace))


def _task(summary: Summary, name: str) -> TaskSummary:
    return next(t for t in summary.tasks if t.lane.name == name)


def dispatch(rounds: int, diagnostics: Diagnostics, progress: Progress) -> list[Row]:
    """Table I of the paper on ``ast1030-evb``: dispatch, termination, deadlines, jitter, drift, footprint.

    Besides, on ``mps2-an385``, the dispatch of tasks that have one interrupt source together.

    ``rounds`` (at least 1000 for published figures) is the number of samples of the dispatch figures; jitter and
    drift are taken over ten times as many.
    """
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="carillon-bench-") as scratch:
        folder = Path(scratch)
        for kernel in ("carillon", "conventional"):
            progress(f"dispatch, {kernel} kernel: {rounds} rounds")
            planned, summary = _measured("dispatch", kernel, rounds, folder, diagnostics)
            for metric, task in (("dispatch", "Plain"), ("dispatch_deadline_1", "One"), ("dispatch_deadline_2", "Two")):
                rows.append(row(metric, kernel, BOARD, "instructions", runs_of(summary, task, "dispatch")))
            rows.append(row("dispatch_multiplexed", kernel, BOARD, "instructions", runs_of(summary, "Many", "dispatch")))
            for metric, task in (("terminate", "Plain"), ("terminate_deadline_1", "One"), ("terminate_deadline_2", "Two")):
                rows.append(row(metric, kernel, BOARD, "instructions", runs_of(summary, task, "terminate")))
            rows.append(_met(summary, kernel, rounds, planned))
            progress(f"lowered, {kernel} kernel")
            _, lowered = _measured("lowered", kernel, max(1, rounds // 16 + 1), folder, diagnostics)
            rows.append(row("dispatch_lowered", kernel, BOARD, "instructions", _lowered(lowered, "dispatch")))
            rows.append(row("terminate_lowered", kernel, BOARD, "instructions", _lowered(lowered, "terminate")))
            progress(f"jitter and drift, {kernel} kernel: {10 * rounds} rounds")
            _, long = _measured("dispatch", kernel, 10 * rounds, folder, diagnostics)
            rows.append(row("release_jitter", kernel, BOARD, "ticks", [t.jitter for t in long.tasks if t.jitter is not None]))
            rows.append(row("drift", kernel, BOARD, "ticks", [t.drift for t in long.tasks if t.drift is not None]))
            _, firmware = _built("minimal", kernel, folder, diagnostics)
            rows.append(row("flash", kernel, BOARD, "bytes", [firmware.flash]))
            rows.append(row("ram", kernel, BOARD, "bytes", [firmware.ram]))
        progress(f"one source for several tasks: {rounds} rounds")
        planned, shared = _measured("shared", "carillon", rounds, folder, diagnostics, None)
        for k, task in enumerate(_gathered(planned)):
            samples = runs_of(shared, task, "dispatch")
            rows.append(
                row(f"dispatch_shared_{k + 1}", "carillon", planned.system.board.name, "instructions", samples, 12 + 5 * k)
            )
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
    return row("met_deadline_interrupts", kernel, BOARD, "per round", counts)


def simulator(rounds: int, diagnostics: Diagnostics, progress: Progress) -> list[Row]:
    """Expiries a second of this machine's time on a virtual board, tracing off: eight cells of period 10 ticks."""
    rates = []
    with tempfile.TemporaryDirectory(prefix="carillon-bench-") as scratch:
        _, firmware = _built("simulator", "carillon", Path(scratch), diagnostics, None)
        for k in range(5):
            progress(f"simulator, run {k + 1} of 5")
            before = time.perf_counter()
            result = subprocess.run(
                [str(firmware.elf), "--ticks", str(rounds * 5000), "--count"], capture_output=True, text=True, check=True
            )
            rates.append(int(result.stdout.split()[1]) / (time.perf_counter() - before))
    return [row("expiries_per_second", "carillon", "virtual-256", "1/s", [round(r) for r in rates])]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What measures, and the parts of it that can be asked for alone."""

    run: Callable[[int, Diagnostics, Progress, Sequence[str]], Result]
    parts: tuple[str, ...] = ()


def _whole(measure: Callable[[int, Diagnostics, Progress], list[Row]]) -> Benchmark:
    return Benchmark(lambda rounds, diagnostics, progress, _: Result(measure(rounds, diagnostics, progress)))


BENCHMARKS = {
    "clocks": _whole(clocks),
    "dispatch": _whole(dispatch),
    "osek": _whole(event_triggered),
    "services": _whole(waiting),
    "simulator": _whole(simulator),
    "timers": Benchmark(experiments, tuple(PARTS)),
}


def render(console: Console, name: str, rows: Sequence[Row]) -> None:
    """A table for each set of kernels and boards that metrics have in common: a line for a metric, a column for a kernel."""
    columns: dict[tuple[tuple[str, str], ...], list[Row]] = {}
    for metric in dict.fromkeys(r.metric for r in rows):
        found = [r for r in rows if r.metric == metric]
        columns.setdefault(tuple((r.kernel, r.board) for r in found), []).extend(found)
    for table in columns.values():
        _table(console, name, table)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,g}"


_BESIDE: dict[str, Callable[[Row], str]] = {
    "best peer": lambda r: f"{_figure(r.peer)} {r.peer_name}".strip(),
    "at most": lambda r: _figure(r.must),
    "goal": lambda r: _figure(r.goal),
}
"""Columns beside those of the kernels, which are there if one of the rows has such a figure."""


def _table(console: Console, name: str, rows: Sequence[Row]) -> None:
    from rich import box
    from rich.table import Table

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
