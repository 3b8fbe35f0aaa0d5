# SPDX-License-Identifier: Apache-2.0
"""What Giotto on cells costs in the paper's benchmark, and that preempting costs nothing.

C. Kirsch, M. Sanvido, T. Henzinger, *A Programmable Microkernel for Real-Time Systems* (VEE 2005): tasks at 16.66, 33.33, 50 and
100 Hz, as many of each, without ports.  What counts is all that the processor does but for the tasks' own work: entries and
exits of interrupts, blocks, releases, the choice of who runs, and the calls of the tasks' functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from bench.papers.microkernel import ROUND_MS, program
from bench.papers.rows import BOARD
from carillon.build import build
from carillon.diagnostics import Diagnostics
from carillon.model.giotto import Machine
from carillon.pipeline import plan, read_and_check
from carillon.run import run
from carillon.trace import Kind, Trace
from carillon.trace.analyse import analyse
from carillon.trace.timeline import IDLE, LaneKind

HZ = 206_000_000
"""The paper's clock."""


@dataclass(frozen=True, slots=True)
class CellsFigures:
    """Instructions of each millisecond, over whole rounds of 60: at most, at least, on average; and the average's parts.

    ``blocks`` is the clock's handler, in which blocks release tasks, ``tasks`` what starts and ends them.  The tasks' functions
    are called and return at once.
    """

    peak: int
    least: int
    average: Fraction
    blocks: Fraction
    tasks: Fraction


@dataclass(frozen=True, slots=True)
class CellsLoad:
    """The same with work: ``busy`` are all instructions of a round but those of the idle task, ``preemptions`` those of one."""

    busy: Fraction
    preemptions: Fraction
    utilisation: Fraction


def overhead(folder: Path, tasks: int, rounds: int = 10, board: str = BOARD) -> CellsFigures:
    """What so many tasks cost; CarillonError if the program cannot be built or run."""
    trace = _trace(folder, tasks, 0, rounds, board)
    per_ms, begin = _begin(trace)
    entries = {event.n for event in trace.events if event.kind is Kind.ENTER and event.object == "clock"}
    spent = [0] * (ROUND_MS * rounds)
    blocks = 0
    for segment in analyse(trace, []).segments:
        if segment.lane is IDLE:
            continue
        first, last = segment.begin.n - begin, segment.end.n - begin
        ms = first // per_ms
        if not 0 <= ms < len(spent):
            continue
        assert (last - 1) // per_ms == ms, "the tasks of an instant take more than a millisecond"
        spent[ms] += last - first
        blocks += last - first if segment.begin.n in entries else 0
    average = Fraction(sum(spent), len(spent))
    share = Fraction(blocks, len(spent))
    return CellsFigures(max(spent), min(spent), average, share, average - share)


def loaded(folder: Path, tasks: int, work: int, rounds: int = 10, board: str = BOARD) -> CellsLoad:
    """What becomes of so many tasks that work for so many ticks each; CarillonError as above, or if they end late: C283."""
    trace = _trace(folder, tasks, work, rounds, board)
    per_ms, begin = _begin(trace)
    end = begin + ROUND_MS * rounds * per_ms
    summary = analyse(trace, [])
    inside = [s for s in summary.segments if begin <= s.begin.n < end]
    busy = sum(min(s.end.n, end) - s.begin.n for s in inside if s.lane is not IDLE)
    own = sum(min(s.end.n, end) - s.begin.n for s in inside if s.lane.kind is LaneKind.TASK)
    preempted = [e for e in trace.events if e.kind is Kind.PREEMPT and begin <= e.n < end]
    length = Fraction(per_ms * ROUND_MS * rounds)
    return CellsLoad(Fraction(busy, rounds), Fraction(len(preempted), rounds), own / length)


def _trace(folder: Path, tasks: int, work: int, rounds: int, board: str) -> Trace:
    diagnostics = Diagnostics()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"cells-{tasks}-{work}.giotto"
    body = f"carillon_work({work}u);" if work else ""
    main = f'#include "giotto.h"\n#include "carillon/work.h"\nvoid work(void)\n{{\n    {body}\n}}\n'
    (folder / "main.c").write_text(main, encoding="utf-8")
    file.write_text(program(tasks, Fraction(0)), encoding="utf-8")
    hz = read_and_check(file, Diagnostics(), board, machine=Machine.CELLS).clock_hz
    file.write_text(program(tasks, Fraction(1000 * work, hz)), encoding="utf-8")
    planned = plan(file, diagnostics, board, machine=Machine.CELLS)
    firmware = diagnostics.required(build(planned.image, folder / file.stem, diagnostics))
    return diagnostics.required(run(planned.image, firmware, hz * ROUND_MS * (rounds + 1) // 1000, diagnostics))


def _begin(trace: Trace) -> tuple[int, int]:
    """Instructions of a millisecond, and when the first block began."""
    per_ms = trace.clock_hz * max(1, trace.instructions_per_tick) // 1000
    return per_ms, next(event.n for event in trace.events if event.kind is Kind.ENTER and event.object == "clock")


def test_a_hundred_tasks_take_less_than_a_thousandth_of_the_processor(tmp_path: Path) -> None:
    ten, fifty, hundred = (overhead(tmp_path, tasks) for tasks in (10, 50, 100))
    assert hundred.average <= HZ // 1000 // 1000
    assert hundred.average == hundred.blocks + hundred.tasks
    assert hundred.least == 0  # nothing is due, and nothing ticks
    # Each task costs the same, however many there are.
    assert (
        abs((hundred.average - fifty.average) / 50 - (fifty.average - ten.average) / 40) < (hundred.average - ten.average) / 900
    )
    assert ten.peak < fifty.peak < hundred.peak


def test_what_preempts_costs_what_it_costs_on_an_idle_processor(tmp_path: Path) -> None:
    short, long = 15_600, 54_600
    few, many = loaded(tmp_path, 4, short), loaded(tmp_path, 4, long)
    assert few.preemptions == 0
    assert many.preemptions == 2
    calls = 1 + 2 + 3 + 6
    assert many.busy - few.busy == calls * (long - short)
    assert 0.65 < many.utilisation < 0.75
