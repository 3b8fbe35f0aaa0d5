# SPDX-License-Identifier: Apache-2.0
"""What a task's start and its end take in all, in clock cycles: ``bench/cycles`` on the board in RTL.

A start counts from the cycle in which the timer cell requests to that of the task's first instruction.  So it has the time in it
that the hardware takes.  An end counts from the task's last own instruction to the first one of what goes on.
"""

from __future__ import annotations

from pathlib import Path

from bench.papers.made import BENCH, Application, change, copied, made
from bench.papers.rows import Row, board, row, runs_of
from carillon.diagnostics import Diagnostics
from carillon.run import record
from carillon.run.hardware import Hardware
from carillon.run.records import Decoder
from carillon.trace.analyse import analyse
from carillon.trace.summary import Summary
from carillon.trace.timeline import KERNEL

TASKS = {"": "Plain", "_deadline_1": "One", "_deadline_2": "Two"}
"""What ends a metric's name, and the task."""


def latencies(kernel: str, rounds: int, folder: Path, diagnostics: Diagnostics) -> list[Row]:
    """``start`` and ``end`` with 0, 1 and 2 deadlines; ``start_alone`` and ``end_alone`` of a task that nothing may preempt."""
    source = copied(BENCH / "cycles", folder / f"cycles-{kernel}")
    rows = _rows(made(source / "schedule.toml", folder / f"cycles-{kernel}-made", diagnostics, board(), kernel), kernel, rounds)
    alone = copied(BENCH / "cycles", folder / f"alone-{kernel}")
    change(alone / "schedule.toml", _without_deadlines)
    application = made(alone / "schedule.toml", folder / f"alone-{kernel}-made", diagnostics, board(), kernel)
    return [*_rows(application, kernel, rounds, alone=True), *rows]


AVR = "atmega128"


def on_avr(kernel: str, rounds: int, folder: Path, diagnostics: Diagnostics) -> list[Row]:
    """The rows of table I of the paper for ``bench/cycles`` on AVR, whose emulator counts cycles, too, but those of an entry."""
    application = made(BENCH / "cycles" / "schedule.toml", folder / f"avr-{kernel}", diagnostics, AVR, kernel)
    summary = application.analysed(rounds)
    return [
        row(f"avr_{what}{end}", kernel, AVR, "cycles", runs_of(summary, task, what))
        for what in ("dispatch", "terminate")
        for end, task in TASKS.items()
    ]


LINE = 32
"""Bytes of a line of data, as the paper counts them (section VI-B)."""
WINDOWS = 8


def data_lines(kernel: str, folder: Path, diagnostics: Diagnostics) -> Row:
    """``data_lines``: lines of variables and stack that are touched in a round of ``bench/cycles``, whose tasks touch none."""
    application = made(BENCH / "cycles" / "schedule.toml", folder / f"lines-{kernel}", diagnostics, board(), kernel)
    length, log = application.planned.system.modes[0].round_length, folder / f"lines-{kernel}.log"
    firmware, image = application.firmware, application.planned.image
    diagnostics.required(record(image, firmware, (WINDOWS + 4) * length, diagnostics, hardware=Hardware(log=log)))
    accesses = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
    last, ram = int(accesses[-1][0]), application.symbols["carillon_bss_start"][0]
    touched: list[set[int]] = [set() for _ in range(WINDOWS)]
    for cycle, what, address in accesses:
        window = (last - int(cycle)) // length
        if what in ("load", "store") and window < WINDOWS and int(address, 16) >= ram:
            touched[window].add(int(address, 16) // LINE)
    return row("data_lines", kernel, board(), f"lines of {LINE} bytes", [len(lines) for lines in touched])


def _without_deadlines(text: str) -> str:
    """The schedule with the first task alone."""
    head, _, rest = text.partition("[task.One]")
    points = [line for line in rest[rest.index("[mode") :].splitlines() if '"One"' not in line and '"Two"' not in line]
    return head + "\n".join(points) + "\n"


def _rows(application: Application, kernel: str, rounds: int, *, alone: bool = False) -> list[Row]:
    mode = application.planned.system.modes[0]
    ends = {task: f"bench_{task}_ends" for task in TASKS.values() if f"bench_{task}_ends" in application.symbols}
    recording = application.recorded((rounds + 2) * mode.round_length, list(ends.values()))
    decoder = Decoder(application.planned.image, application.symbols)
    origin = decoder.origin(recording.records)
    assert origin is not None
    trace = decoder.trace(recording.records, (rounds + 2) * mode.round_length, 0, recording.output)
    summary, passed = analyse(trace, ()), application.marks(recording, list(ends.values()))
    rows: list[Row] = []
    for end, task in TASKS.items():
        if task not in ends:
            continue
        at = next(a.at for a in mode.activations if a.task == task)
        starts = [r.begin.n % mode.round_length - at for r in summary.runs if r.lane.name == task]
        times = [time - origin for time in passed.times(ends[task])]
        names = ("start_alone", "end_alone") if alone else (f"start{end}", f"end{end}")
        rows.append(row(names[0], kernel, board(), "cycles", starts[:rounds]))
        rows.append(row(names[1], kernel, board(), "cycles", _to_next(summary, task, times)[:rounds]))
    return rows


def _to_next(summary: Summary, task: str, times: list[int]) -> list[int]:
    """From each time to the first instruction of what has the processor next and is neither the kernel's nor the task's."""
    begins = [s.begin.n for s in summary.segments if s.lane is not KERNEL and s.lane.name != task]
    return [next(b for b in begins if b >= time) - time for time in times if begins and begins[-1] >= time]
