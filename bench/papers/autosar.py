# SPDX-License-Identifier: Apache-2.0
"""Schedule tables, on ``ast1030-evb``: the applications of ``bench/autosar``, with the kernels of :mod:`.osek`.

How far apart synchronised nodes are (:mod:`.sync`) is measured on virtual boards: an emulated one has no clock error.
Besides, table I of the Sloth on Time paper from the application of :mod:`.dispatch`, so that one run has all that
:mod:`.paper` shows beside the paper's figures.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from bench.papers.dispatch import KERNELS, built, overheads
from bench.papers.made import scratch
from bench.papers.osek import COLUMNS, WINDOW, Applications, stolen
from bench.papers.rows import BOARD, Figure, Progress, Row, board, runs_of
from bench.papers.sync import sync_offset
from carillon.diagnostics import Diagnostics
from carillon.trace.summary import Summary
from carillon.trace.timeline import KERNEL

QUEUED = "_queued"
"""Ends the metrics of Carillon's tables in a queue, where those on cells have a row of the same name without it."""

TICK = 1000
"""Ticks of the board's clock in one of the applications' counter, but where they say so."""

SYNCHRONISED = 1000
"""Rounds of the synchronised nodes at least.  They take no time worth mentioning, and fewer would not show their worst."""


FIGURES = {
    figure.metric: figure
    for figure in (
        Figure("tt_dispatch_idle_basic", 0),
        Figure("tt_dispatch_basic_basic", 0),
        Figure("tt_dispatch_idle_basic_queued", 60, alone=True),
        Figure("tt_dispatch_basic_basic_queued", 60, alone=True),
        Figure("tt_dispatch_extended_extended", 31),
        Figure("tt_dispatch_extended_extended_queued", 130, alone=True),
        Figure("terminate_basic_idle", 1),
        Figure("terminate_basic_basic", 1),
        Figure("terminate_extended_extended", 42, 45),
        Figure("start_schedule_table_rel", 80),
        Figure("stop_schedule_table", 12),
        Figure("start_schedule_table_rel_queued", 170, alone=True),
        Figure("stop_schedule_table_queued", 100, alone=True),
        Figure("stolen_by_lower", 0),
        Figure("stolen_by_lower_queued", 0, alone=True),
        Figure("interruptions_by_lower", 0, unit="per run"),
        Figure("interruptions_by_lower_queued", 0, unit="per run", alone=True),
        Figure("sync_offset", 2, unit="ticks", board="virtual-256", alone=True),
        Figure("budget_dispatch", 24),
        Figure("budget_terminate", 24),
        Figure("budget_detection_latency", 1),
        Figure("budget_dispatch_by_clock"),
        Figure("budget_terminate_by_clock"),
        Figure("budget_detection_latency_by_clock"),
        Figure("round_budget_dispatch", 40, alone=True),
        Figure("round_budget_terminate", 20, alone=True),
        Figure("round_budget_beside_dispatch", 16, alone=True),
        Figure("round_budget_beside_terminate", 12, alone=True),
        Figure("round_budget_detection_latency", 10, alone=True),
        Figure("flash", unit="bytes"),
        Figure("ram", unit="bytes"),
    )
}


@dataclass(frozen=True, slots=True)
class Place:
    """Instructions of what is the kernel's at a place of a run that a mark names.

    ``before``: from the last instruction of what had the processor before, to the mark.  Else from the mark to the first
    instruction of what has it next.
    """

    metric: str
    mark: str
    task: str
    before: bool = True


BASIC = (
    Place("tt_dispatch_idle_basic", "carillon_task_Low", "Low"),
    Place("tt_dispatch_basic_basic", "carillon_task_High", "High"),
    Place("terminate_basic_idle", "bench_low_ends", "Low", before=False),
    Place("terminate_basic_basic", "bench_high_ends", "High", before=False),
)
EXTENDED = (
    Place("tt_dispatch_extended_extended", "carillon_task_High", "High"),
    Place("terminate_extended_extended", "bench_high_ends", "High", before=False),
)


def kernel_around(summary: Summary, times: Sequence[int], place: Place) -> list[int]:
    """The figure of a place, of each of the ``times`` at which its mark was passed, as far as the run shows it.

    The first is left out: the system has just started then.
    """
    others = [s for s in summary.segments if s.lane is not KERNEL and s.lane.name != place.task]
    begins = [s.begin.n for s in others]
    between: list[int] = []
    for time in times:
        k = bisect_left(begins, time)
        if place.before and k > 0:
            between.append(time - others[k - 1].end.n)
        elif not place.before and k < len(begins):
            between.append(begins[k] - time)
    return between[1:]


