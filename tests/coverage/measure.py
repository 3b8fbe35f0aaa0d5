# SPDX-License-Identifier: Apache-2.0
"""Coverage of the kernel and the cells by branches and by MC/DC: ``make coverage``.

The unit tests in C, the tests of the queue and the clock, and the tests whose firmware is a program of this machine run once
with clang as their compiler (tests/coverage/cc).  What each program has counted is read on its own and merged
(tests/coverage/counted.py).  The result is written down in tests/coverage/recorded.json, without line numbers.

    python tests/coverage/measure.py              build, run, count, compare with limits.toml; exit code 1 below a limit
    python tests/coverage/measure.py --counted    the same of what ran last
    python tests/coverage/measure.py --markdown   the table of recorded.json
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from counted import Counted, Figures, Part, figures, files, grouped, missed, read

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "coverage"
RECORDED = HERE / "recorded.json"
LIMITS = HERE / "limits.toml"
COUNTED = ("kernel", "cells")
TESTS = ("firmware", "conformance", "threads", "rounds", "giotto", "response")
"""The folders of tests of which many run programs on this machine; tests/coverage/here_alone.py skips the others."""
LEFT_OUT = (
    "orti",
    "stacks_analysed",
    "generated_code",
    "kernel_code",
    "library",
    "emulators",
    "test_rtl",
    "test_verified",
    "sanitizer",
    "microcode_explored",
    "upload_positions",
)
"""Tests of what GCC makes."""
FIGURES = ("lines", "outcomes", "conditions")
WHAT = {"true": "never true", "false": "never false", "alone": "never decides alone"}


class CoverageError(Exception):
    """What keeps the command from its end."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The limits of a group of files."""

    files: tuple[str, ...]
    branches: float
    mcdc: float
    goal: dict[str, float]
    argued: bool


@dataclass(frozen=True, slots=True)
class Argued:
    """A condition that no test reaches, and why."""

    file: str
    condition: str
    why: str


Table = dict[str, list[int]]
"""The figures of a file or of a group: by "lines", "outcomes", "conditions", how many are reached, and of how many."""


class Group(TypedDict):
    """The figures of a group of files."""

    all: Table
    files: dict[str, Table]


class Record(TypedDict):
    """What is written down.  ``missed``: a file, a condition, and what of it no program reached."""

    programs: int
    not_compiled: list[str]
    groups: dict[str, Group]
    missed: list[list[str]]


