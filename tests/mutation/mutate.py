# SPDX-License-Identifier: Apache-2.0
"""Change a line of the kernel or of a cell so that it is wrong, and see whether a test notices.

    python tests/mutation/mutate.py --count 20 --seed 1
    python tests/mutation/mutate.py --file kernel/osek/alarm.c --count 0          all mutants of a file
    python tests/mutation/mutate.py --file kernel/osek/event.c --line 24          all mutants of a line
    python tests/mutation/mutate.py --list                                        what would be changed

Each mutant is one change of one line (``OPERATORS``).  It is made in a copy of the tree, and the tests of the file
that it is in (``TESTS``) run there one after the other until one fails.  The mutant is then *killed*; it *survived* if
all pass; it was *not compiled* if the compiler refuses it.  A test that does not end in its time has failed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

RACES = "tests/races/test_races.py"


# The tests of a file: the first prefix that fits.  Each is a list of pytest's arguments, cheap ones first; words with =
# are set in the environment, and "unit" is the unit tests in C.
TESTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "kernel/osek/alarm.c",
        (
            f"{RACES} -k alarms",
            "tests/osek -k found_once",
            "tests/conformance -k alarms",
            "tests/firmware/test_osek_kernel.py -k alarm",
        ),
    ),
    (
        "kernel/osek/event.c",
        (f"{RACES} -k events", "tests/osek -k found_once", "tests/conformance -k events"),
    ),
    (
        "kernel/osek/resource.c",
        (f"{RACES} -k resources", "tests/osek -k found_once", "tests/conformance -k resources"),
    ),
    (
        "kernel/osek/interrupt.c",
        (f"{RACES} -k category", "tests/conformance -k interrupts"),
    ),
    ("kernel/osek/error.c", (f"{RACES} -k hook", "tests/osek -k found_once")),
    (
        "kernel/osek/software.c",
        (f"{RACES} -k software", "tests/osek -k found_once"),
    ),
    (
        "kernel/osek/",
        (
            f"{RACES} -k 'direct or cell or queued or preemptable'",
            "tests/osek -k found_once",
            f"{RACES} -k 'events or resources'",
            "tests/conformance",
        ),
    ),
    ("kernel/include/carillon/osek", (f"{RACES}", "tests/osek -k found_once")),
    ("kernel/time/queue.c", ("tests/time/test_queue.py",)),
    ("kernel/include/carillon/queue.h", ("tests/time/test_queue.py",)),
    ("kernel/time/clock.c", ("tests/time/test_clock.py", "tests/firmware/test_time_services.py")),
    ("kernel/include/carillon/clock.h", ("tests/time/test_clock.py", "tests/firmware/test_time_services.py")),
    ("kernel/time/", ("tests/firmware/test_time_services.py",)),
    ("kernel/core/", ("unit", "tests/firmware/test_switching.py")),
    ("kernel/osektime/", ("unit", "tests/firmware/test_services.py", "tests/firmware/test_switching.py")),
    ("kernel/conventional/", ("unit", "tests/firmware/test_preemption.py")),
    ("kernel/", ("unit", f"{RACES} -k direct", "tests/firmware/test_services.py")),
    ("cells/", ("unit", "tests/firmware/test_cells.py", "tests/firmware/test_exact_starts.py", "tests/firmware/test_clocks.py")),
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of a line, counted from 1."""

    file: str
    line: int
    operator: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.operator}: {self.old.strip()}  ->  {self.new.strip() or '(nothing)'}"


def _each(pattern: str, replace: str | Callable[[re.Match[str]], str]) -> Callable[[str], Iterator[str]]:
    """A line with one of the places that a pattern fits replaced, for each of them."""
    compiled = re.compile(pattern)

    def change(line: str) -> Iterator[str]:
        for match in compiled.finditer(line):
            new = replace(match) if callable(replace) else match.expand(replace)
            yield line[: match.start()] + new + line[match.end() :]

    return change