def _on_cells(schedule: str) -> str:
    """The same schedule with its table on cells; these ask for a counter of whose turns the time base counts whole ones."""
    lines = schedule.splitlines(keepends=True)
    more = {"repeating": "cells = true\n", "tick": "max_allowed = 999\n"}
    return "".join(line + more.get(line.partition(" ")[0], "") for line in lines)


def _carried(applications: Applications, name: str, column: str) -> list[tuple[str, str]]:
    """An application by what carries its table, each with the end of its metrics: cells, if they can, and a queue."""
    if column != "carillon":
        return [(name, "")]
    applications.derive(name, f"{name}-cells", _on_cells)
    return [(f"{name}-cells", ""), (name, QUEUED)]


def _dispatch(applications: Applications, column: str, rounds: int, progress: Progress) -> list[Row]:
    rows: list[Row] = []
    variants: list[tuple[str, tuple[Place, ...]]] = []
    for kind, on_cells in (("basic", BASIC), ("extended", EXTENDED)):
        queued = tuple(replace(p, metric=p.metric + QUEUED) for p in on_cells if p.before)
        variants += [(name, queued if end else on_cells) for name, end in _carried(applications, kind, column)]
    for name, places in variants:
        progress(f"{name} tasks, {column}: {rounds} cycles")
        summary, marks = applications.analysed(name, column, (rounds + 2) * 4 * TICK, [p.mark for p in places])
        rows += [FIGURES[p.metric].row(column, kernel_around(summary, marks[p.mark], p)[:rounds]) for p in places]
    return rows


def _services(applications: Applications, column: str, rounds: int, progress: Progress) -> list[Row]:
    progress(f"services of schedule tables, {column}: {rounds} cycles")
    services = (("start_schedule_table_rel", "start"), ("stop_schedule_table", "stop"))
    places = [f"bench_{name}_{side}" for _, name in services for side in ("begin", "end")]
    rows: list[Row] = []
    for application, end in _carried(applications, "table", column):
        marks = applications.marked(application, column, rounds, 5000, places)
        for metric, name in services:
            taken = marks.between(f"bench_{name}_begin", [f"bench_{name}_end"])[:rounds]
            rows.append(FIGURES[metric + end].row(column, taken))
    return rows


def tables(applications: Applications, column: str, rounds: int, progress: Progress) -> list[Row]:
    """The rows of the paper's tables II and III, and those of tables in a queue."""
    return _dispatch(applications, column, rounds, progress) + _services(applications, column, rounds, progress)


def _lower(applications: Applications, column: str, rounds: int, progress: Progress) -> list[Row]:
    """What points of lower tasks take from a higher one: figure 7 of the paper."""
    progress(f"a window of work, {column}: {rounds} cycles")
    rows: list[Row] = []
    for name, end in _carried(applications, "lower", column):
        marks = applications.marked(name, column, 2 * rounds, 5 * TICK, WINDOW)
        summary, _ = applications.analysed(name, column, 10 * (rounds + 1) * TICK, [])
        windows = [r for r in summary.runs if r.lane.name == "High"][::2]  # in every second one, points of lower tasks come
        preemptions = [r.preemptions for r in windows if r.end is not None][:rounds]
        rows.append(replace(stolen(f"stolen_by_lower{end}", marks, column, rounds), must=FIGURES[f"stolen_by_lower{end}"].must))
        rows.append(FIGURES[f"interruptions_by_lower{end}"].row(column, preemptions))
    return rows


def _nodes(_applications: Applications, column: str, rounds: int, progress: Progress) -> list[Row]:
    """The conventional kernels do not follow a global time."""
    if column != "carillon":
        return []
    rounds = max(rounds, SYNCHRONISED)
    progress(f"six synchronised nodes: {rounds} rounds")
    return [FIGURES["sync_offset"].row(column, [round(apart, 3) for apart in sync_offset(rounds)[:rounds]])]


BUDGET, NO_BUDGET = "budget", "no-budget"
"""The application with budgets, and the same without them."""
BY_CLOCK = "budget-by-clock"
"""The application with budgets that the clock keeps, which dispatches by software."""
STRIKES, CLOCK_STRIKES = "carillon_port_budget_vector", "carillon_clock_interrupt"
RUNAWAY = 400
"""The budget of its task that never ends, in ticks: an instruction takes one."""


def _by_clock(schedule: str) -> str:
    """The clock keeps the budgets.  Long ones end: else an event of the last cycle would be due in the midst of the next."""
    return schedule.replace("[osek]\n", '[osek]\nbudgets = "clock"\n').replace('"4000 ticks"', '"400000 ticks"')