def read_limits(path: Path) -> dict[str, Limit]:
    """The limits by group."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: Limit(tuple(t["files"]), t["branches"], t["mcdc"], t.get("goal", {}), t.get("argued", False))
        for name, t in tables.items()
    }


def read_argued(path: Path) -> list[Argued]:
    """The table of what is argued."""
    return [Argued(**table) for table in tomllib.loads(path.read_text(encoding="utf-8")).get("condition", [])]


def run_tests() -> None:
    """Run all of it; tests that fail are a failure."""
    for program in ("clang-19", "llvm-profdata-19", "llvm-cov-19"):
        if shutil.which(program) is None:
            raise CoverageError(f"'{program}' is not installed: scripts/setup.sh coverage")
    shutil.rmtree(BUILD, ignore_errors=True)
    (BUILD / "bin").mkdir(parents=True)
    for name in ("cc", "gcc", "c++", "g++"):
        (BUILD / "bin" / name).symlink_to(HERE / "cc")
    own = {
        "CARILLON_COVERAGE": str(BUILD),
        "CARILLON_DRAW": "coverage",  # what is reached is no matter of the commit
        "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": f"{HERE}:{ROOT / 'tool'}",
    }
    environment = os.environ | own
    unit = BUILD / "unit"
    options = ["-DCARILLON_TESTS=ON", "-DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/host.cmake"]
    tests = [str(ROOT / "tests" / name) for name in TESTS]
    chosen = ["-k", f"not ({' or '.join(LEFT_OUT)})"]
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "here_alone"]
    for command in (
        ["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(unit), *options],
        ["cmake", "--build", str(unit)],
        ["ctest", "--test-dir", str(unit), "--output-on-failure", "--timeout", "60"],
        # One process: both halves of a pair are in one program.
        [*pytest, "-n", "0", str(ROOT / "tests/time")],
        [*pytest, "-n", "2", "--dist", "worksteal", *tests, *chosen],
    ):
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
            raise CoverageError(f"it failed: {' '.join(command)}")


def _shown(image: Path) -> str:
    """What ``llvm-cov`` says of one program; nothing of one that never ended by itself."""
    raw = sorted((BUILD / "raw").glob(f"{image.name}-*.profraw"))
    if not raw:
        return ""
    profile = BUILD / "profiles" / f"{image.name}.profdata"
    merge = ["llvm-profdata-19", "merge", *map(str, raw), "-o", str(profile)]
    show = ["llvm-cov-19", "show", "-show-branches=count", "-show-mcdc", "-show-expansions", "-show-instantiations=false"]
    show += [f"-instr-profile={profile}", str(image), "-sources", *(str(ROOT / folder) for folder in COUNTED)]
    for command in (merge, show):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CoverageError(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def count() -> tuple[Counted, int]:
    """What all programs have counted together, and how many programs there are."""
    (BUILD / "profiles").mkdir(exist_ok=True)
    images = sorted((BUILD / "images").glob("*"))
    total, programs = Counted(), 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for text in pool.map(_shown, images):
            total.add(read(text, str(ROOT)))
            programs += bool(text)
    if not programs:
        raise CoverageError(f"no program has counted anything in {BUILD}")
    return total, programs


def _table(found: Figures) -> Table:
    return {
        key: [part.reached, part.of] for key, part in zip(FIGURES, (found.lines, found.outcomes, found.conditions), strict=True)
    }


def record(counted: Counted, programs: int, limits: dict[str, Limit], root: Path) -> Record:
    """What is written down: the figures by group and by file, and what is missed."""
    names = [str(p.relative_to(root)) for f in COUNTED for p in (root / f).rglob("*") if p.suffix in (".c", ".h")]
    there = files(counted)
    groups = grouped(there, {name: limit.files for name, limit in limits.items()})
    lacking: dict[tuple[str, str], set[str]] = {}
    for one in missed(counted, root):
        lacking.setdefault((one.file, one.condition), set()).add(one.what)
    return {
        "programs": programs,
        "not_compiled": sorted(set(names) - set(there)),
        "groups": {
            group: {
                "all": _table(figures(counted, own)),
                "files": {name: _table(figures(counted, [name])) for name in own},
            }
            for group, own in groups.items()
        },
        "missed": [[*condition, ", ".join(sorted(what))] for condition, what in sorted(lacking.items())],
    }


def written(value: object, indent: str = "") -> str:
    """A record as JSON, with a line for each file and each condition."""
    inner = indent + " "
    if isinstance(value, dict) and any(isinstance(own, dict | list) and key not in FIGURES for key, own in value.items()):
        lines = [f"{inner}{json.dumps(key)}: {written(own, inner)}" for key, own in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and value and indent == " ":
        return "[\n" + ",\n".join(inner + json.dumps(own) for own in value) + f"\n{indent}]"
    return json.dumps(value)


def complaints(found: Record, limits: dict[str, Limit], argued: list[Argued]) -> list[str]:
    """What falls short of its limit, and what is argued in vain."""
    known = {(file, condition) for file, condition, _ in found["missed"]}
    told = {(one.file, one.condition) for one in argued}
    said = [f"argued.toml: {f}: '{c}' is reached, or no longer there: take it out" for f, c in sorted(told - known)]
    for name, limit in limits.items():
        group = found["groups"][name]
        for what, key, least in (("branches", "outcomes", limit.branches), ("MC/DC", "conditions", limit.mcdc)):
            part = Part(*group["all"][key])
            if part.percent < least:
                said.append(f"{name}: {part.percent} % of {what}, and the limit is {least} %")
        if limit.argued:
            open_ = sorted((file, condition) for file, condition in known - told if file in group["files"])
            said += [f"{name}: {file}: '{condition}' is neither reached nor argued" for file, condition in open_]
    return said


def _cells(name: str, table: Table) -> list[str]:
    parts = [Part(*table[key]) for key in FIGURES]
    return [name, *(f"{part.percent:.1f} % of {part.of:,}" if part.of else "none" for part in parts)]


def table(found: Record, limits: dict[str, Limit], *, markdown: bool, each_file: bool) -> str:
    """The figures by group, and in the terminal by file."""
    rows = [["part", "lines", "branches", "MC/DC", "goal"]]
    for name, group in found["groups"].items():
        goal = limits[name].goal
        words = [f"{goal[key]} % of {what}" for key, what in (("branches", "branches"), ("mcdc", "MC/DC")) if key in goal]
        rows.append([*_cells(name, group["all"]), " and ".join(words)])
        rows += [[*_cells(f"  {file}", own), ""] for file, own in group["files"].items() if each_file]
    if markdown:
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Branches and MC/DC of the kernel and the cells.")
    parser.add_argument("--counted", action="store_true", help="run nothing: read what the last run has counted")
    parser.add_argument("--markdown", action="store_true", help="print the table that recorded.json has, and end")
    options = parser.parse_args(arguments)
    limits = read_limits(LIMITS)
    if options.markdown:
        print(table(json.loads(RECORDED.read_text(encoding="utf-8")), limits, markdown=True, each_file=False))
        return 0
    try:
        if not options.counted:
            run_tests()
        counted, programs = count()
    except CoverageError as failure:
        print(f"coverage: {failure}", file=sys.stderr)
        return 1
    found = record(counted, programs, limits, ROOT)
    RECORDED.write_text(written(found) + "\n", encoding="utf-8")
    argued = read_argued(HERE / "argued.toml")
    told = {(one.file, one.condition) for one in argued}
    for one in missed(counted, ROOT):
        note = " (argued)" if (one.file, one.condition) in told else ""
        print(f"{one.file}:{one.line}: {WHAT[one.what]}: {one.condition}{note}")
    print()
    print(table(found, limits, markdown=False, each_file=True))
    said = complaints(found, limits, argued)
    for line in said:
        print(line, file=sys.stderr)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
