# SPDX-License-Identifier: Apache-2.0
"""Applications of ``bench/timers``: built once, run on the chip, and what was recorded of a run."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from carillon.bench.handlers import Handler, handlers_of
from carillon.bench.made import made
from carillon.bench.marks import Marks
from carillon.build import Firmware
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.pipeline import Planned
from carillon.resources import data_root
from carillon.run import record
from carillon.run.entries import Code, Record

CHIP = "atmega128"

SOURCES = data_root() / "bench" / "timers"

ROOMY = "atmega128-xmem"
"""The chip with external memory: sixty threads' stacks are more than it has."""


@dataclass(frozen=True, slots=True)
class Run:
    """What was recorded: times in cycles (instructions on boards in QEMU).  ``handlers`` are the clock's."""

    hertz: int
    handlers: tuple[Handler, ...]
    slices: tuple[Handler, ...]
    marks: Marks
    switches: int

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
    """Builds the applications in a folder, each variant in one of its own, and runs them."""

    def __init__(self, folder: Path, diagnostics: Diagnostics) -> None:
        self._folder = folder
        self._diagnostics = diagnostics
        self._count = 0  # of what has been built

    def built(
        self, name: str, timer: Timer, threads: Sequence[str], code: str = "", kernel: str = "carillon", **parameters: int | str
    ) -> tuple[Planned, Firmware]:
        """An application with its threads, what stands in its C file for ``/* THREADS */``, and its parameters."""
        folder = self._folder / str(self._count)
        application = folder / name
        shutil.copytree(SOURCES / name, application, ignore=shutil.ignore_patterns("build"))
        shutil.copy(SOURCES / "mark.h", folder)
        lines = [f"#define {key.upper()} {value}" for key, value in parameters.items()]
        (folder / "parameters.h").write_text("\n".join(lines) + "\n", encoding="utf-8")
        main = application / "main.c"
        main.write_text(main.read_text(encoding="utf-8").replace("/* THREADS */", code), encoding="utf-8")
        (application / "schedule.toml").write_text(timer.schedule(name, threads), encoding="utf-8")
        return self.made(application / "schedule.toml", timer.board, kernel)

    def made(self, schedule: Path, board: str, kernel: str = "carillon") -> tuple[Planned, Firmware]:
        """What a schedule makes on a board."""
        self._count += 1
        return made(schedule, self._folder / f"build-{self._count}", self._diagnostics, board, kernel)

    def records(self, planned: Planned, firmware: Firmware, ticks: int, marks: Sequence[str]) -> list[Record]:
        """What a run records."""
        return self._diagnostics.required(record(planned.image, firmware, ticks, self._diagnostics, marks)).records

    def run(self, planned: Planned, firmware: Firmware, ticks: int, marks: Sequence[str]) -> Run:
        """Run time services for so many ticks of the system clock, or until they halt."""
        records, table = self.records(planned, firmware, ticks, marks), symbols(firmware.elf)
        osek = planned.allocation.osek
        assert osek is not None and osek.clock is not None
        clock = planned.system.board.clock(planned.system.clock_hz)
        slices = {osek.slices.source} if osek.slices is not None else set()
        handlers = tuple(handlers_of(planned, table, records, {osek.clock.carrier.source}))
        return Run(
            clock.hz * clock.instructions_per_tick,
            handlers,
            tuple(handlers_of(planned, table, records, slices)),
            Marks.of(records, table, marks, handlers),
            sum(entry.code == Code.RESUME for entry in records),
        )
