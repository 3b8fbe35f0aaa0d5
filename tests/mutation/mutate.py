# SPDX-License-Identifier: Apache-2.0
"""Change a line of the kernel or of a cell so that it is wrong, and see whether a test notices.

    python tests/mutation/mutate.py --record                                      once: what do tests compile?
    python tests/mutation/mutate.py --count 20 --seed 1
    python tests/mutation/mutate.py --file kernel/counters/alarm.c --count 0          all mutants of a file
    python tests/mutation/mutate.py --file kernel/jobs/event.c --line 24 --count 0        all mutants of a line
    python tests/mutation/mutate.py --units --file kernel/levels/ --count 0       by the unit tests in C alone, in seconds
    python tests/mutation/mutate.py --list                                        what would be changed

Each mutant is one change of one line (``OPERATORS``), made in a copy of the tree.  README.md says how it is judged.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import Process
from pathlib import Path
from typing import Any

from mutants import Argued, Mutant, by_hand, files, mutants, read_argued, stale
from objects_kept import Objects
from unit_programs import UnitPrograms

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / "build/mutation"
ARGUED = Path(__file__).with_name("argued.toml")
CHEAP = 3.0
"""Seconds of a test that is run rather than asked whether its object code differs."""
VERDICTS = ("killed", "not compiled", "no difference", "argued", "survived", "not reached")
FINAL = ("killed", "not compiled")
"""What the unit tests alone may say, and no other test changes."""

# What is recorded without a name: the suites that run the kernel, the quick ones first.
SUITES = (
    "tests/time",
    "tests/osek/test_model_based.py -k found_once",
    "tests/races",
    "tests/conformance/test_conformance.py",
    "tests/firmware",
    "tests/osek/test_model_based.py",
    "tests/rounds/test_rounds.py",
)
# Words of the names of tests that a header of the kernel's concerns most: a part of all tests may be all that is run.
GO_WITH = {
    "base": ("counter",),
    "clock": ("time/", "clock", "time_services"),
    "console": ("printing",),
    "osek": ("races", "osek", "conformance"),
    "error": ("conformance", "osek"),
    "kernel": ("races", "osek", "conformance"),
    "counter": ("counter", "alarms", "osek"),
    "queue": ("time/", "time_services"),
    "software": ("races", "software"),
    "time": ("time_services", "expiries"),
}


def copy(root: Path, to: Path) -> None:
    """A copy of what git knows, changes that are not committed included; what is the same already is left alone."""
    named = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True
    )
    for name in named.stdout.splitlines():
        here, there = root / name, to / name
        if here.is_file() and not (there.is_file() and here.read_bytes() == there.read_bytes()):
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)  # newer than what was built of an older one


@dataclass(frozen=True, slots=True)
class Test:
    """A test, how long it takes, and what it compiles: the compiler's command for each file."""

    name: str
    seconds: float
    units: tuple[tuple[str, ...], ...]


def end(process: int, seconds: float) -> int | None:
    """Wait for a process that leads a session, and end what is left of that: its exit code, or None if it took too long."""
    code = None
    until = time.monotonic() + seconds
    while code is None and time.monotonic() < until:
        gone, status = os.waitpid(process, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if gone else None
        time.sleep(0 if gone else 0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    if code is None:
        os.waitpid(process, 0)
    return code


def run(tree: Path, what: Callable[[], int], seconds: float) -> tuple[int | None, str]:
    """Call a function in a process of its own, in a tree: its result, None if it took too long, and what it said."""
    with tempfile.TemporaryFile() as said:
        process = os.fork()
        if process == 0:
            code = 99
            try:
                os.setsid()
                os.chdir(tree)
                for stream in (1, 2):
                    os.dup2(said.fileno(), stream)
                code = what()
            finally:
                sys.stdout.flush()
                os._exit(code)
        code = end(process, seconds)
        said.seek(max(0, said.seek(0, os.SEEK_END) - 20000))
        return code, said.read().decode(errors="replace")


def pytest(*arguments: str, seconds: int = 0) -> int:
    """Run tests, for so many seconds of the processor.  What a wrong kernel prints without end is not to fill the memory."""
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, most))
    if seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    begin = subprocess.Popen.__init__

    def popen(process: Any, command: Any, *options: Any, **named: Any) -> None:
        """The sanitizer of addresses, in what a test has built, reserves more than there is."""
        if isinstance(command, list | tuple) and Path(command[0]).is_relative_to(tempfile.gettempdir()):
            command = ["prlimit", "--data=unlimited:", *map(str, command)]
        begin(process, command, *options, **named)

    subprocess.Popen.__init__ = popen  # type: ignore[assignment]
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    import pytest as it

    return int(it.main(["-q", "-n", "0", "--tb=line", "-p", "no:cacheprovider", *arguments]))


