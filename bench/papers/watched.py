# SPDX-License-Identifier: Apache-2.0
"""Runs of the machine of microcode: which functions were executed when, and how long each instruction of them took.

In instructions, each that is marked is one.  In cycles, one takes as long as it is to the next that is executed: so all functions
are marked there, but for the idle task and the tasks' own work.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bench.papers.made import Application
from bench.papers.rows import IN_CYCLES, board
from carillon.microcode import Opcode
from carillon.run.entries import Code
from carillon.run.records import Decoder
from carillon.trace import Kind
from carillon.trace.analyse import analyse
from carillon.trace.timeline import Segment

ROUND_MS = 60
BEGIN, END, LATE = "work", "bench_done", "bench_late"
SCHEDULER = ("most_urgent", "settle", "take_out")
INTERPRETER = ("interpret", "insert_thread")
DISPATCHER = ("dispatch_next",)
"""S code that follows a task's end without the interpreter."""
LOOP = ("carry_out",)

KNOWN = {*SCHEDULER, *INTERPRETER, *DISPATCHER, *LOOP, BEGIN, END, LATE}
DRIVERS = ("always", "zero", "get_seen", "copy", "memcpy")
"""Functions that a program's drivers are and call, beside the generated ones."""
_UNMARKED = ("work", "carillon_work", "main", "ttIdleTask", "ttStartOS", "StartOS")
"""In cycles, all other functions are marked: an instruction takes as long as it is to the next one that is executed."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A run: ``segments`` say who had the processor, ``marks`` which of the marked functions was executed when.

    ``lengths`` are what each of them took: an instruction, or its cycles.  ``fetches`` are the times at which the interpreter
    read an instruction of microcode, and its opcode.  All times count from the program's first instant.
    """

    per_ms: int
    segments: tuple[Segment, ...]
    marks: tuple[tuple[int, str], ...]
    lengths: tuple[int, ...]
    fetches: tuple[tuple[int, Opcode], ...]


def is_driver(name: str) -> bool:
    """Whether a function is a driver or a guard, or one that they call."""
    return name in DRIVERS or name.startswith(("driver_", "guard_"))


def _functions(table: Iterable[str], names: Iterable[str]) -> list[str]:
    """The functions of these names, and what the compiler has made of parts of them."""
    wanted = tuple(names)
    return [name for name in table if name.partition(".")[0] in wanted]


def watched(application: Application, rounds: int) -> Watched:
    """A run of so many rounds after the first block."""
    image, table = application.planned.image, application.symbols
    spans = _functions(table, (*SCHEDULER, *INTERPRETER, *DISPATCHER, *LOOP))
    marks = [name for name in (BEGIN, END, LATE) if name in table]
    if board() == IN_CYCLES:
        spans += _others(application, [*spans, *marks])
    ticks = image.system.clock_hz * ROUND_MS * (rounds + 1) // 1000
    fetched = ("interpret", "code") if image.microcode is not None else None
    recording = application.recorded(ticks, marks, spans, fetched)
    decoder = Decoder(image, table)
    origin = decoder.origin(recording.records)
    assert origin is not None
    steps = [r for r in recording.records if r.code == Code.STEP]
    places = sorted((table[name][0] & ~1, name.partition(".")[0]) for name in (*spans, *marks))
    begins = [place for place, _ in places]
    kept = [r for r in recording.records if r.code != Code.STEP]
    passed = [(r.time, places[bisect_right(begins, r.value) - 1][1]) for r in kept if r.code == Code.MARK]
    trace = decoder.trace([r for r in kept if r.code != Code.MARK], ticks, 0, recording.output)
    begin = next(event.n for event in trace.events if event.kind is Kind.ENTER and event.object in ("clock", "slices"))
    segments = tuple(analyse(trace, []).segments)
    times = tuple((time - origin - begin, name) for time, name in passed)
    segments = tuple(
        s._replace(begin=s.begin._replace(n=s.begin.n - begin), end=s.end._replace(n=s.end.n - begin)) for s in segments
    )
    opcodes = [i.opcode for i in image.microcode.compiled.program.code] if image.microcode is not None else []
    code = table["code"][0] if opcodes else 0
    return Watched(
        trace.clock_hz * max(1, trace.instructions_per_tick) // 1000,
        segments,
        times,
        _lengths([time for time, _ in times], segments),
        tuple(
            (r.time - 1 - origin - begin, opcodes[(r.value - code) // 8])
            for r in steps
            if (r.value - code) % 8 == 0 and 0 <= r.value - code < 8 * len(opcodes)
        ),
    )


def _others(application: Application, known: Sequence[str]) -> list[str]:
    """The functions that are marked in cycles alone, each once; none begins where another does."""
    table, run = application.symbols, application.planned.system.board.run
    assert run is not None
    taken = {table[name][0] & ~1 for name in (*known, *_functions(table, _UNMARKED))}
    found: list[str] = []
    for name, (at, size) in table.items():
        if size and run.code_base <= at < run.code_base + run.code_bytes and at & ~1 not in taken:
            taken.add(at & ~1)
            found.append(name)
    return found


def _lengths(times: Sequence[int], segments: Sequence[Segment]) -> tuple[int, ...]:
    """What each marked instruction took: one, or in cycles until the next one, or until another has the processor."""
    if board() != IN_CYCLES:
        return (1,) * len(times)
    begins = [segment.begin.n for segment in segments]
    found = []
    for time, following in pairwise([*times, times[-1] + 1]):
        k = bisect_right(begins, time)
        found.append(max(0, min(following, segments[k - 1].end.n if k else following) - time))
    return tuple(found)