STATEMENT = r"^(\s+)(?!return|break|continue|goto|case|default|const |static |struct |uint|bool |volatile |u?int\d|for|typedef)"
OPERATORS: tuple[tuple[str, Callable[[str], Iterator[str]]], ...] = (
    ("no lock", _each(r"carillon_(osek|software)_lock\(\)", r"carillon_\1_mask()")),
    ("no lock", _each(r"carillon_port_lock\(\)", "0u")),
    ("no mask", _each(r"carillon_port_raise\([^()]*(\([^()]*\))?[^()]*\)", "carillon_port_mask()")),
    ("no unlock", _each(r"^(\s*)carillon_(osek|port)_(unlock|restore|lower)\(([^;]*)\);", r"\1(void)(\4);")),
    ("no barrier", _each(r"^(\s*)carillon_port_barrier\(\);", r"\1;")),
    ("no barrier", _each(r"(\\n)?\s*\b(isb|dsb|dmb)\b", "")),
    ("no instruction", _each(r'^(\s*(?:__asm__ volatile\()?)"\s*(?!\.)[a-z][a-z0-9.]* [^"]*\\n(\\t)?"', r'\1""')),
    ("no statement", _each(STATEMENT + r"[A-Za-z_(*][^;{}=]*\);\s*(/\*.*)?$", r"\1;")),
    ("no statement", _each(STATEMENT + r"[A-Za-z_*(][^;{}()]*\s[-+|&]?=\s[^;]*;\s*(/\*.*)?$", r"\1;")),
    ("no statement", _each(STATEMENT + r"[A-Za-z_][^;{} ]*(\+\+|--);$", r"\1;")),
    ("condition", _each(r"\b(if|while) \((.*)\) \{$", r"\1 (!(\2)) {")),
    ("comparison", _each(r" < ", " <= ")),
    ("comparison", _each(r" <= ", " < ")),
    ("comparison", _each(r" > ", " >= ")),
    ("comparison", _each(r" >= ", " > ")),
    ("comparison", _each(r" == ", " != ")),
    ("comparison", _each(r" != ", " == ")),
    ("logic", _each(r" && ", " || ")),
    ("logic", _each(r" \|\| ", " && ")),
    ("arithmetic", _each(r" \+ ", " - ")),
    ("arithmetic", _each(r" - ", " + ")),
    ("arithmetic", _each(r"\+\+", "--")),
    ("arithmetic", _each(r"(?<=\w)--", "++")),
    ("bits", _each(r" \|= ", " &= ")),
    ("bits", _each(r" &= ~", " |= ")),
    ("constant", _each(r"\b(\d+)u\b", lambda m: f"{int(m[1]) + 1}u")),
)


def mutants(root: Path, file: str) -> Iterator[Mutant]:
    """All mutants of a file.  Comments and preprocessor lines stay."""
    comment = False
    for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), 1):
        code = line
        if comment:
            comment = "*/" not in line
            continue
        if line.lstrip().startswith("/*"):
            comment = "*/" not in line
            continue
        if line.startswith("#") or not line[:1].isspace() or not line.strip():
            continue
        seen = {line}
        for name, change in OPERATORS:
            for new in change(code.split(" /*")[0]):
                if new not in seen:
                    seen.add(new)
                    yield Mutant(file, number, name, line, new)


def files(root: Path) -> list[str]:
    """What is changed: C files and headers of the kernel and the cells, but the empty cell to copy."""
    named = subprocess.run(["git", "ls-files", "kernel", "cells"], cwd=root, capture_output=True, text=True, check=True)
    return [f for f in named.stdout.splitlines() if f.endswith((".c", ".h")) and "template" not in f]


def tests_of(file: str) -> tuple[str, ...]:
    """The tests that should notice a change in a file."""
    return next(tests for prefix, tests in TESTS if file.startswith(prefix))


