# SPDX-License-Identifier: Apache-2.0
"""All tests, with all their cases: ``make test-all``.  What was stopped goes on where it was.

    python tests/whole.py                 all that has not passed yet
    python tests/whole.py --anew          all, whatever has passed
    python tests/whole.py -n 4            other arguments of pytest: in four processes

Everything is each case of each test function, which ``CARILLON_SUITES=all`` asks for.  Random tests try as many things as in
``make test``, or as many as ``CARILLON_TRIES`` says: most of them have no end of their own.

Each case that ends is written down in ``build/test-all.jsonl``.  A case that has passed there or was skipped does not run again,
as long as all is the same that could decide it: the files of the tree, also those that are changed or new and not committed; the
variables; and the versions of Python, its packages, compilers and emulators.  What Git ignores does not count.  If anything
differs, all begins anew, and only how long each case took is kept, in ``build/test-all.seconds.json``, to estimate what is left.
Files that change while the tests run stop them: what ended since the files were last seen unchanged is not written down.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

from carillon.run.emulators import built_rigless
from sample import DRAW

TREE = Path(__file__).resolve().parents[1]
RECORD = TREE / "build" / "test-all.jsonl"
ALL = {"CARILLON_SUITES": "all"}
PROGRAMS = [
    "arm-none-eabi-gcc",
    "avr-gcc",
    "riscv64-unknown-elf-gcc",
    "gcc",
    "g++",
    "cmake",
    "ninja",
    "clang-format",
    "cppcheck",
    "gdb",
    "gdb-multiarch",
    "avr-gdb",
    "babeltrace",
    "node",
    "npm",
    "qemu-system-arm",
    "qemu-system-riscv32",
]
OF_A_RUN = ("CARILLON_DRAW", "CARILLON_WHOLE", "CARILLON_CACHE")
"""Variables that decide nothing here: a draw is written down, and kept."""
FLUSH, SAY = 20.0, 60.0
"""Seconds from one writing to the next, and from one line of progress to the next."""
PASSED = "carillon_passed"
WELL = ("passed", "skipped", "xfailed", "xpassed")


def tree() -> str:
    """The hash of all files of the tree, as they are now."""

    def git(*arguments: str, **more: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=TREE, env=os.environ | more, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    with tempfile.TemporaryDirectory(prefix="carillon-index-") as scratch:
        index = Path(scratch, "index")
        shutil.copyfile(TREE / git("rev-parse", "--git-path", "index"), index)
        git("add", "--all", GIT_INDEX_FILE=str(index))
        return git("write-tree", GIT_INDEX_FILE=str(index))


def versions() -> list[str]:
    """The versions of what tests use and the tree does not have."""
    found = [sys.version, *sorted({f"{d.name} {d.version}" for d in distributions()})]
    for name in PROGRAMS:
        if path := shutil.which(name):
            said = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            found.append(f"{name}: {said.stdout.partition(chr(10))[0]}")
    rigless = built_rigless()  # where it is not built, its boards are skipped
    return [*found, rigless.name] if rigless.is_file() else found


def key(environment: Mapping[str, str]) -> dict[str, Any]:
    """What must be the same for a result to count."""
    own = {name: value for name, value in environment.items() if name.startswith("CARILLON_") and name not in OF_A_RUN}
    return {"tree": tree(), "variables": dict(sorted(own.items())), "versions": versions()}


@dataclass
class Record:
    """What is written down: a line each."""

    key: dict[str, Any] = field(default_factory=dict)
    draw: str = ""
    cases: dict[str, tuple[str, float]] = field(default_factory=dict)
    """By node id, how it ended and its seconds; the last time."""
    clock: float = 0.0
    """The seconds of all runs together."""
    of: int = 0
    """How many cases there are."""

    @classmethod
    def read(cls, path: Path) -> Record:
        """Read a file that may be absent, and whose last line may be a part of one."""
        record = cls()
        for text in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            try:
                line = json.loads(text)
            except ValueError:
                continue
            if "key" in line:
                record.key, record.draw = line["key"], line["draw"]
            record.of = line.get("of", record.of)
            record.clock += line.get("clock", 0.0)
            if "case" in line:
                record.cases[line["case"]] = line["outcome"], line["seconds"]
        return record

    def well(self) -> list[str]:
        """The cases that need not run again."""
        return sorted(case for case, (outcome, _) in self.cases.items() if outcome in WELL)


def append(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write lines down so that they are there after a crash; a part of a line that one has left is ended first."""
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        file.flush()
        os.fsync(file.fileno())


def spent(seconds: float) -> str:
    """A duration, in words."""
    minutes = round(seconds / 60)
    return f"{seconds:.0f} s" if seconds < 120 else f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def estimate(left: Iterable[str], known: Mapping[str, float]) -> float | None:
    """How many seconds cases take, by what they took; those that never ran as others of their function, or as the mean of all."""
    if not known:
        return None
    functions: dict[str, list[float]] = {}
    for case, seconds in known.items():
        functions.setdefault(case.partition("[")[0], []).append(seconds)
    mean = sum(known.values()) / len(known)
    means = {function: sum(seconds) / len(seconds) for function, seconds in functions.items()}
    return sum(known.get(case, means.get(case.partition("[")[0], mean)) for case in left)


