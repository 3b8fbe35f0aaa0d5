# SPDX-License-Identifier: Apache-2.0
"""Writes the output and the pictures that README.md and docs/ show, so that they are what the commands give.

    docs/build.sh           write every block and picture anew
    docs/build.sh --check   write nothing; exit with 1 and the differences if anything is not current

A block lies between ``<!-- begin: COMMAND -->`` and ``<!-- end -->``.  COMMAND is one of

    file PATH               the file, without its licence line
    made PATH               the same of a file that an earlier command of the document made
    figures                 the table of README.md, from the rows of ``python -m bench.papers dispatch --cycles``
    (FOLDER) SHELL COMMAND  what a shell command prints in FOLDER; without (FOLDER) in the checkout

The commands of a document run in order in a copy of what they need, so they may make folders and change
files.  A picture that they write is put beside the document if the document shows it.  ``--quick``
measures fewer rounds: the figures are the same, only the numbers of samples are not compared; and it leaves out the
blocks and pictures of ``python -m bench.papers autosar``, ``microkernel``, ``osek``, ``services`` and ``timers``, which the tests
tests/tool/test_bench_autosar.py, test_bench_osek.py, test_bench_services.py, test_bench_timers.py and
tests/firmware/test_bench_microkernel.py compare.  Also without ``CARILLON_SUITES=all`` it leaves out what takes longest (LONG).
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import cache
from io import StringIO
from pathlib import Path
from threading import Lock
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tests"), str(ROOT)]
from asked import all_cases  # noqa: E402
from commands import Commands  # noqa: E402

BLOCK = re.compile(r"(<!-- begin: (?P<command>[^\n]+?) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)
LICENCE = re.compile(r"\A(# SPDX[^\n]*\n|/\* SPDX-License-Identifier: Apache-2\.0\n \*\n)")
LANGUAGES = {".toml": "toml", ".sh": "sh", ".c": "c", ".oil": "oil", ".giotto": "giotto", ".md": "markdown"}
NEEDED = ("examples", "bench", "docs/guide")
COLUMNS = 100
SAMPLES = re.compile(r"\s+\d+$")

FLIGHT = "examples/helicopter/"

# Pictures that no block writes: file -> command, which gets the name of the file to write as its last argument.
PICTURES = {
    "docs/guide/engine.svg": "carillon show examples/engine --for 20ms --window 0ms..20ms --svg",
    "docs/guide/nodes.svg": "carillon show examples/nodes/network.toml --offsets",
    "docs/guide/synchronised-nodes.svg": "carillon show examples/synchronised-nodes/network.toml --offsets",
    "docs/guide/synchronised-average.svg": "carillon show examples/synchronised-nodes/average.toml --offsets",
    "docs/guide/flight.svg": f"carillon run {FLIGHT}helicopter.giotto --board ast1030-evb --for 26s | python {FLIGHT}altitude.py",
    "docs/guide/engine.html": "carillon show examples/engine --compare --for 20ms --window 0ms..20ms --html",
}
PICTURE = re.compile(r"\]\(([\w-]+\.(?:svg|html))\)")

# Boards that a shown command names.
BOARD = re.compile(r"--(?:part|board) ([\w-]+)")

# The lines of README.md's table: what they are called there.
LINES = {
    "start": "start a task",
    "start_deadline_1": "start a task with 1 deadline",
    "start_deadline_2": "start a task with 2 deadlines",
    "end": "end a task",
    "end_deadline_1": "end a task with 1 deadline",
    "end_deadline_2": "end a task with 2 deadlines",
    "start_alone": "start a task that nothing may preempt",
    "end_alone": "end a task that nothing may preempt",
}
MET = "met_deadline_interrupts"


class Shell:
    """Runs commands in a copy of the checkout's examples; ``commands``: the program that is to be ``carillon``, or none."""

    commands: Path | None = None

    def __init__(self, scratch: Path) -> None:
        self.root = scratch / "carillon"
        for name in NEEDED:
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("build", "__pycache__"))
        program = scratch / "bin" / "carillon"
        program.parent.mkdir()
        if self.commands is not None:
            program.symlink_to(self.commands)
        else:
            start = "import sys\nsys.argv[0] = 'carillon'\nfrom carillon.cli import main\nmain()\n"
            program.write_text(f"#!{sys.executable}\n{start}", encoding="utf-8")
            program.chmod(0o755)
        python = program.with_name("python")
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "tool"),
            "COLUMNS": str(COLUMNS),
            "NO_COLOR": "1",
            "TERM": "dumb",
            "LC_ALL": "C.UTF-8",
            "PYTHONUTF8": "1",
        }

    def run(self, command: str, folder: str = ".") -> tuple[str, int]:
        """What a shell command prints, and its exit code."""
        result = subprocess.run(
            ["bash", "-c", command],
            cwd=self.root / folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        text = "\n".join(line.rstrip() for line in result.stdout.split("\n")).strip("\n")
        if "Traceback (most recent call last)" in text:
            raise SystemExit(f"{command}:\n{text}")
        for place in (str(self.root), str(ROOT)):
            if place in text:
                raise SystemExit(f"the output of '{command}' names a folder of this machine: {place}")
        return text, result.returncode


BENCH = "python -m bench.papers dispatch"
TESTED = (
    "COLUMNS=110 python -m bench.papers autosar",
    *(f"python -m bench.papers {name}" for name in ("microkernel", "osek", "services", "timers")),
)
LONG = (
    *("python -m bench.papers boards", "python -m bench.papers clocks", "python -m bench.papers frontier --load"),
    f"carillon run {FLIGHT}",
)
"""What takes a quarter of the time of all that ``--quick`` would compare."""
MEASURING = Lock()


def is_left_out(command: str) -> bool:
    """Whether ``--quick`` compares no output of this command."""
    named = re.sub(r"^(\w+=\S* )+", "", command)  # without what it sets of the environment
    return named.startswith(TESTED if all_cases() else (*TESTED, *LONG))


@cache
def _measured(quick: bool) -> list[dict[str, Any]]:
    """The rows of ``python -m bench.papers dispatch``."""
    with tempfile.TemporaryDirectory(prefix="carillon-docs-") as scratch:
        text, code = Shell(Path(scratch)).run(f"{BENCH} --json" + (" --rounds 32" if quick else ""))
    if code:
        raise SystemExit(text)
    rows: list[dict[str, Any]] = json.loads(text)["rows"]
    return rows


def measured(quick: bool) -> list[dict[str, Any]]:
    """The rows, measured once however many documents ask."""
    with MEASURING:
        return _measured(quick)


def bench(quick: bool) -> str:
    """What the command prints, by its own function from the rows that are measured once for all documents."""
    from rich.console import Console

    from bench.papers.benchmarks import render
    from bench.papers.rows import Row

    console = Console(width=COLUMNS, file=StringIO(), color_system=None, highlight=False)
    keys = ("metric", "kernel", "board", "unit", "min", "median", "max", "samples")
    rows: list[Any] = [Row(*(row[key] for key in keys), must=row.get("must")) for row in measured(quick)]
    render(console, "dispatch", rows)
    assert isinstance(console.file, StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n")).strip("\n")


@cache
def in_cycles(quick: bool) -> list[Any]:
    """Rows of both kernels on the board in RTL, in cycles."""
    from bench.papers.dispatch import KERNELS
    from bench.papers.latency import latencies
    from bench.papers.rows import IN_CYCLES, measured_on
    from carillon.diagnostics import Diagnostics

    with MEASURING, tempfile.TemporaryDirectory(prefix="carillon-docs-") as scratch, measured_on(IN_CYCLES):
        rounds = 32 if quick else 1000
        return [row for kernel in KERNELS for row in latencies(kernel, rounds, Path(scratch), Diagnostics())]


def figures(quick: bool) -> str:
    """Our figures beside the paper's, as a Markdown table."""
    from bench.papers.paper import TABLES

    paper = {line.metric: (str(line.sloth), str(line.commercial)) for line in TABLES[0].lines}
    lines = [
        "| clock cycles | Carillon | conventional | paper: Sloth on Time | paper: commercial OSEKtime |",
        "|---|--:|--:|--:|--:|",
        "| chip | CV32E40X in RTL | CV32E40X in RTL | TC1796 | TC1796 |",
    ]
    rows = {(row.metric, row.kernel): row for row in in_cycles(quick)}
    for metric, title in LINES.items():
        name = metric.replace("start", "dispatch").replace("end", "terminate")
        found = [rows[metric, kernel] for kernel in ("carillon", "conventional")]
        ours = [f"{r.minimum} to {r.maximum}" if r.minimum != r.maximum else str(r.median) for r in found]
        lines.append(f"| {title} | {' | '.join((*ours, *paper.get(name, ('', ''))))} |")
    met = [next(r for r in measured(quick) if r["metric"] == MET and r["kernel"] == k) for k in ("carillon", "conventional")]
    told = [str(row["median"]) for row in met]
    lines.append(f"| interrupts a round for 3 deadlines that are met | {' | '.join(told)} | 0 | one a deadline |")  # V-B1
    return "\n".join(lines) + "\n"


def include(root: Path, path: str) -> str:
    """A file as a fenced block."""
    text = LICENCE.sub(lambda m: "/*\n" if m[0].startswith("/*") else "", (root / path).read_text(encoding="utf-8"))
    text = re.sub(r"\A/\*\n \* ", "/* ", text).strip("\n")
    return f"```{LANGUAGES.get(Path(path).suffix, 'text')}\n{text}\n```\n"


def block(command: str, shell: Callable[[], Shell], quick: bool) -> str | None:
    """What a block holds; None if another test compares it."""
    word, _, rest = command.partition(" ")
    if word in ("file", "made"):
        return include(ROOT if word == "file" else shell().root, rest)
    if command == "figures":
        return figures(quick)
    match = re.fullmatch(r"\((?P<folder>[^)]+)\) (?P<command>.+)", command)
    folder, shown = (match["folder"], match["command"]) if match else (".", command)
    if quick and is_left_out(shown):
        return None
    text, code = (bench(quick), 0) if shown == BENCH else shell().run(shown, folder)
    prompt = f"{folder}$" if match else "$"
    body = f"{text}\n" if text else ""
    ending = f"[exit code {code}]\n" if code else ""
    return f"```console\n{prompt} {shown}\n{body}{ending}```\n"


def built(document: Path, quick: bool) -> dict[Path, str]:
    """A document with its blocks written anew, and the pictures that their commands wrote."""
    with tempfile.TemporaryDirectory(prefix="carillon-docs-") as scratch:

        @cache
        def shell() -> Shell:
            return Shell(Path(scratch))

        def write(match: re.Match[str]) -> str:
            held = block(match["command"], shell, quick)
            return match[0] if held is None else match[1] + held + match[4]

        text = BLOCK.sub(write, document.read_text(encoding="utf-8"))
        files = {document: text}
        for name in PICTURE.findall(text):
            made = Path(scratch) / "carillon" / name
            if made.is_file():
                files[document.parent / name] = made.read_text(encoding="utf-8")
        return files


def picture(name: str) -> dict[Path, str]:
    """A picture drawn anew."""
    with tempfile.TemporaryDirectory(prefix="carillon-docs-") as scratch:
        shell = Shell(Path(scratch))
        text, code = shell.run(f"{PICTURES[name]} ../picture")
        if code:
            raise SystemExit(f"{name}: {text}")
        return {ROOT / name: (Path(scratch) / "picture").read_text(encoding="utf-8")}


def without_samples(tables: str) -> str:
    """A benchmark's tables without the numbers in the columns of that name, which stand flush right."""
    lines, end = [], 0
    for line in tables.splitlines(keepends=True):
        end = line.index("samples") + len("samples") if "samples" in line else end if line.strip() else 0
        lines.append(SAMPLES.sub("", line[:end]) + line[end:])
    return "".join(lines)


def comparable(text: str, quick: bool) -> str:
    """The text, with ``quick`` without the numbers of samples of the benchmark's blocks."""
    if not quick:
        return text

    def mask(match: re.Match[str]) -> str:
        body = without_samples(match["body"]) if match["command"] == BENCH else match["body"]
        return match[1] + body + match[4]

    return BLOCK.sub(mask, text)


def documents() -> list[Path]:
    """Every document that may have blocks."""
    return [ROOT / "README.md", *sorted(p for p in (ROOT / "docs").rglob("*.md") if p.parent.name != "codes")]


def main() -> int:
    """Write, or check; 0 if everything is, or was, current."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("--quick", action="store_true", help="measure fewer rounds")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="of N parts of the documents and pictures, the K-th alone")
    options = parser.parse_args()
    part, slash, parts = options.part.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        parser.error("--part is K/N, such as 1/2")
    if options.quick and not options.check:
        parser.error("--quick is for --check: what is published is measured in full")
    with Commands() if options.quick else nullcontext() as Shell.commands:
        return build_all(check=options.check, quick=options.quick, part=int(part) - 1, parts=int(parts))


def fetch_emulators(text: str) -> None:
    """Have the emulators that a board's first run would fetch, and say it, before a command shows such a run."""
    from carillon.diagnostics import Diagnostics
    from carillon.read.board import load_board
    from carillon.resources import find_board
    from carillon.run.emulators import found_emulator

    for path in filter(None, map(find_board, sorted(set(BOARD.findall(text))))):
        board, diagnostics = load_board(path), Diagnostics()
        if board.run is not None and board.run.kind in ("rigless", "rp2040js"):
            diagnostics.required(found_emulator(board, board.run, diagnostics))


def build_all(*, check: bool, quick: bool, part: int, parts: int) -> int:
    """Write, or compare, what documents show, of so many parts one; 0 if everything is, or was, current."""
    with_blocks = [d for d in documents() if BLOCK.search(d.read_text(encoding="utf-8"))][part::parts]
    fetch_emulators("\n".join(match["command"] for d in with_blocks for match in BLOCK.finditer(d.read_text(encoding="utf-8"))))
    pictures = [name for name, command in PICTURES.items() if not (quick and is_left_out(command))][part::parts]
    stale = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        measuring = pool.submit(measured, quick) if part == 0 else None  # for the first document
        made = [pool.submit(built, d, quick) for d in with_blocks[part == 0 :]]
        made += [pool.submit(picture, name) for name in pictures]
        if measuring is not None:
            measuring.result()
            made.append(pool.submit(built, with_blocks[0], quick))
        for path, new in (item for future in made for item in future.result().items()):
            old = path.read_text(encoding="utf-8") if path.is_file() else ""
            if comparable(old, quick) == comparable(new, quick):
                continue
            name = str(path.relative_to(ROOT))
            stale.append(name)
            if check:
                difference = difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, f"{name}, anew", n=1)
                sys.stdout.writelines(difference)
            else:
                path.write_text(new, encoding="utf-8")
                print(f"wrote {name}")
    if check and stale:
        print(f"not current: {', '.join(stale)}; docs/build.sh writes them anew")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
