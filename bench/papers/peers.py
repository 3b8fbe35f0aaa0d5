# SPDX-License-Identifier: Apache-2.0
"""RTIC and Embassy beside Carillon's services: the programs of ``bench/peers``, built by cargo when they are measured.

They run on the board of Carillon's applications, in the same emulator under the same plugin.  A figure begins and ends where
Carillon's does, and has as many samples.  Both have SysTick as their clock, a thousand times a second.

Rust is needed for this alone.  A peer that cannot be built or measured says why, and what would help; no other figure depends
on it.
"""

from __future__ import annotations

import os
import subprocess
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.papers.made import BENCH
from bench.papers.rows import BOARD, Peer, Progress, Row, row
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.elf import ALLOC, NOBITS, WRITE, UnreadableError, read_elf
from carillon.read.board import load_board
from carillon.resources import find_board
from carillon.run import emulate, failed
from carillon.run.emulators import cached, qemu_machine, qemu_with_plugin
from carillon.run.entries import Code, Record
from carillon.run.records import read_records

FOLDER = BENCH / "peers"
INSTALL = "scripts/setup.sh peers"
"""What installs Rust."""

MILLISECOND = 15_625
"""Instructions of a tick of the peers' clock, as the board counts with its first clock."""

SYSTICK = 15
"""The vector of the clock's interrupt."""

PATIENCE = 900
"""Seconds that cargo has."""

LIBRARY = Path("lib/rustlib/src/rust/library/core")
"""Below a compiler's root: the source of its library, of which the part for the board is built."""


class UnmeasuredError(Exception):
    """A peer has no figures: why, and what would help."""


@dataclass(frozen=True, slots=True)
class Rust:
    """A compiler of Rust with the source of its library."""

    cargo: Path
    rustc: Path
    version: str


def _said(command: Sequence[str | Path]) -> str:
    """What a command answers; nothing if it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def installed_rust() -> Rust:
    """The first on the path that has the source of its library; raises :class:`UnmeasuredError`."""
    without = []
    for folder in map(Path, os.get_exec_path()):
        cargo, rustc = folder / "cargo", folder / "rustc"
        if not all(os.access(program, os.X_OK) for program in (cargo, rustc)):
            continue
        if (root := _said([rustc, "--print", "sysroot"])) and (root / LIBRARY).is_dir():
            return Rust(cargo, rustc, _said([rustc, "--version"]).removeprefix("rustc ").partition(" ")[0])
        without.append(f"'{rustc}' has no source of its library")
    raise UnmeasuredError(f"{'; '.join(without) or 'Rust is not installed'}: {INSTALL}")


class Course:
    """The records of a program's run: when marks were passed, and when handlers began, ended and left nothing but idle."""

    def __init__(self, records: Iterable[Record], symbols: dict[str, int], clock: int) -> None:
        """``symbols``: the marks' addresses; ``clock``: the address of the clock's handler."""
        steps = {Code.ENTER: 1, Code.EXIT: -1}
        names = {address: name.removeprefix("bench_") for name, address in symbols.items()}
        records = [r for r in records if r.code in steps or (r.code == Code.MARK and r.value in names)]
        depths = [0, *accumulate(steps.get(Code(r.code), 0) for r in records)]
        self._marks: dict[str, list[int]] = {name: [] for name in names.values()}
        self._idle: list[int] = []
        self._ticks: list[int] = []
        self._lengths: list[tuple[int, int]] = []
        ends = [*(r.time for r in records if r.code in steps), 0]
        place = 0
        for k, (r, depth) in enumerate(zip(records, depths, strict=False)):
            if r.code == Code.MARK:
                self._marks[names[r.value]].append(r.time)
                continue
            place += 1
            if r.code == Code.ENTER and r.value == clock and depth == 0:
                self._ticks.append(r.time)
                self._lengths.append((r.time, ends[place]))
            chained = k + 1 < len(records) and records[k + 1].code == Code.ENTER and records[k + 1].time == r.time
            if r.code == Code.EXIT and depth == 1 and not chained:
                self._idle.append(r.time)

    def since_tick(self, mark: str) -> list[int]:
        """Instructions to each pass of a mark from the first one of the clock's handler before it."""
        return [t - self._ticks[k - 1] for t in self._of(mark) if (k := bisect_right(self._ticks, t)) > 0]

    def until_idle(self, mark: str) -> list[int]:
        """Instructions from each pass of a mark to the first one of idle after it."""
        return _next(self._of(mark), self._idle)

    def between(self, begin: str, end: str) -> list[int]:
        """Instructions from each pass of a mark to the next of another."""
        return _next(self._of(begin), self._of(end))

    def empty_ticks(self, mark: str) -> list[int]:
        """What the clock's handler takes that no pass of a mark follows before the next one."""
        passes = self._of(mark)
        followed = [bisect_right(passes, b) - bisect_right(passes, a) for a, b in pairwise(self._ticks)]
        return [end - begin for (begin, end), count in zip(self._lengths, followed, strict=False) if not count]

    def _of(self, mark: str) -> list[int]:
        return self._marks.get(mark, [])


