# SPDX-License-Identifier: Apache-2.0
"""Applications of ``bench/timers``: built once, run on the chip, and what was recorded of a run."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Self

from bench.papers.handlers import Handler
from bench.papers.made import BENCH, Application, change, copied, made
from bench.papers.marks import Marks
from carillon.diagnostics import Diagnostics
from carillon.energy import Supply
from carillon.run import Recording
from carillon.run.entries import Code
from carillon.run.records import Decoder
from carillon.trace.analyse import analyse
from carillon.trace.timeline import IDLE

CHIP = "atmega128"

SOURCES = BENCH / "timers"

ROOMY = "atmega128-xmem"
"""The chip with external memory: sixty threads' stacks are more than it has."""


@dataclass(frozen=True, slots=True)
class Run:
    """What was recorded: times in cycles (instructions on boards in QEMU).  ``handlers`` are the clock's."""

    built: Application
    recording: Recording
    ticks: int
    hertz: int
    handlers: tuple[Handler, ...]
    slices: tuple[Handler, ...]
    marks: Marks
    switches: int

    @classmethod
    def of(cls, built: Application, ticks: int, marks: Sequence[str]) -> Self:
        """Run time services for so many ticks of the system clock, or until they halt."""
        recording, osek, system = built.recorded(ticks, marks), built.planned.allocation.osek, built.planned.system
        assert osek is not None and osek.clock is not None
        clock = system.board.clock(system.clock_hz)
        handlers = built.handlers(recording, {osek.clock.carrier.source})
        slices = built.handlers(recording, {osek.slices.source} if osek.slices is not None else set())
        switches = sum(entry.code == Code.RESUME for entry in recording.records)
        hertz, passed = clock.hz * clock.instructions_per_tick, built.marks(recording, marks, handlers)
        return cls(built, recording, ticks, hertz, handlers, slices, passed, switches)

    def energy(self, begin: int, end: int) -> Fraction:
        """What the processor took from one time to another, in joules, as estimated of its board's currents."""
        decoder = Decoder(self.built.planned.image, self.built.symbols)
        records, supply = self.recording.records, Supply.of(self.built.planned.system)
        origin = decoder.origin(records)
        assert origin is not None
        assert supply is not None
        trace = decoder.trace(records, self.ticks, 0, self.recording.output)
        idle = [(s.begin.n + origin, s.end.n + origin) for s in analyse(trace, ()).segments if s.lane is IDLE]
        idled = sum(max(0, min(to, end) - max(at, begin)) for at, to in idle)
        return supply.estimate(Fraction(idled, end - begin)).energy(Fraction(end - begin, self.hertz))

    def with_mark(self, mark: str) -> tuple[list[Handler], list[Handler]]:
        """The clock's handlers in which a mark was passed, and the others."""
        passed = self.marks.times(mark)
        within = [handler for handler in self.handlers if handler.has(passed)]
        return within, [handler for handler in self.handlers if not handler.has(passed)]


@dataclass(frozen=True, slots=True)
class Timer:
    """The clock of an application: the ``[time]`` of its schedule, on a board with a system clock.

    One that ticks counts its interrupts, as the papers' clocks do: nothing locks them for as long as a tick.
    """

    kind: str
    hz: int
    tick: int | None = None
    keys: tuple[str, ...] = ("bits = 16",)
    board: str = CHIP

    def schedule(self, name: str, threads: Iterable[str]) -> str:
        """The schedule of an application of these threads, each with its table's keys."""
        lines = ["[system]", f'name = "{name}"', f'clock = "{self.hz}Hz"', "[time]", f'clock = "{self.kind}"', *self.keys]
        if self.tick is not None:
            lines += [f'tick = "{self.tick} ticks"', f'longest_lock = "{self.tick // 2} ticks"']
        return "\n".join([*lines, *threads]) + "\n"


def thread(name: str, priority: int, stack: int | None = None) -> str:
    """The table of a thread."""
    return f"[thread.{name}]\npriority = {priority}" + (f"\nstack = {stack}" if stack else "")


class Applications:
    """Builds the applications in a folder, each variant in one of its own."""

    def __init__(self, folder: Path, diagnostics: Diagnostics) -> None:
        self._folder, self._diagnostics = folder, diagnostics
        self._count = 0  # of what has been built

    def built(
        self, name: str, timer: Timer, threads: Sequence[str], code: str = "", kernel: str = "carillon", **parameters: int | str
    ) -> Application:
        """An application with its threads, what stands in its C file for ``/* THREADS */``, and its parameters."""
        folder = self._folder / str(self._count)
        application = copied(SOURCES / name, folder / name)
        shutil.copy(SOURCES / "mark.h", folder)
        lines = [f"#define {key.upper()} {value}" for key, value in parameters.items()]
        (folder / "parameters.h").write_text("\n".join(lines) + "\n", encoding="utf-8")
        change(application / "main.c", lambda text: text.replace("/* THREADS */", code))
        (application / "schedule.toml").write_text(timer.schedule(name, threads), encoding="utf-8")
        return self.made(application / "schedule.toml", timer.board, kernel)

    def made(self, schedule: Path, board: str, kernel: str = "carillon") -> Application:
        """What a schedule makes on a board."""
        self._count += 1
        return made(schedule, self._folder / f"build-{self._count}", self._diagnostics, board, kernel)