def budgets(applications: Applications, column: str, rounds: int, progress: Progress) -> list[Row]:
    """What budgets add to a dispatch and to a termination, and how late an overrun is seen; the conventional kernel has none."""
    if COLUMNS[column][1] != "carillon":
        return []
    progress(f"execution budgets, {column}: {rounds} cycles")
    unlimited = re.compile("^budget.*\n", re.MULTILINE)
    applications.derive(BUDGET, NO_BUDGET, lambda schedule: unlimited.sub("", schedule))
    names = [
        "bench_activates",
        "carillon_task_High",
        "bench_high_ends",
        "bench_low_goes_on",
        "carillon_budget_body",
        "ProtectionHook",
        STRIKES,
        CLOCK_STRIKES,
    ]
    kept = {"": (BUDGET, STRIKES)}
    if COLUMNS[column][0] == "software":
        applications.derive(BUDGET, BY_CLOCK, _by_clock)
        kept["_by_clock"] = BY_CLOCK, CLOCK_STRIKES
    without = applications.marked(NO_BUDGET, column, rounds, 5 * TICK, names)
    rows: list[Row] = []
    for suffix, (name, strikes_at) in kept.items():
        measured = applications.marked(name, column, rounds, 5 * TICK, names)
        for metric, begin, end in (
            ("budget_dispatch", "bench_activates", "carillon_task_High"),
            ("budget_terminate", "bench_high_ends", "bench_low_goes_on"),
        ):
            more, less = (marks.between(begin, [end])[:rounds] for marks in (measured, without))
            rows.append(FIGURES[metric + suffix].row(column, [one - other for one, other in zip(more, less, strict=True)]))
        strikes, begins = measured.times(strikes_at), measured.times("carillon_budget_body")
        ended = [strikes[bisect_left(strikes, asked) - 1] for asked in measured.times("ProtectionHook")]
        late = [strike - begins[bisect_left(begins, strike) - 1] - RUNAWAY for strike in ended[:rounds]]
        rows.append(FIGURES["budget_detection_latency" + suffix].row(column, late))
    return rows


def _round_budgets(applications: Applications, column: str, rounds: int, progress: Progress) -> list[Row]:
    """What budgets of a round's tasks take, and how late an overrun is seen; no other kernel has them."""
    if column != "carillon" or board() != BOARD:
        return []
    progress(f"execution budgets of a round: {rounds} rounds")
    summary, _ = applications.analysed("bounded", column, 5 * TICK * (rounds + 1), [])
    rows = [
        FIGURES[f"round_budget_{metric}"].row(column, runs_of(summary, task, metric.rpartition("_")[2])[:rounds])
        for task, metrics in (("Bounded", ("dispatch", "terminate")), ("Beside", ("beside_dispatch", "beside_terminate")))
        for metric in metrics
    ]
    endless = [r.executed - RUNAWAY for r in summary.runs if r.lane.name == "Endless" and r.end is not None]
    return [*rows, FIGURES["round_budget_detection_latency"].row(column, endless[:rounds])]


def _sizes(applications: Applications, column: str, _rounds: int, progress: Progress) -> list[Row]:
    progress(f"the size of one task and one schedule table, {column}")
    firmware = applications.built("minimal", column).firmware
    return [FIGURES["flash"].row(column, [firmware.flash]), FIGURES["ram"].row(column, [firmware.ram])]


PARTS: tuple[Callable[[Applications, str, int, Progress], list[Row]], ...] = (
    tables,
    _lower,
    _nodes,
    budgets,
    _round_budgets,
    _sizes,
)
"""What is measured of each kernel: what yields the rows of some figures."""


def autosar(rounds: int, diagnostics: Diagnostics, progress: Progress, columns: Collection[str] = tuple(COLUMNS)) -> list[Row]:
    """Every figure, and those of table I; ``rounds`` is the number of samples (at least 1000 for published ones).

    ``columns``: the kernels, of those of :mod:`.osek`.
    """
    rows: list[Row] = []
    with scratch() as folder:
        applications = Applications(folder / "autosar", diagnostics, "autosar")
        for column in columns:
            for part in PARTS:
                rows += part(applications, column, rounds, progress)
        for kernel in (k for k in KERNELS if k in columns):
            progress(f"time-triggered tasks, {kernel}: {rounds} rounds")
            rows += overheads(built("dispatch", kernel, folder, diagnostics).analysed(rounds), kernel)
    return rows