class Whole:
    """The plugin of pytest that writes down what has ended; of the first process alone."""

    def __init__(self, config: pytest.Config, path: Path = RECORD) -> None:
        self.config, self.path = config, path
        self.record = Record.read(path)
        seconds = path.with_suffix(".seconds.json")
        self.known: dict[str, float] = json.loads(seconds.read_text(encoding="utf-8")) if seconds.is_file() else {}
        self.known |= {case: seconds for case, (_, seconds) in self.record.cases.items()}
        self.passed = self.record.well()
        self.left: set[str] | None = None
        self.parts: dict[str, tuple[str, float]] = {}
        self.ended: dict[str, tuple[str, float]] = {}
        self.begin = self.written = self.said = time.monotonic()
        self.work, self.stopped = 0.0, False

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """All processes leave out the same cases, also one that begins later."""
        node.workerinput[PASSED] = self.passed

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._collected(ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items:
            self._collected([item.nodeid for item in session.items])

    def _collected(self, ids: list[str]) -> None:
        if self.left is None:
            self.left = set(ids)
            append(self.path, [{"of": len(ids) + len(self.passed)}])
            self.record.of = len(ids) + len(self.passed)
            self._say()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome, seconds = self.parts.get(report.nodeid, ("passed", 0.0))
        if report.outcome == "failed" or (report.outcome == "skipped" and outcome == "passed"):
            outcome = report.outcome
        self.parts[report.nodeid] = outcome, seconds + report.duration
        if report.when in ("setup", "call"):
            return
        self.ended[report.nodeid] = self.parts.pop(report.nodeid)  # behind its teardown, or where its process has ended
        self.work += self.ended[report.nodeid][1]
        if self.left is not None:
            self.left.discard(report.nodeid)
        if time.monotonic() - self.written > FLUSH:
            self._write()
        if time.monotonic() - self.said > SAY:
            self._say()

    def _write(self) -> None:
        if self.stopped:
            return
        if tree() != self.record.key.get("tree"):
            self.stopped = True
            for node in [self.config.pluginmanager.get_plugin("dsession"), self.config.pluginmanager.get_plugin("session")]:
                if node is not None:
                    node.shouldstop = "the files have changed while the tests ran: run make test-all again"
            return
        now = time.monotonic()
        lines: list[dict[str, Any]] = [{"case": c, "outcome": o, "seconds": round(s, 3)} for c, (o, s) in self.ended.items()]
        append(self.path, [*lines, {"clock": round(now - self.written, 1)}])
        self.record.cases |= self.ended
        self.known |= {case: seconds for case, (_, seconds) in self.ended.items()}
        self.ended, self.written = {}, now

    def _say(self) -> None:
        self.said = time.monotonic()
        left = self.left or set()
        done = self.record.of - len(left)
        failed = sum(outcome == "failed" for outcome, _ in {**self.record.cases, **self.ended}.values())
        work = estimate(left, self.known)
        each = (self.said - self.begin) / self.work if self.work else 0.5  # seconds by the clock for one of the tests' own
        rest = "" if work is None else f"; about {spent(work * each)} left"
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.ensure_newline()
            terminal.write_line(f"test-all: {done:,} of {self.record.of:,} cases, {failed} failed{rest}")

    def pytest_sessionfinish(self) -> None:
        self._write()


def begin(path: Path, wanted: dict[str, Any], anew: bool) -> Record:
    """The record of these files, which may be one that was begun."""
    record = Record.read(path)
    if record.key == wanted and not anew:
        return record
    path.parent.mkdir(parents=True, exist_ok=True)
    seconds = path.with_suffix(".seconds.json")
    known = json.loads(seconds.read_text(encoding="utf-8")) if seconds.is_file() else {}
    seconds.write_text(json.dumps(known | {case: took for case, (_, took) in record.cases.items()}, indent=0), encoding="utf-8")
    path.unlink(missing_ok=True)
    append(path, [{"key": wanted, "draw": DRAW}])
    return Record.read(path)


def summary(record: Record) -> list[str]:
    """The last lines: of all runs together, the last of them as pytest's own."""
    counts = Counter(outcome for outcome, _ in record.cases.values())
    functions = len({case.partition("[")[0] for case in record.cases})
    work = sum(seconds for _, seconds in record.cases.values())
    said = [f"FAILED {case}" for case, (outcome, _) in sorted(record.cases.items()) if outcome == "failed"]
    said.append(f"test-all: {functions:,} functions, {len(record.cases):,} of {record.of:,} cases, {spent(work)} of tests")
    ended = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("failed", *WELL) if counts[outcome])
    hours, rest = divmod(round(record.clock), 3600)
    said.append(f"{ended or 'no tests ran'} in {record.clock:.2f}s ({hours}:{rest // 60:02}:{rest % 60:02})")
    return said


def main(arguments: list[str]) -> int:
    """The command."""
    if "--help" in arguments:
        print(__doc__)
        return 0
    anew = "--anew" in arguments
    given = [word for word in arguments if word != "--anew"]
    environment = ALL | dict(os.environ)
    record = begin(RECORD, key(environment), anew)
    if record.cases:
        print(f"test-all: goes on; {len(record.well()):,} of {record.of:,} cases have passed", flush=True)
    environment |= {"CARILLON_WHOLE": "1", "CARILLON_DRAW": record.draw}
    tests = subprocess.Popen([sys.executable, "-m", "pytest", *given], cwd=TREE, env=environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # pytest has it, too, and ends well
    status = tests.wait()
    record = Record.read(RECORD)
    print("\n".join(summary(record)))
    complete = len(record.cases) >= record.of > 0
    if status == pytest.ExitCode.NO_TESTS_COLLECTED and complete:
        status = 0  # all had passed before
    if status == 0 and (not complete or any(outcome not in WELL for outcome, _ in record.cases.values())):
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
