# SPDX-License-Identifier: Apache-2.0
"""What Giotto costs as microcode and on cells: the benchmark of the paper on the programmable microkernel, on ``ast1030-evb``.

C. Kirsch, M. Sanvido, T. Henzinger, *A Programmable Microkernel for Real-Time Systems* (VEE 2005), section 7.  There are 4, 10,
50 and 100 tasks in four equally large groups of 16.66, 33.33, 50 and 100 Hz.  They have short, medium and long execution times,
under four methods.  The fifth is the program on cells.

What is counted are instructions of each millisecond that are neither the idle task's nor the tasks' own.  Of those, the
interpreter's are told apart by what it reads.  Each instruction of the microcode that it fetches begins one, and those that put
in a thread are S code.

A case whose program the tool refuses, because there is no such schedule, is infeasible.  One that the board does not keep is
late: of the share of the processor that its tasks take, the check knows, but not of what the interpreter takes.

The preemptions of a program with nonpreemptive S code stand beside each of the paper's cases of that program.  What section 7
says of the costs is in :mod:`bench.papers.laws`, of the first load that is measured.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from bench.papers.laws import LAWS, law_rows
from bench.papers.made import Application, scratch
from bench.papers.rows import IN_CYCLES, Curve, Plot, Progress, Result, Row, board, row
from bench.papers.watched import (
    BEGIN,
    DISPATCHER,
    END,
    INTERPRETER,
    KNOWN,
    LATE,
    ROUND_MS,
    SCHEDULER,
    Watched,
    is_driver,
    watched,
)
from carillon.build.symbols import sizes
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.microcode import S_CODE, Opcode
from carillon.model.giotto import Machine
from carillon.pipeline import plan, read_and_check
from carillon.trace.timeline import IDLE, LaneKind, Segment

TASKS = (4, 10, 50, 100)
METHODS = ("edf", "edf-s", "nonpreemptive-s", "rm-s", "cells")
"""The default scheduler with the E code alone; S code; and no microcode."""
_S_CODE = {"edf-s": "edf", "nonpreemptive-s": "nonpreemptive", "rm-s": "rate-monotonic"}
LOADS = {"short": Fraction(20, 100), "medium": Fraction(35, 100), "long": Fraction(80, 100)}
"""What the tasks of a set take of the processor together; each of them takes as long as the others."""
PARTS = tuple(LOADS)

PERIODS_MS = (60, 30, 20, 10)
_INFEASIBLE = ("C270", "C283")
_CLOCK_HZ = 206_000_000
MUST = {"invocation_idle": 60, "completion_next": 160, "interpret_release": 25, "interpret_future": 25}
"""The most that samples of cases are to be.  ``completion_next`` is of the cases with the method ``edf-s``."""
MUST_IMAGE = {"interpret_call": 25, "flash": 8192, "bytes_per_instruction": 8}
"""The same of a program with drivers, whose image takes uploads."""


_PARTS_OF_FLASH = ("machine", "tasks", "verify", "loader")
_CALLING = """\
sensor int seen uses get_seen;
output int told := zero;
task first (int it) output (told) state () { schedule work(it, told) } [wcet 1ms]
driver take (seen) output (int it) { if always() then copy(seen, it) }
start m { mode m () period 10 { taskfreq 1 do first(take); } }
"""
_CALLED = """\
bool always(void)
{
    return true;
}
void zero(int *told)
{
    *told = 0;
}
void get_seen(int *seen)
{
    *seen = 1;
}
void copy(const int *seen, int *it)
{
    *it = *seen;
}
void work(const int *it, int *told)
{
    *told = *it;
}
"""


def _must(metric: str, tasks: int, method: str) -> float | None:
    """What a case's average is to be at most: a share of the paper's processor, if an instruction takes a cycle there."""
    if metric != "microcode_average" or tasks != max(TASKS):
        return None
    share = {"edf": Fraction(1, 100), "cells": Fraction(1, 1000)}.get(method, Fraction(1, 200))
    return float(share * _CLOCK_HZ / 1000)


def program(tasks: int, work_ms: Fraction) -> str:
    """The program with so many tasks of so many milliseconds each."""
    found = [
        f"task t{k} () output () state () {{ schedule work() }} [wcet {1 + int(work_ms * 1_000_000)}ns]" for k in range(tasks)
    ]
    calls = [f"    taskfreq {ROUND_MS // PERIODS_MS[k % len(PERIODS_MS)]} do t{k}();" for k in range(tasks)]
    return "\n".join([*found, "", "start m {", f"  mode m () period {ROUND_MS} {{", *calls, "  }", "}", ""])


@dataclass(frozen=True, slots=True)
class Case:
    """A set of tasks, how long they take, and how they are scheduled."""

    tasks: int
    method: str
    load: str

    @property
    def work_ms(self) -> Fraction:
        """How long each task takes."""
        return LOADS[self.load] / sum(Fraction((1, 2, 3, 6)[k % 4], ROUND_MS) for k in range(self.tasks))


@dataclass(frozen=True, slots=True)
class Costs:
    """What a case costs: of each millisecond the instructions of everything and of its parts, and of a round the preemptions.

    ``ended`` are the tasks that ended, of all rounds.  ``late`` are the calls of ``carillon_machine_fault`` in each round.
    ``utilisation`` is the share of the processor that the idle task does not have; the machine's own time is part of it.
    ``size`` and ``s_size`` are instructions of microcode.
    """

    microcode: list[int]
    parts: dict[str, list[int]]
    ended: int
    preemptions: list[int]
    late: list[int]
    utilisation: Fraction
    size: int
    s_size: int
    samples: dict[str, list[int]]


def _sources(folder: Path, text: str, functions: str, method: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "bench.giotto"
    file.write_text(text, encoding="utf-8")
    code = f'#include "giotto.h"\n#include "carillon/work.h"\n#include "kernel/microcode/machine.h"\n{functions}'
    (folder / "main.c").write_text(code, encoding="utf-8")
    if method in _S_CODE:
        file.with_suffix(".scode").write_text(f".method {_S_CODE[method]}\n", encoding="utf-8")
    return file


def _made(file: Path, machine: Machine) -> Application:
    diagnostics = Diagnostics()
    return Application(plan(file, diagnostics, board(), machine=machine), file.parent / "build", diagnostics)


def _own(segments: Sequence[Segment], marks: Sequence[tuple[int, str]]) -> tuple[list[tuple[int, int]], list[int]]:
    """When tasks are at their work, as instructions from and to; and when one that was is kept from it by another."""
    intervals: list[tuple[int, int]] = []
    preempted: list[int] = []
    inside: dict[str, bool] = {}
    last = ""
    turns = [(time, name) for time, name in marks if name in (BEGIN, END)]
    k = 0
    for segment in segments:
        if segment.lane.kind is not LaneKind.TASK:
            continue
        name, begin, end = segment.lane.name, segment.begin.n, segment.end.n
        if last and name != last and inside.get(last):
            preempted.append(begin)
        last = name
        since = begin if inside.get(name) else None
        while k < len(turns) and turns[k][0] < end:
            time, what = turns[k]
            k += 1
            if what == BEGIN:
                since, inside[name] = time, True
            elif since is not None:
                intervals.append((since, time))
                since, inside[name] = None, False
        if since is not None:
            intervals.append((since, end))
    return intervals, preempted


def _spread(spans: Iterable[tuple[int, int]], per_ms: int, length: int) -> list[int]:
    """Instructions of each millisecond that lie in the spans."""
    amounts = [0] * length
    for begin, end in spans:
        at = max(0, begin)
        while at < end and at // per_ms < length:
            until = min(end, (at // per_ms + 1) * per_ms)
            amounts[at // per_ms] += until - at
            at = until
    return amounts


def _parts(run: Watched, length: int) -> dict[str, list[int]]:
    """Of each millisecond, the instructions of the interpreter for E code and for S code, and the scheduler's."""
    parts = {part: [0] * length for part in ("e_code", "s_code", "scheduler")}
    times = [time for time, _ in run.fetches]
    for (time, function), length_of in zip(run.marks, run.lengths, strict=True):
        ms = time // run.per_ms
        if not 0 <= ms < length:
            continue
        if function in SCHEDULER:
            parts["scheduler"][ms] += length_of
        elif function in DISPATCHER:
            parts["s_code"][ms] += length_of
        elif function in INTERPRETER:
            k = bisect_right(times, time)
            if k < len(times) and (k == 0 or times[k] - time < time - times[k - 1]):
                k += 1  # what comes before the first fetch of a turn of the interpreter counts for that
            parts["s_code" if run.fetches[k - 1][1] in S_CODE else "e_code"][ms] += length_of
    return parts


