# SPDX-License-Identifier: Apache-2.0
"""The event-triggered kernel, on ``ast1030-evb``: the applications of ``bench/osek`` with three kernels.

*carillon* orders tasks by the interrupt controller, *software* is the same kernel with
``dispatch = "software"``, and *conventional* dispatches in software and has every alarm on one tick.

A figure is the number of instructions between two marks: labels that the application defines in assembler
(``bench/osek/mark.h``) and that the tracing plugin records.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.papers.made import BENCH, Application, change, copied, made, scratch
from bench.papers.marks import Marks
from bench.papers.rows import Progress, Row, board, row, runs_of
from carillon.diagnostics import Diagnostics
from carillon.run.records import Decoder
from carillon.trace.analyse import analyse
from carillon.trace.summary import Summary

COLUMNS = {
    "carillon": ("hardware", "carillon"),
    "software": ("software", "carillon"),
    "conventional": ("software", "conventional"),
}
"""Column -> (the schedule's ``dispatch``, the pipeline's kernel)."""

MANY = (8, 32, 100)
"""Numbers of tasks of which activate_higher must not depend."""

SPARE_PRIORITIES = 8
"""Priorities that the other tasks of these applications share; the board has fifteen levels for tasks and kernel."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric: instructions from a mark to the next that is one of ``end``; ``must``: the most it may be, or None."""

    metric: str
    begin: str
    end: tuple[str, ...]
    must: float | None


BASIC = (
    Figure("activate_higher", "bench_activate_higher_begin", ("carillon_task_High",), 10),
    Figure("terminate_basic", "bench_terminate_basic_begin", ("bench_high_over",), 4),
    Figure("activate_lower", "bench_activate_lower_begin", ("bench_activate_lower_end",), 6),
    Figure("activate_lower_checked", "bench_activate_lower_checked_begin", ("bench_activate_lower_checked_end",), None),
    Figure("get_resource", "bench_get_resource_begin", ("bench_get_resource_end",), 8),
    Figure("release_resource", "bench_release_resource_begin", ("bench_release_resource_end",), 8),
)

ALARM = ("carillon_enter_carillon_task_Measure", "carillon_vector_Measure", "carillon_alarm_Cycle", "carillon_counter_Clock")
"""The first of these that there is serves the interrupt in which the alarm of ``basic`` expires."""

WINDOW = ("bench_window_begin", "bench_window_end", "bench_low")

STOLEN = {
    "extended": 0,
    "error_hook": 0,
    "extended_status": 0,
    "mixed": 0,
    "queued": 0,
    "queued_two": 0,
    "queued_shared": 20,
    "queued_table": 0,
}
"""Variants of the application ``stolen``.

In some, no task, or not the lower one, is its own vector.  In others the alarm has no cell, and is alone in its queue, or not.
Or the queue's parts share a cell, or a schedule table activates both tasks.  Each stands with the most that its figure may be.
"""

_GOES_ON = ("bench_basic_goes_on", "bench_extended_goes_on")
_GOES_ON_AGAIN = ("bench_basic_goes_on_again", "bench_extended_goes_on_again")

EXTENDED = (
    Figure("preempt_basic_by_extended", "bench_activate_extended_begin", ("carillon_task_Upper",), 40),
    Figure("preempt_basic_by_waiting", "bench_set_event_begin", ("bench_woken",), 40),
    Figure("set_event_extended", "bench_set_event_extended_begin", ("bench_woken",), 60),
    Figure("wait_event", "bench_wait_event_begin", _GOES_ON, None),
    Figure("terminate_extended", "bench_terminate_extended_begin", _GOES_ON_AGAIN, 45),
)