def version(root: Path) -> str:
    """A fingerprint of what is compiled and of what writes code."""
    folders = ["kernel", "cells", "ports", "emulators/host", "boards", "tool/carillon"]
    named = subprocess.run(["git", "ls-files", *folders], cwd=root, capture_output=True, text=True, check=True)
    contents = b"\0".join((root / name).read_bytes() for name in named.stdout.splitlines() if (root / name).is_file())
    return hashlib.sha256(contents).hexdigest()


class Judge:
    """Makes changes in a copy of the tree, and runs the tests whose object code they change."""

    def __init__(self, scratch: Path, budget: float, most: int, number: int = 0) -> None:
        self.right, self.tree = scratch / "right", scratch / f"wrong{number or ''}"
        self.object = scratch / f"object{number or ''}.o"
        self.programs: UnitPrograms | None = None
        self.known = scratch / "texts.jsonl"  # what `texts` has
        self.record, self.mirror = scratch / "tests.jsonl", scratch / "mirror"
        self.mirror.mkdir(parents=True, exist_ok=True)
        self.budget, self.most = budget, most
        self.kept: Objects | None = None
        self.tests: dict[str, Test] = {}
        self.texts: dict[tuple[str, ...], str] = {}  # of a unit, without a change
        self.includes: dict[tuple[str, ...], frozenset[str]] = {}  # of a unit, which files of the tree are in it
        self.included: dict[Path, str] = {}  # of a folder
        self.sources: dict[Path, str] = {}
        self.objects: dict[str, bytes] = {}  # by preprocessed text and command, without a change
        self.killers: dict[str, list[str]] = {}  # of a file, the last one first
        self.read()

    def read(self) -> None:
        """Read the record; of a test that is there twice the last line counts."""
        if self.known.is_file():
            for line in self.known.read_text(encoding="utf-8").splitlines():
                unit, text, includes = json.loads(line)
                self.texts[tuple(unit)], self.includes[tuple(unit)] = text, frozenset(includes)
        if self.record.is_file():
            for line in self.record.read_text(encoding="utf-8").splitlines():
                it = json.loads(line)
                units = dict.fromkeys(tuple(map(self.moved, unit)) for unit in it["units"])
                self.tests[it["test"]] = Test(it["test"], it["seconds"], tuple(units))

    def moved(self, word: str) -> str:
        """A word of a command that was recorded, in the tree that is changed."""
        option = "-I" if word.startswith("-I") else ""
        path = Path(word.removeprefix(option))
        return option + str(self.tree / path.relative_to(self.right)) if path.is_relative_to(self.right) else word

    def add(self, suite: str) -> None:
        """Record a suite's tests: a file, and pytest's options."""
        os.environ |= {"RECORD": str(self.record), "MIRROR": str(self.mirror)}
        _, said = run(self.right, lambda: pytest("-p", "recorder", *shlex.split(suite)), 7200)
        print(f"{suite}: {said.strip().splitlines()[-1]}", flush=True)

    def compile(self, unit: tuple[str, ...], *options: str) -> bytes | None:
        """What the compiler makes of a unit; None: it refuses it."""
        command = [unit[0], *options, *unit[1:], "-g0", "-o", "-"]
        if options == ("-c",):
            command[-1] = str(self.object)
        done = subprocess.run(command, cwd=self.tree, capture_output=True, check=False)
        if done.returncode:
            return None
        return done.stdout if options != ("-c",) else self.object.read_bytes()

    def text(self, unit: tuple[str, ...], right: bool = False) -> str:
        """A fingerprint of a unit's preprocessed text and of how it is compiled, places apart.

        Empty if the unit is refused without a change, as a test may want it.
        """
        text = self.compile(unit, "-E", "-P")
        if text is None and right:
            print(f"refused without a change: {' '.join(unit)}", flush=True)
            return ""
        how = [word for word in unit[:-1] if not word.startswith(("/", "-I"))]
        return hashlib.sha256(b"\0".join([text or b"refused", *(word.encode() for word in how)])).hexdigest()

    def unchanged(self, mutant: Mutant, change: Callable[[bool], None], tests: list[Test]) -> None:
        """Preprocess, without the change, what has not been so far."""
        wanted = [unit for test in tests for unit in test.units if unit not in self.texts and self.concerns(mutant, unit)]
        if wanted:
            change(False)
            with self.known.open("a", encoding="utf-8") as stream:
                for unit in wanted:
                    self.texts[unit] = self.text(unit, True)
                    words = (self.compile(unit, "-MM") or b"").decode().replace("\\\n", " ").split()
                    paths = (Path(os.path.normpath(self.tree / word)) for word in words[1:])
                    self.includes[unit] = frozenset(str(p.relative_to(self.tree)) for p in paths if p.is_relative_to(self.tree))
                    stream.write(json.dumps([unit, self.texts[unit], sorted(self.includes[unit])]) + "\n")
            change(True)

    def concerns(self, mutant: Mutant, unit: tuple[str, ...]) -> bool:
        """Can a change be in a unit?  As long as that is not known: a file of C is in its own, and in what names it.

        A cell's header is where generated code names it.
        """
        if self.includes.get(unit):
            return mutant.file in self.includes[unit]
        if mutant.file.endswith(".c"):
            return unit[-1].endswith(f"/{mutant.file}") or f'"{mutant.file}"' in self.source(Path(unit[-1]))
        folders = [word for word in unit if word.startswith(str(self.mirror))]
        return not mutant.file.startswith("cells/") or any(mutant.file in self.named(Path(folder)) for folder in folders)

    def source(self, path: Path) -> str:
        """The text of a source of the tests; nothing of one that is changed."""
        if path not in self.sources:
            own = path.is_relative_to(self.tree / "tests")
            self.sources[path] = path.read_text(encoding="utf-8") if own else ""
        return self.sources[path]

    def named(self, folder: Path) -> str:
        """What the files of a folder of generated code include."""
        if folder not in self.included:
            texts = [f.read_text(encoding="utf-8") for f in folder.iterdir()] if folder.is_dir() else []
            self.included[folder] = " ".join(re.findall(r"^#include (.*)$", "\n".join(texts), re.MULTILINE))
        return self.included[folder]

    def killed(self, file: str, test: str) -> None:
        """A test has noticed a change of a file."""
        those = self.killers.setdefault(file, [])
        self.killers[file] = [test, *(other for other in those if other != test)]

    def order(self, mutant: Mutant) -> list[Test]:
        """All tests: the quick ones first that noticed something in the file, then those that are named like it, then the others.

        What is named like it has half of the budget.  The others are in the order in which all files' tests would end if the
        files ran beside each other, the quickest tests of each first.
        """
        killers = self.killers.get(mutant.file, [])[:8]
        stem = Path(mutant.file).stem if not mutant.file.startswith("cells/") else Path(mutant.file).parent.name
        words = GO_WITH.get(stem, (stem,)) if mutant.file.endswith(".h") else (stem,)
        concerned = [test for test in self.tests.values() if any(self.concerns(mutant, unit) for unit in test.units)]
        places: dict[str, tuple[int, float]] = {}
        spent = 0.0
        ends: dict[str, float] = {}
        for test in sorted(concerned, key=lambda t: t.seconds):
            file = test.name.split("::")[0]
            ends[file] = ends.get(file, 0.0) + test.seconds
            spent += test.seconds if (is_named := any(word in test.name for word in words)) else 0.0
            is_first = is_named and spent < self.budget / 2
            places[test.name] = (8, 0.0 if is_first else ends[file])
        quick = {test.name for test in concerned if test.seconds < CHEAP}
        places |= {name: (place, 0.0) for place, name in enumerate(killers) if name in quick}
        return sorted(concerned, key=lambda t: places[t.name])

    def judge(self, mutant: Mutant) -> tuple[str, str]:
        """Make the change, run the tests, take it back: what became of the mutant, and what noticed."""
        path = self.tree / mutant.file
        original, before = path.read_text(encoding="utf-8"), path.stat()
        lines = original.splitlines()
        assert lines[mutant.line - 1] == mutant.old
        lines[mutant.line - 1] = mutant.new
        wrong = "\n".join(lines) + "\n"

        def change(made: bool) -> None:
            path.write_text(wrong if made else original, encoding="utf-8")

        try:
            change(True)
            if self.kept is not None:
                self.kept.changed = mutant.file
            return self.noticed(mutant, change)
        finally:
            change(False)
            if self.kept is None:  # so that ninja builds nothing anew: its objects are of the right file
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def noticed(self, mutant: Mutant, change: Callable[[bool], None]) -> tuple[str, str]:
        """The same, with the change made."""
        same: dict[str, bool] = {}  # by preprocessed text without the change
        batch: list[Test] = []
        spent, limit, differing, left_out = 0.0, 2.0, 0, 0

        def differs(unit: tuple[str, ...], seconds: float) -> bool | None:
            """Is the object code another one?  None: the compiler refuses it.

            A test of few seconds is run if the text is another one, where another unit's object code has been found to differ.
            """
            before = self.texts[unit]
            if before not in same:
                if self.text(unit) == before:
                    same[before] = True
                elif seconds < CHEAP and False in same.values():
                    return True
                else:
                    new = self.compile(unit, "-c")
                    if new is None:
                        return None
                    if before not in self.objects:
                        change(False)
                        self.objects[before] = self.compile(unit, "-c") or b""
                        change(True)
                    same[before] = new == self.objects[before]
            return not same[before]

        def failed() -> str:
            """The first test of the batch that fails, or the empty string."""
            nonlocal batch, spent
            seconds = sum(test.seconds for test in batch)
            names = [test.name for test in batch]
            longest = round(40 + 6 * seconds)
            code, said = run(self.tree, lambda: pytest("-x", *names, seconds=longest // 3), longest)
            if code in (2, 3, 4, 5):  # not what a test says; a negative code is a crash
                raise RuntimeError(said)
            spent += seconds + 1
            named = re.findall(r"^(?:FAILED|ERROR) (tests/.*?)(?: - |$)", said, re.MULTILINE)
            batch = []
            return "" if code == 0 else (named[0] if named else f"a crash, or not over in time: {names[0]} ...")

        by_units, said = self.programs.noticed(mutant.file, change) if self.programs else ("not reached", "")
        if by_units in FINAL or self.kept is None:
            return by_units, said
        tests = self.order(mutant)
        for place, test in enumerate(tests):
            if self.most and differing >= self.most:
                break
            if place % 5 == 0:
                self.unchanged(mutant, change, tests[place : place + 5])
            found = [differs(unit, test.seconds) for unit in test.units if self.concerns(mutant, unit) and self.texts[unit]]
            if None in found:
                return "not compiled", ""
            if any(found):
                differing += 1
                if spent >= self.budget or (spent and spent + test.seconds > 1.5 * self.budget):
                    left_out += 1
                    continue
                batch.append(test)
            if batch and (sum(t.seconds for t in batch) >= limit or test is tests[-1]):
                limit *= 2
                by = failed()
                if by:
                    return "killed", by
        if batch:
            by = failed()
            if by:
                return "killed", by
        if differing == 0:
            found_same = (
                ("no difference", f"{len(same)} different texts compiled") if same else ("not reached", "no test compiles it")
            )
            return (by_units, said) if by_units != "not reached" else found_same
        return "survived", f"{differing - left_out} tests passed" + (f", {left_out} more have other code" if left_out else "")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the results.  ``units``: the unit tests alone have judged."""

    mutant: str
    verdict: str
    by: str
    seconds: float
    units: bool = False


def read_results(path: Path) -> dict[str, Row]:
    """What has been judged: of a mutant that is there twice the last line counts."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {row.mutant: row for row in (Row(**json.loads(line)) for line in lines)}


def is_judged(row: Row | None, units: bool, again: bool) -> bool:
    """Need a mutant not be judged once more?"""
    if row is None or (again and row.verdict in ("survived", "not reached")):
        return False
    return units or not row.units or row.verdict in FINAL


def judge_all(drawn: list[Mutant], judge: Judge, options: argparse.Namespace) -> None:
    """Judge mutants, and write each verdict to the results at once."""
    copy(ROOT, judge.tree)
    judge.programs = UnitPrograms(judge.tree, SCRATCH / "units" / judge.tree.name)
    if not options.units:
        sys.path[:0] = [str(judge.tree / "tool"), str(judge.tree / "tests/mutation")]
        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
        judge.kept = Objects(SCRATCH / "objects", judge.tree)
    for mutant in drawn:
        began = time.monotonic()
        verdict, by = judge.judge(mutant)
        if verdict == "killed" and "::" in by:
            judge.killed(mutant.file, by)
        row = Row(str(mutant), verdict, by, round(time.monotonic() - began, 1), options.units)
        print(f"{verdict}: {mutant}  [{by}]  {row.seconds} s", flush=True)
        if verdict != "not reached" or options.units:
            with options.results.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(asdict(row)) + "\n")


def report(drawn: list[Mutant], known: dict[str, Row], argued: list[Argued]) -> int:
    """Print what became of the mutants of each file, and those that survived.  1: a test notices what is argued."""
    tables: dict[str, Counter[str]] = {}
    survived, wrong = [], []
    for mutant in sorted(drawn, key=lambda m: (m.file, m.line)):
        counts = tables.setdefault(mutant.file, Counter())
        counts["all"] += 1
        if (row := known.get(str(mutant))) is None:
            continue
        is_argued = any(one.fits(mutant) for one in argued)
        verdict = "argued" if is_argued and row.verdict == "survived" else row.verdict
        counts[verdict] += 1
        survived += [f"survived: {mutant}"] if verdict == "survived" else []
        wrong += [f"argued, but killed by {row.by}: {mutant}"] if is_argued and verdict == "killed" else []
    print("| file | mutants | " + " | ".join(VERDICTS) + " |\n|---|" + "--:|" * (len(VERDICTS) + 1))
    tables["**all**"] = sum(tables.values(), Counter())
    for file, counts in tables.items():
        print(f"| {file} | {counts['all']} | " + " | ".join(str(counts[verdict]) for verdict in VERDICTS) + " |")
    print(*survived, *wrong, sep="\n")
    return 1 if wrong else 0


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--count", type=int, default=20, help="so many mutants, drawn; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of the drawing")
    parser.add_argument("--file", action="append", default=[], help="only files whose path begins so; may be repeated")
    parser.add_argument("--line", type=int, default=0, help="only this line")
    parser.add_argument("--operator", default="", help="only this operator")
    parser.add_argument("--list", action="store_true", help="say what would be changed, and end")
    parser.add_argument(
        "--record", nargs="*", metavar="TESTS", help="run these tests without a change, and see what they compile"
    )
    parser.add_argument("--results", type=Path, default=ROOT / "build/mutants.jsonl", help="where each verdict is written")
    parser.add_argument("--budget", type=float, default=120.0, help="seconds of tests for a mutant that survives")
    parser.add_argument("--tests", type=int, default=100, help="so many of the tests that a mutant concerns; 0: all")
    parser.add_argument("--change", nargs=3, action="append", metavar=("FILE", "LINE", "TEXT"), help="a mutant of your own")
    parser.add_argument("--units", action="store_true", help="the unit tests in C are all that judges: nothing need be recorded")
    parser.add_argument("--jobs", type=int, default=1, help="so many mutants at the same time, each in a copy of its own")
    parser.add_argument("--table", action="store_true", help="print what the results say of the mutants, and end")
    parser.add_argument("--again", action="store_true", help="judge those, too, that the results have as survived or not reached")
    options = parser.parse_args()
    os.environ.setdefault("CARILLON_DRAW", "mutation")  # a commit after the recording draws no other cases
    every = [m for f in files(ROOT) if not options.file or f.startswith(tuple(options.file)) for m in mutants(ROOT, f)]
    every = [m for m in every if options.line in (0, m.line) and options.operator in ("", m.operator)]
    # Of each mutant its place in the drawing depends on itself alone: a greater count has the smaller one's, too.
    drawn = sorted(every, key=lambda m: hashlib.sha256(f"{options.seed} {m}".encode()).digest())
    drawn = drawn[: options.count or len(drawn)]
    if options.change:
        drawn = every = [by_hand(ROOT, file, int(line), text) for file, line, text in options.change]
    if options.list:
        print(f"{len(drawn)} of {len(every)} mutants, seed {options.seed}", *sorted(map(str, drawn)), sep="\n")
        return 0
    argued = read_argued(ARGUED)
    if errors := list(stale(argued, ROOT)):
        print(*errors, sep="\n")
        return 1
    now, then = version(ROOT), SCRATCH / "version"
    needs_record = not options.units and not options.table
    if needs_record and (not then.is_file() or then.read_text(encoding="utf-8") != now):
        if options.record is None:
            print("nothing is recorded of the kernel and the tool as they are: run with --record first, or with --units")
            return 1
        for name in ("right", "mirror", "objects", "tests.jsonl", "texts.jsonl"):  # what is left is made anew or built again
            path = SCRATCH / name
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        SCRATCH.mkdir(parents=True, exist_ok=True)
        then.write_text(now, encoding="utf-8")
    if options.record is not None:
        judge = Judge(SCRATCH, options.budget, options.tests)
        copy(ROOT, judge.right)
        sys.path[:0] = [str(judge.right / "tool"), str(judge.right / "tests/mutation")]
        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
        for suite in options.record or SUITES:
            judge.add(suite)
        return 0
    known = read_results(options.results)
    if not options.table:
        options.results.parent.mkdir(parents=True, exist_ok=True)
        to_do = [m for m in drawn if not is_judged(known.get(str(m)), options.units, options.again)]
        judges = [Judge(SCRATCH, options.budget, options.tests, number) for number in range(options.jobs)]
        if needs_record and not judges[0].tests:
            print("no test is recorded: run with --record first, or with --units")
            return 1
        print(f"{len(to_do)} of {len(every)} mutants, seed {options.seed}; {len(judges[0].tests)} recorded tests", flush=True)
        for row in known.values():
            if row.verdict == "killed" and "::" in row.by:
                for judge in judges:
                    judge.killed(row.mutant.split(":")[0], row.by)
        share = partial(judge_all, options=options)
        workers = [Process(target=share, args=(to_do[n :: len(judges)], judge)) for n, judge in enumerate(judges)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if any(worker.exitcode for worker in workers):
            return 1
    return report(drawn, read_results(options.results), argued)


if __name__ == "__main__":
    sys.exit(main())
