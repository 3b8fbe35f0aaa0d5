# SPDX-License-Identifier: Apache-2.0
"""What benchmarks do with applications: copy and change them, build them, and run them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.papers.handlers import Handler, handlers_of
from bench.papers.marks import Marks
from carillon.build import build
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.pipeline import Planned, plan, releases
from carillon.run import Recording, record, run
from carillon.trace import Trace
from carillon.trace.analyse import analyse
from carillon.trace.summary import Summary

BENCH = Path(__file__).resolve().parents[1]
"""The folder of the repository with the applications."""


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone when what is in it has been measured."""
    with tempfile.TemporaryDirectory(prefix="carillon-bench-") as folder:
        yield Path(folder)


def copied(source: Path, target: Path) -> Path:
    """A folder of applications once more, without what was built there."""
    return shutil.copytree(source, target, ignore=shutil.ignore_patterns("build"), dirs_exist_ok=True)


def change(file: Path, how: Callable[[str], str]) -> None:
    """Write a file's text anew."""
    file.write_text(how(file.read_text(encoding="utf-8")), encoding="utf-8")


class Application:
    """What was planned, built in a folder, and its runs; everything raises CarillonError."""

    def __init__(self, planned: Planned, folder: Path, diagnostics: Diagnostics) -> None:
        self.planned, self._diagnostics = planned, diagnostics
        self.firmware = diagnostics.required(build(planned.image, folder, diagnostics))
        self.symbols = symbols(self.firmware.elf)

    def recorded(
        self, ticks: int, marks: Sequence[str] = (), spans: Sequence[str] = (), fetched: tuple[str, str] | None = None
    ) -> Recording:
        """A run of so many ticks, as :func:`carillon.run.record` has it."""
        image, diagnostics = self.planned.image, self._diagnostics
        return diagnostics.required(record(image, self.firmware, ticks, diagnostics, marks, spans=spans, fetched=fetched))

    def handlers(self, recording: Recording, sources: Collection[int]) -> tuple[Handler, ...]:
        """The handlers of some sources that a run recorded."""
        return tuple(handlers_of(self.planned, self.symbols, recording.records, sources))

    def marks(self, recording: Recording, marks: Sequence[str], handlers: Iterable[Handler] = ()) -> Marks:
        """When a run passed the marks."""
        return Marks.of(recording.records, self.symbols, marks, handlers)

    def ran(self, ticks: int, rounds: int = 0) -> Trace:
        """What happened in a run of so many ticks."""
        return self._diagnostics.required(run(self.planned.image, self.firmware, ticks, self._diagnostics, rounds=rounds))

    def analysed(self, rounds: int) -> Summary:
        """The analysis of a run of so many rounds."""
        trace = self.ran(self.planned.system.modes[0].round_length * rounds, rounds)
        return analyse(trace, releases(self.planned.system, trace))


def made(
    schedule: Path, folder: Path, diagnostics: Diagnostics, board: str | None = None, kernel: str = "carillon"
) -> Application:
    """A schedule, planned, and built in a folder."""
    return Application(plan(schedule, diagnostics, board, kernel), folder, diagnostics)