class Applications:
    """The applications of ``suite`` in a folder of their own, one copy for each dispatch."""

    def __init__(self, folder: Path, diagnostics: Diagnostics, suite: str = "osek") -> None:
        self._folder = folder
        self._suite = suite
        self._diagnostics = diagnostics
        for dispatch in {d for d, _ in COLUMNS.values()}:
            copy = self._folder / dispatch
            for name in {"osek", suite}:  # the marks are those of osek
                copied(BENCH / name, copy / name)
            for schedule in copy.glob("*/*/schedule.toml"):
                text = schedule.read_text(encoding="utf-8")
                schedule.write_text(text.replace('dispatch = "hardware"', f'dispatch = "{dispatch}"'), encoding="utf-8")
            for count in MANY:
                more_tasks(copied(copy / "osek" / "basic", copy / "osek" / f"basic-{count}"), count, SPARE_PRIORITIES)

    def derive(self, name: str, derived: str, how: Callable[[str], str]) -> None:
        """Another application of the suite: the same with another schedule."""
        for dispatch in {d for d, _ in COLUMNS.values()}:
            folder = self._folder / dispatch / self._suite
            change(copied(folder / name, folder / derived) / "schedule.toml", how)

    def built(self, name: str, column: str) -> Application:
        """An application, planned and built."""
        dispatch, kernel = COLUMNS[column]
        schedule = self._folder / dispatch / self._suite / name / "schedule.toml"
        return made(schedule, self._folder / f"{name}-{column}", self._diagnostics, board(), kernel)

    def marked(self, name: str, column: str, cycles: int, cycle: int, marks: Sequence[str]) -> Marks:
        """When the marks were passed in a run of so many cycles of so many ticks; never, if the firmware has no such symbol."""
        application = self.built(name, column)
        wanted = [mark for mark in marks if mark in application.symbols]
        # The last cycle's work ends within one more.
        return application.marks(application.recorded((cycles + 2) * cycle, wanted), marks)

    def analysed(self, name: str, column: str, ticks: int, marks: Sequence[str]) -> tuple[Summary, dict[str, list[int]]]:
        """The analysis of a run of so many ticks, and when the marks were passed, in its instructions."""
        application = self.built(name, column)
        recording = application.recorded(ticks, marks)
        decoder = Decoder(application.planned.image, application.symbols)
        origin = decoder.origin(recording.records)
        assert origin is not None
        passed = application.marks(recording, marks)
        trace = decoder.trace(recording.records, ticks, 0, recording.output)
        return analyse(trace, ()), {mark: [time - origin for time in passed.times(mark)] for mark in marks}