def measured(case: Case, folder: Path, rounds: int) -> Costs | None:
    """What a case costs; None if it is infeasible.  CarillonError if it cannot be built or run."""
    machine = Machine.CELLS if case.method == "cells" else Machine.TICKS
    file = _sources(folder, program(case.tasks, Fraction(0)), "void work(void);\n", case.method)
    hz = read_and_check(file, Diagnostics(), board(), machine=machine).clock_hz
    ticks = int(case.work_ms * hz / 1000)
    mark = 'void {0}(void);\n__attribute__((noinline)) void {0}(void)\n{{\n    __asm__ volatile("");\n}}\n'
    functions = (
        mark.format("bench_done") + f"void work(void)\n{{\n    carillon_work({ticks}u);\n    bench_done();\n}}\n"
        f"{mark.format('bench_late')}"
        "void carillon_machine_fault(enum carillon_machine_fault fault, uint16_t task, uint16_t address)\n{\n"
        "    (void)fault;\n    (void)task;\n    (void)address;\n    bench_late();\n}\n"
    )
    file = _sources(folder, program(case.tasks, Fraction(1000 * ticks, hz)), functions, case.method)
    try:
        application = _made(file, machine)
    except CarillonError as refused:
        if all(d.code in _INFEASIBLE for d in refused.diagnostics if d.severity.value == "error"):
            return None
        raise
    run = watched(application, rounds)
    length = ROUND_MS * rounds
    busy = _spread(((s.begin.n, s.end.n) for s in run.segments if s.lane != IDLE), run.per_ms, length)
    own, preempted = _own(run.segments, run.marks)
    works = _spread(own, run.per_ms, length)
    per_round = Counter(n // (run.per_ms * ROUND_MS) for n in preempted)
    late = Counter(n // (run.per_ms * ROUND_MS) for n, name in run.marks if name == LATE)
    microcode = application.planned.image.microcode
    code = microcode.compiled.program.code if microcode is not None else ()
    return Costs(
        [b - w for b, w in zip(busy, works, strict=True)],
        _parts(run, length),
        sum(name == END and 0 <= n < run.per_ms * length for n, name in run.marks),
        [per_round[k] for k in range(rounds)],
        [late[k] for k in range(rounds)],
        Fraction(sum(busy), run.per_ms * length),
        len(code),
        sum(i.opcode in S_CODE for i in code),
        _samples(run, length, case.method) if code else {metric: [] for metric in MUST},
    )


def _interpreted(run: Watched) -> Iterator[tuple[int, Opcode, int, int]]:
    """When an instruction of microcode was fetched, which, how long the interpreter took until the next, and how long it was.

    Only of those between which no other code is marked than the interpreter's, and drivers.
    """
    marks = [time for time, _ in run.marks]
    for (time, opcode), (following, _) in pairwise(run.fetches):
        first, last = bisect_right(marks, time), bisect_right(marks, following)
        between = [name for _, name in run.marks[first:last]]
        if time >= 0 and all(name in INTERPRETER or is_driver(name) for name in between):
            lengths = zip(between, run.lengths[first:last], strict=True)
            yield time, opcode, sum(length for name, length in lengths if name in INTERPRETER), following - time


def completions(run: Watched) -> Iterator[tuple[int, int]]:
    """When a task's function has ended after which S code begins the next task's, and how long it was until that one's begin.

    Nothing else has the processor in between, and the default scheduler is not asked.  A task that goes on has no begin.
    """
    begins = [segment.begin.n for segment in run.segments]
    turns = [(time, name) for time, name in run.marks if name in (BEGIN, END, *SCHEDULER)]
    for (time, ended), (following, begun) in pairwise(turns):
        between = run.segments[max(0, bisect_right(begins, time) - 1) : bisect_right(begins, following)]
        if (ended, begun) == (END, BEGIN) and all(segment.lane.kind is LaneKind.TASK for segment in between):
            yield time, following - time


def _samples(run: Watched, length: int, method: str) -> dict[str, list[int]]:
    """The instructions that a part of the machine took each time, by the metrics of :data:`MUST`."""
    end = length * run.per_ms
    samples: dict[str, list[int]] = {metric: [] for metric in MUST}
    marks = [time for time, name in run.marks if name in KNOWN]
    for time, opcode, passed, taken in _interpreted(run):
        name = f"interpret_{opcode.name.lower()}"
        if time < end and (taken == passed or board() == IN_CYCLES) and name in samples:
            samples[name].append(taken)
    for segment in run.segments:
        begin, last = segment.begin.n, segment.end.n
        if segment.lane.kind is LaneKind.KERNEL and 0 <= begin < end and begin % run.per_ms == 0:
            k = bisect_right(marks, begin)
            if k == len(marks) or marks[k] >= last:
                samples["invocation_idle"].append(last - begin)
    if method == "edf-s":
        samples["completion_next"] += [taken for time, taken in completions(run) if 0 <= time < end]
    return samples


def of_image(folder: Path, rounds: int) -> dict[str, list[int]]:
    """The samples of :data:`MUST_IMAGE`: calls without their drivers, and bytes.  CarillonError if it cannot be built or run."""
    file = _sources(folder, _CALLING, _CALLED, "edf")
    if board() != IN_CYCLES:  # whose console gives no bytes to a loader (C276)
        file.with_suffix(".upload").touch()
    application = _made(file, Machine.TICKS)
    run = watched(application, rounds)
    calls = [passed for _, opcode, passed, _ in _interpreted(run) if opcode is Opcode.CALL]
    microcode = application.planned.image.microcode
    assert microcode is not None
    size = application.symbols["code"][1]
    found = {"interpret_call": calls, "bytes_per_instruction": [-(-size // len(microcode.compiled.program.code))]}
    if board() != IN_CYCLES:
        objects = [application.firmware.elf.parent / "objects" / f"kernel_microcode_{part}.c.o" for part in _PARTS_OF_FLASH]
        found["flash"] = [sum(sizes(part)[0] for part in objects)]
    return found


def _rows(case: Case, costs: Costs | None) -> list[Row]:
    """The rows of a case: its metrics end with the number of tasks and the load.  None: it is infeasible."""
    suffix = f"{case.tasks}_{case.load}"
    if costs is None:
        return [row(f"infeasible_{suffix}", case.method, board(), "", [1], None)]
    if any(costs.late):
        return [row(f"late_{suffix}", case.method, board(), "per round", costs.late, None)]
    every = len(costs.microcode)

    def of(metric: str, values: Sequence[float], unit: str = "instructions") -> Row:
        most = _must(metric, case.tasks, case.method)
        return row(f"{metric}_{suffix}", case.method, board(), unit, values, most)

    def average(metric: str, values: Sequence[int]) -> Row:
        return replace(of(metric, [round(sum(values) / max(1, len(values)), 1)]), samples=len(values))

    rows = [
        replace(of("microcode_peak", [max(costs.microcode)]), samples=every),
        replace(of("microcode_min", [min(costs.microcode)]), samples=every),
        average("microcode_average", costs.microcode),
        of("preemptions", costs.preemptions, "per round"),
        replace(of("utilisation", [round(float(costs.utilisation), 3)], ""), samples=every),
    ]
    if case.method != "cells":
        rows += [average(metric, [n for n in values if n]) for metric, values in costs.parts.items()]
        rows += [of("e_and_s_size", [costs.size], ""), of("s_size", [costs.s_size], "")]
    return rows


def _nonpreemptive(case: Case, costs: Costs) -> list[Row]:
    """The preemptions of a program with nonpreemptive S code, beside each method of the paper for that program."""
    metric = f"nonpreemptive_{case.tasks}_{case.load}"
    return [row(metric, method, board(), "per round", costs.preemptions, 0) for method in METHODS if method != "cells"]


def microkernel(rounds: int, diagnostics: Diagnostics, progress: Progress, parts: Sequence[str] = ()) -> Result:
    """The figures of all cases of the loads ``parts``, or of every load.

    ``rounds`` is the number of milliseconds at least; whole rounds of 60 are measured.
    """
    cases = [Case(n, method, load) for load in parts or PARTS for n in TASKS for method in METHODS]
    every = _measured(cases, rounds, diagnostics, progress)
    rows = [r for case, costs in every for r in _rows(case, costs)]
    found = {case: costs for case, costs in every if costs is not None and not any(costs.late)}
    rows += [r for case, costs in found.items() if case.method == "nonpreemptive-s" for r in _nonpreemptive(case, costs)]
    load = next((case.load for case in found), "")
    of_load = [(case.method, case.tasks, costs.parts, costs.ended) for case, costs in found.items() if case.load == load]
    by_case = [law_rows(board(), method, tasks, parts, ended) for method, tasks, parts, ended in of_load]
    rows += sorted((r for its in by_case for r in its), key=lambda r: list(LAWS).index(r.metric.rpartition("_")[0]))
    for metric, most in MUST.items():
        values = [n for costs in found.values() for n in costs.samples[metric]]
        if values:
            rows.append(row(metric, "microcode", board(), "instructions", values, most))
    rows += _of_image(-(-rounds // ROUND_MS), diagnostics, progress)
    return Result(rows, tuple(_plots(found)))


def _of_image(rounds: int, diagnostics: Diagnostics, progress: Progress) -> list[Row]:
    progress("a program with drivers")
    with scratch() as folder:
        try:
            samples = of_image(folder, rounds)
        except CarillonError as error:
            diagnostics.reported += error.diagnostics
            return []
    units = {"interpret_call": "instructions"}
    return [
        row(metric, "microcode", board(), units.get(metric, "bytes"), samples[metric], most)
        for metric, most in MUST_IMAGE.items()
        if metric in samples
    ]


def _measured(
    cases: Sequence[Case], rounds: int, diagnostics: Diagnostics, progress: Progress
) -> list[tuple[Case, Costs | None]]:
    results: list[tuple[Case, Costs | None]] = []
    with scratch() as folder:
        for number, case in enumerate(cases, 1):
            progress(f"{case.tasks} tasks, {case.method}, {case.load}: case {number} of {len(cases)}")
            try:
                results.append((case, measured(case, folder / str(number), -(-rounds // ROUND_MS))))
            except CarillonError as error:
                diagnostics.reported += error.diagnostics
                break
    return results


def _mean(values: Sequence[int]) -> float:
    some = [n for n in values if n]
    return sum(some) / len(some) if some else 0.0


def _plots(priced: dict[Case, Costs]) -> list[Plot]:
    """Figures 6 to 9 of the paper, for the tasks with the first load that was measured."""
    load = next((case.load for case in priced), "")
    axis = "tasks"

    def plot(name: str, title: str, y: str, figure: Callable[[Costs], float]) -> Plot:
        curves = []
        for method in METHODS[:-1]:
            points = [(case.tasks, figure(costs)) for case, costs in priced.items() if (case.method, case.load) == (method, load)]
            if points:
                curves.append(Curve(method, tuple(float(x) for x, _ in points), tuple(y for _, y in points)))
        return Plot(name, title, axis, y, tuple(curves))

    unit = "instructions of each millisecond that has any"
    if not priced:
        return []
    return [
        plot("code-size", "E and S code", "instructions of microcode", lambda c: c.size),
        plot("e-code", "E code", unit, lambda c: _mean(c.parts["e_code"])),
        plot("scheduling", "The scheduler and S code", unit, lambda c: _mean(c.parts["scheduler"]) + _mean(c.parts["s_code"])),
        plot("microcode", "All of it", "instructions of each millisecond", lambda c: _mean(c.microcode)),
    ]