def copy(root: Path, to: Path) -> None:
    """A copy of what git knows, changes that are not committed included."""
    named = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in named:
        if (root / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, to / name)


def run(tree: Path, test: str, seconds: float) -> tuple[bool, str]:
    """Run one test of a list in a tree: did it pass, and what did it say?"""
    environment = {**os.environ, "PYTHONPATH": str(tree / "tool"), "PYTHONDONTWRITEBYTECODE": "1"}
    if test == "unit":
        command = "cmake --preset host-tests && cmake --build --preset host-tests && ctest --preset host-tests"
    else:
        words = test.split(" ")
        environment |= dict(word.split("=", 1) for word in words if re.match(r"[A-Z_]+=", word))
        arguments = " ".join(word for word in words if not re.match(r"[A-Z_]+=", word))
        command = f"{sys.executable} -m pytest -x -q -n 0 -p no:cacheprovider {arguments}"
    with subprocess.Popen(
        command, shell=True, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return False, f"not over in {seconds:.0f} s"
    return process.returncode == 0, said.decode(errors="replace")


def judge(tree: Path, mutant: Mutant, seconds: float) -> tuple[str, str]:
    """Make the change, run the tests, take it back: what became of the mutant, and what noticed."""
    path = tree / mutant.file
    original = path.read_text(encoding="utf-8")
    lines = original.splitlines()
    assert lines[mutant.line - 1] == mutant.old
    lines[mutant.line - 1] = mutant.new
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        for test in tests_of(mutant.file):
            passed, said = run(tree, test, seconds)
            if not passed:
                refused = re.search(r"error C091|: error: |ninja: build stopped", said)
                return ("not compiled" if refused else "killed"), test
        return "survived", ""
    finally:
        path.write_text(original, encoding="utf-8")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--count", type=int, default=20, help="so many mutants, drawn; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of the drawing")
    parser.add_argument("--file", action="append", default=[], help="only files whose path begins so; may be repeated")
    parser.add_argument("--line", type=int, default=0, help="only this line")
    parser.add_argument("--operator", default="", help="only this operator")
    parser.add_argument("--seconds", type=float, default=300.0, help="for one test of a file's list")
    parser.add_argument("--trust", action="store_true", help="do not run the tests without a change first")
    parser.add_argument("--list", action="store_true", help="say what would be changed, and end")
    options = parser.parse_args()
    every = [m for f in files(ROOT) if not options.file or f.startswith(tuple(options.file)) for m in mutants(ROOT, f)]
    every = [m for m in every if options.line in (0, m.line) and options.operator in ("", m.operator)]
    drawn = every
    if 0 < options.count < len(every):
        drawn = sorted(random.Random(options.seed).sample(every, options.count), key=lambda m: (m.file, m.line))
    print(f"{len(drawn)} of {len(every)} mutants, seed {options.seed}", flush=True)
    if options.list:
        print(*drawn, sep="\n")
        return 0
    found: dict[str, list[Mutant]] = {"killed": [], "survived": [], "not compiled": []}
    with tempfile.TemporaryDirectory(prefix="mutation-") as scratch:
        tree = Path(scratch)
        copy(ROOT, tree)
        began = time.monotonic()
        for test in sorted({t for m in drawn for t in tests_of(m.file)} if not options.trust else ()):
            passed, said = run(tree, test, 4 * options.seconds)
            if not passed:
                print(f"without a change '{test}' fails:\n{said[-3000:]}")
                return 1
        if not options.trust:
            print(f"without a change all tests pass ({time.monotonic() - began:.0f} s)", flush=True)
        for mutant in drawn:
            verdict, by = judge(tree, mutant, options.seconds)
            found[verdict].append(mutant)
            print(f"{verdict}: {mutant}" + (f"  [{by}]" if by else ""), flush=True)
    print(", ".join(f"{len(those)} {verdict}" for verdict, those in found.items()))
    for mutant in found["survived"]:
        print(f"survived: {mutant}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