def more_tasks(folder: Path, count: int, priorities: int) -> None:
    """Add tasks to the application ``basic`` in ``folder`` until there are ``count`` and a cycle is 500 ticks a task.

    They share ``priorities``, or as many as make two tasks of each, every second one just below Measure's and the others above
    those of the measured tasks.  Measure activates all of those below first, so that they are ready when it measures.
    """
    tables, code, ready = [], [], []
    priorities = min(priorities, (count - 4) // 2)
    for k in range(count - 4):
        share = k % priorities
        below = share % 2 == 0
        tables.append(f"\n[osek.task.Other{k}]\npriority = {share + (11 if below else 31)}\n")
        code.append(f"\nTASK(Other{k})\n{{\n    TerminateTask();\n}}\n")
        if below:
            ready.append(f"    (void)ActivateTask(Other{k});\n")
    tick = 250 * count
    measure = "TASK(Measure)\n{\n"
    change(folder / "schedule.toml", lambda text: "".join([text.replace('"2500 ticks"', f'"{tick} ticks"'), *tables]))
    change(folder / "main.c", lambda text: "".join([text.replace(measure, measure + "".join(ready), 1), *code]))


def _figures(marks: Marks, figures: Iterable[Figure], column: str, count: int) -> list[Row]:
    return [
        row(f.metric, column, board(), "instructions", marks.between(f.begin, f.end)[: count * len(f.end)], f.must)
        for f in figures
    ]


def _marks_of(figures: Iterable[Figure]) -> list[str]:
    return sorted({mark for f in figures for mark in (f.begin, *f.end)})


def stolen(name: str, marks: Marks, column: str, count: int, most: int = 0) -> Row:
    """What windows of work in which Low's alarm expires lose over the shortest of the others.

    Low runs after such a window, and before the next.
    """
    begins, lows = marks.times("bench_window_begin"), marks.times("bench_low")
    with_expiry: list[int] = []
    without: list[int] = []
    for begin, end, following in zip(begins, marks.times("bench_window_end"), begins[1:], strict=False):
        activated = bisect_right(lows, end) != bisect_right(lows, following)
        (with_expiry if activated else without).append(end - begin)
    values = [window - min(without) for window in with_expiry[:count]]
    return row(name, column, board(), "instructions", values, most)


def _over(kind: str, summary: Summary, column: str, most: int) -> list[Row]:
    task = next(t for t in summary.tasks if t.lane.name == "Time")
    assert task.jitter is not None
    return [
        row(f"tt_dispatch_over_{kind}", column, board(), "instructions", runs_of(summary, "Time", "dispatch"), most),
        row(f"tt_terminate_over_{kind}", column, board(), "instructions", runs_of(summary, "Time", "terminate"), most + 1),
        row(f"tt_jitter_over_{kind}", column, board(), "ticks", [task.jitter], 0),
    ]


def osek(rounds: int, diagnostics: Diagnostics, progress: Progress) -> list[Row]:
    """Every figure of the event-triggered kernel; ``rounds`` is the number of samples (at least 1000 for published ones)."""
    rows: list[Row] = []
    with scratch() as folder:
        applications = Applications(folder, diagnostics)
        for column in COLUMNS:
            progress(f"basic tasks, {column}: {rounds} cycles")
            marks = applications.marked("basic", column, rounds, 5000, [*_marks_of(BASIC), *ALARM, "carillon_task_Measure"])
            values = marks.since(ALARM, "carillon_task_Measure")[:rounds]
            rows.append(row("activate_by_alarm", column, board(), "instructions", values, 0))
            rows += _figures(marks, BASIC, column, rounds)
            few = next(r for r in rows if r.metric == "activate_higher" and r.kernel == column)
            for count in MANY:
                progress(f"{count} tasks, {column}: {rounds} cycles")
                higher = BASIC[0]
                marks = applications.marked(f"basic-{count}", column, rounds, 500 * count, _marks_of([higher]))
                values = marks.between(higher.begin, higher.end)[:rounds]
                rows.append(row(f"activate_higher_{count}", column, board(), "instructions", values, few.maximum))
            progress(f"extended tasks, {column}: {rounds} cycles")
            marks = applications.marked("extended", column, rounds, 15000, _marks_of(EXTENDED))
            rows += _figures(marks, EXTENDED, column, rounds)
            progress(f"a window of work, {column}: {rounds} cycles")
            marks = applications.marked("stolen", column, 2 * rounds, 4000, WINDOW)
            rows.append(stolen("stolen_by_lower", marks, column, rounds))
            for kind, most in (("bcc1", 0), ("ecc1", 14)):
                progress(f"time-triggered over {kind}, {column}: {rounds} rounds")
                rows += _over(kind, applications.built(f"mixed-{kind}", column).analysed(rounds), column, most)
            firmware = applications.built("minimal", column).firmware
            rows.append(row("flash_bcc1", column, board(), "bytes", [firmware.flash], 1024))
            rows.append(row("ram_bcc1", column, board(), "bytes", [firmware.ram], 0))
        for variant, most in STOLEN.items():
            progress(f"a window of work, {variant.replace('_', ' ')}: {rounds} cycles")
            marks = applications.marked(f"stolen-{variant.replace('_', '-')}", "carillon", 2 * rounds, 4000, WINDOW)
            rows.append(stolen(f"stolen_by_lower_{variant}", marks, "carillon", rounds, most))
    return rows