def _next(begins: Sequence[int], ends: Sequence[int]) -> list[int]:
    return [ends[k] - t for t in begins if (k := bisect_right(ends, t)) < len(ends)]


def _stolen(course: Course) -> list[int]:
    """As of Carillon: how much longer the window is in which the lower task is due."""
    pairs = zip(course.between("quiet_begin", "quiet_end"), course.between("window_begin", "window_end"), strict=False)
    soon = [low < MILLISECOND for low in course.between("window_end", "low")]
    return [window - quiet for (quiet, window), low in zip(pairs, soon, strict=False) if low]


Measure = Callable[[Course], list[int]]

PROGRAMS: dict[str, tuple[int, dict[str, Measure]]] = {
    "delay": (
        2,
        {
            "thread_wake": lambda c: c.since_tick("woken"),
            "thread_block": lambda c: c.until_idle("block"),
            "counter_tick": lambda c: c.empty_ticks("woken"),
        },
    ),
    "event": (1, {"alarm_extended": lambda c: c.since_tick("woken"), "wait_event": lambda c: c.until_idle("block")}),
    "stolen": (3, {"stolen_by_lower_thread": _stolen}),
    "mutex": (
        4,
        {
            "mutex_lock": lambda c: c.between("lock", "locked"),
            "mutex_unlock": lambda c: c.between("unlock", "unlocked"),
            "mutex_hand_over": lambda c: c.between("hand", "handed"),
        },
    ),
    "messages": (
        1,
        {
            "message_send": lambda c: c.between("send", "sent"),
            "message_receive": lambda c: c.between("receive", "received"),
            "message_wakes": lambda c: c.between("wake", "woken"),
        },
    ),
    "highest": (20, {"delay_of_highest_of_100": lambda c: c.since_tick("woken")}),
}
"""Of each program the period in milliseconds, and how its figures are found."""

SIZE = "threads", ("flash_threads", "flash_alarms"), ("ram_threads", "ram_alarms")
"""The program whose sizes are figures: its tasks delay, as threads do, and have no stacks, as tasks with alarms."""
WAKE, JITTER = "thread_wake", "wake_jitter"
"""The figure whose samples' spread is another one."""


@dataclass(frozen=True, slots=True)
class Package:
    """Programs of ``bench/peers``: the kernel's name, and the crates that it is made of.

    ``without``: figures that it has nothing for.
    """

    kernel: str
    name: str
    crates: tuple[str, ...]
    without: frozenset[str] = frozenset()

    def versions(self) -> dict[str, str]:
        """The crates' versions, which the project holds."""
        locked = {package["name"]: package["version"] for package in _toml("Cargo.lock")["package"]}
        return {crate: locked[crate] for crate in self.crates}


PACKAGES = (
    Package("RTIC", "rtic-peer", ("rtic", "rtic-monotonics", "rtic-sync"), frozenset({"mutex_hand_over"})),
    Package("Embassy", "embassy-peer", ("embassy-executor", "embassy-time", "embassy-sync")),
)


def _toml(file: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / file).read_text(encoding="utf-8"))


def _target() -> str:
    target: str = _toml(".cargo/config.toml")["build"]["target"]
    return target


def flags() -> str:
    """What the compiler is told."""
    return ", ".join([_target(), *(f"{key} {value}" for key, value in _toml("Cargo.toml")["profile"]["release"].items())])


def built(package: str, rust: Rust) -> Path:
    """Where a peer's programs are, which cargo has built; raises :class:`UnmeasuredError`."""
    target = cached(package, [FOLDER / "Cargo.lock"])
    environment = os.environ | {"RUSTC": str(rust.rustc), "RUSTC_BOOTSTRAP": "1", "CARGO_TARGET_DIR": str(target)}
    command = [str(rust.cargo), "build", "--release", "--locked", "-p", package]
    try:
        result = subprocess.run(
            command,
            cwd=FOLDER,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UnmeasuredError(f"cargo had not built '{package}' within {PATIENCE} s: it fetches crates from a network") from None
    if result.returncode:
        lines = result.stderr.strip().splitlines() or ["nothing was said"]
        said = next((line for line in lines if line.startswith("error")), lines[-1])
        again = f"cd {FOLDER} && RUSTC_BOOTSTRAP=1 {rust.cargo} build --release --locked -p {package}"
        raise UnmeasuredError(f"cargo does not build '{package}': {said}; to see more: {again}")
    return target / _target() / "release"


def recorded(program: Path, instructions: int) -> Course:
    """Run a program for so many instructions from when it is first idle on; raises CarillonError."""
    diagnostics = Diagnostics()
    path = find_board(BOARD, None)
    assert path is not None
    board = load_board(path)
    assert board.run is not None
    found = diagnostics.required(qemu_with_plugin(board, board.run, diagnostics))
    elf = read_elf(program)
    (table,) = (s for s in elf.sections if s.name == ".vector_table")
    words = [int.from_bytes(elf.data[at : at + 4], "little") & ~1 for at in range(table.start, table.start + table.size, 4)]
    marks = {s.name: s.address & ~1 for s in elf.symbols if s.name.startswith("bench_")}
    handlers = {word for word in words[2:] if word}
    stops = {s.address & ~1 for s in elf.symbols if s.name in ("DefaultHandler_", "HardFault_", "DefaultHandler", "HardFault")}
    lines = [f"{at:x} V {at:x}" for at in sorted(handlers - stops)]
    lines += [f"{at:x} H 0" for at in sorted(stops)] + [f"{at:x} M 0" for at in marks.values()]
    lines += [f"{marks[name]:x} B 0" for name in ("bench_begin",) if name in marks]
    with TemporaryDirectory(prefix="carillon-") as scratch:
        chart, out = Path(scratch, "map"), Path(scratch, "records")
        chart.write_text("\n".join(lines) + "\n", encoding="utf-8")
        options = f"map={chart},out={out},limit={instructions},base={board.run.code_base},code={board.run.code_bytes}"
        command = [*qemu_machine(found[0], board.run, board.clocks[0], program), "-plugin", f"{found[1]},{options}"]
        result = diagnostics.required(emulate(command, f"look at '{program.name}'", diagnostics))
        if result.returncode or not out.is_file():
            failed(result, f"of '{program.name}' failed", "look at the program", diagnostics)
            diagnostics.stop_on_errors()
        records = read_records(out)
    if any(r.code == Code.HALT and r.value in stops for r in records):
        raise UnmeasuredError(f"its program '{program.name}' ends in a fault")
    return Course(records, marks, words[SYSTICK])


def size(program: Path) -> int:
    """Bytes of flash, the start-up code included; the vector table is not."""
    sections = [s for s in read_elf(program).sections if s.flags & ALLOC and s.kind != NOBITS]
    return sum(s.size for s in sections if s.name != ".vector_table")


def ram(program: Path) -> int:
    """Bytes of RAM; the main stack is in no section."""
    return sum(s.size for s in read_elf(program).sections if s.flags & ALLOC and s.flags & WRITE)


def figures(package: Package, programs: Path, rounds: int, progress: Progress) -> list[Row]:
    """A package's figures; raises :class:`UnmeasuredError` if a program passes its marks too seldom."""
    rows = []
    for name, (period, found) in PROGRAMS.items():
        count = max(1, rounds // 10) if name == "highest" else rounds
        progress(f"{package.kernel}, {name}: {count} periods")
        course = recorded(programs / name, (count + 4) * period * MILLISECOND)
        for metric, measure in found.items():
            if metric in package.without:
                continue
            samples = measure(course)[1 : count + 1]
            if len(samples) < count:
                raise UnmeasuredError(f"its program '{name}' has {len(samples)} of {count} samples of '{metric}'")
            rows.append(row(metric, package.kernel, BOARD, "instructions", samples))
            if metric == WAKE:
                rows.append(row(JITTER, package.kernel, BOARD, "instructions", [t - min(samples) for t in samples]))
    program, flash, data = SIZE
    rows += [row(metric, package.kernel, BOARD, "bytes", [size(programs / program)]) for metric in flash]
    rows += [row(metric, package.kernel, BOARD, "bytes", [ram(programs / program)]) for metric in data]
    return rows


def measured(package: Package, rounds: int, progress: Progress) -> Peer:
    """A kernel with its figures, or with why it has none."""
    peer = Peer(package.kernel, package.versions(), flags())
    try:
        rust = installed_rust()
        progress(f"{package.kernel}: cargo builds its programs, the first time for a minute")
        rows = figures(package, built(package.name, rust), rounds, progress)
    except (UnmeasuredError, UnreadableError, OSError, CarillonError) as error:
        return replace(peer, why_not=str(error))
    return replace(peer, versions=peer.versions | {"rustc": rust.version}, rows=tuple(rows))


def peers(rounds: int, progress: Progress) -> tuple[Peer, ...]:
    """Each kernel of ``bench/peers``."""
    return tuple(measured(package, rounds, progress) for package in PACKAGES)
