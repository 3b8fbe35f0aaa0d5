# SPDX-License-Identifier: Apache-2.0
"""Campaigns: many runs of one firmware, each with one fault, by several workers.

On a virtual board the firmware is what runs; on a board of AVR, the runner on simavr, which has the firmware among its files.

A result follows from the campaign's header and the run's number alone.  So neither the number of workers nor their order changes
the file of results, and a campaign goes on from what the file has.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from carillon import __version__, c_names
from carillon.build import Firmware
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.elf import ALLOC, NOBITS, read_elf
from carillon.image import Image
from carillon.run import record
from carillon.run.entries import Code
from carillon.run.injection import FaultKind, Injected, Targets, draw, objects_of
from carillon.run.judging import ERRORS, Ended, Reference, UnrepeatableError, expiries, judge, reference, taken, unit_of, whole
from carillon.run.records import Decoder

CHUNK = 50
"""Runs that a worker does before it hands them over: as many may be done again after a campaign was killed."""
_FOLDER = "{folder}/"
_RECORDS = "records"
_STORM = 10
_STORM_LEAST = 100_000
"""So many times the records of the run without fault, and so many records, are a storm."""
_SLOWER = 50
_SECONDS = 2
"""So many times its time, and so many seconds of a processor, are without end."""


@dataclass(frozen=True, slots=True)
class Program:
    """What is run: files by their names, and a command.  A word of it that begins with ``_FOLDER`` is a file beside them."""

    files: tuple[tuple[str, bytes], ...]
    command: tuple[str, ...]

    @classmethod
    def of(cls, command: Sequence[str], records: Path) -> Program:
        """Of a command that was run here: the files that it read are taken with it; ``records`` is what it wrote."""
        files: dict[str, bytes] = {}
        words = []
        for number, word in enumerate(command):
            path = Path(word)
            if path == records:
                words.append(f"{_FOLDER}{_RECORDS}")
            elif path.is_absolute() and path.is_file():
                name = f"{number}-{path.name}"
                files[name] = path.read_bytes()
                words.append(_FOLDER + name)
            else:
                words.append(word)
        return cls(tuple(files.items()), tuple(words))

    def put_into(self, folder: Path) -> list[str]:
        """Write the files, and return the command."""
        for name, content in self.files:
            (folder / name).write_bytes(content)
            (folder / name).chmod(0o700)
        return [str(folder / word.removeprefix(_FOLDER)) if word.startswith(_FOLDER) else word for word in self.command]


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a worker has to know; it may be on another machine.

    ``digest``: of what the firmware loads, whatever folder it was built in.  ``unit``: what a tick has in the records' times.
    """

    program: Program
    digest: str
    unit: int
    ticks: int
    seconds: int
    seed: int
    kinds: tuple[FaultKind, ...]
    targets: Targets
    reference: Reference


@dataclass(frozen=True, slots=True)
class Row:
    """The result of a run."""

    run: int
    fault: Injected
    outcome: str
    why: str
    recovery: int | None
    expiries: int

    def as_json(self) -> dict[str, Any]:
        """A line of the file of results."""
        fault = self.fault
        drawn = {"kind": fault.kind.value, "at": fault.at, "what": fault.what, "amount": fault.amount, "name": fault.name}
        found = {"outcome": self.outcome, "why": self.why, "recovery": self.recovery, "expiries": self.expiries}
        return {"run": self.run, **drawn, **found}


def row_of(fields: dict[str, Any]) -> Row:
    """A result from its line; KeyError, TypeError or ValueError if it is none."""
    numbers = [fields[name] for name in ("run", "at", "what", "amount", "expiries")]
    if not all(type(number) is int for number in numbers) or not isinstance(fields["recovery"], int | None):
        raise TypeError
    run, at, what, amount, count = numbers
    fault = Injected(FaultKind(fields["kind"]), at, what, amount, str(fields["name"]))
    return Row(run, fault, str(fields["outcome"]), str(fields["why"]), fields["recovery"], count)


def planned(
    image: Image, firmware: Firmware, ticks: int, recovery: int, seed: int, diagnostics: Diagnostics
) -> tuple[Plan, int] | None:
    """A campaign with all kinds that have something to hit, and the expiries of the run without fault; None after errors."""
    system, table = image.system, symbols(firmware.elf)
    unit = unit_of(image)
    stacks = set() if system.osek is None else {c_names.stack(t.name) for t in system.osek.tasks}
    used = {vector.source: str(vector.object) for mode in image.vectors for vector in mode}
    sources = [source for array in system.board.cells for source in array.sources]
    with tempfile.TemporaryDirectory(prefix="carillon-") as scratch:
        begun = time.monotonic()
        more = [] if system.board.native else _watched(table, used.keys() & set(sources), stacks)
        recording = record(image, firmware, ticks, diagnostics, stimuli=system.stimuli, folder=Path(scratch), more=more)
        if recording is None:
            return None
        seconds = _SECONDS + int(_SLOWER * (time.monotonic() - begun))
        program = Program.of(recording.command, Path(scratch) / _RECORDS)
    trace = Decoder(image, table, recording.stimuli).trace(recording.records, ticks, 0, recording.output)
    of = reference(image, table, recording.records, trace, recording.output.encode(), recovery * unit)
    # A virtual cell's expiry tells its number, and simavr's the source.
    virtual = [s for array in system.board.cells if array.family.name == "virtual" for s in array.sources]
    numbers, times = taken(recording.records, dict(enumerate(virtual)) if system.board.native else {s: s for s in sources})
    last = recording.records[-1].time - recovery * unit
    begin = last - (ticks - recovery) * unit
    tables, variables = objects_of(firmware, stacks)
    cells = tuple(sorted({r.value for r in recording.records if r.code == Code.EXPIRY}))
    targets = Targets(
        tuple(n for n, t in zip(numbers, times, strict=True) if begin <= t < last),
        begin,
        last,
        tuple(sorted(used.items())),
        cells,
        cells if system.board.native else (),  # all timers of a chip have the processor's clock
        tuple(tables),
        tuple(variables),
        recovery * unit,
    )
    plan = Plan(program, _loaded(firmware.elf), unit, ticks, seconds, seed, targets.kinds(), targets, of)
    return plan, expiries(of.records)


def _watched(table: Mapping[str, tuple[int, int]], sources: Iterable[int], stacks: Iterable[str]) -> list[str]:
    """Lines of the map of simavr's runner: sources whose requests are expiries; stacks; and functions that say what is wrong."""
    lines = [f"0 E {source:x}" for source in sorted(sources)]
    lines += [f"{table[name][0]:x} Y {table[name][1]:x}" for name in sorted(stacks) if name in table]
    return lines + [f"{table[name][0]:x} F 0" for name in ERRORS if name in table]


def _loaded(path: Path) -> str:
    """The SHA-256 of the bytes that are in memory when a program begins; what a linker notes of the file is left out."""
    elf, digest = read_elf(path), hashlib.sha256()
    for section in elf.sections:
        if section.flags & ALLOC and section.kind != NOBITS and not section.name.startswith(".note"):
            digest.update(f"{section.name} {section.address} ".encode() + elf.data[section.start : section.start + section.size])
    return digest.hexdigest()


def header(plan: Plan, system_digest: str, board: str) -> dict[str, Any]:
    """The first line of the file of results: what a campaign's results follow from."""
    return {
        "carillon": __version__,
        "schedule": system_digest,
        "firmware": plan.digest,
        "board": board,
        "ticks": plan.ticks,
        "recovery": plan.reference.recovery,
        "seed": plan.seed,
        "kinds": [kind.value for kind in plan.kinds],
    }


def runs(plan: Plan, numbers: Sequence[int]) -> list[Row]:
    """Do some runs.  Raises UnrepeatableError, with the run's number."""
    with tempfile.TemporaryDirectory(prefix="carillon-") as folder:
        scratch = Path(folder)
        command = plan.program.put_into(scratch)
        return [_run(plan, number, command, scratch) for number in numbers]


def _run(plan: Plan, number: int, command: Sequence[str], scratch: Path) -> Row:
    fault, out, said = draw(plan.seed, number, plan.kinds, plan.targets), scratch / _RECORDS, scratch / "output"
    out.unlink(missing_ok=True)
    most = max(_STORM * len(plan.reference.records) // 16, _STORM_LEAST)
    command = [*command, *fault.arguments(most), str(plan.seconds)]
    with said.open("wb") as stream:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.PIPE,
            env={"CARILLON_PARENT": str(os.getpid())},
            check=False,
        )
    if done.returncode == 1 and plan.reference.phase:
        raise OSError(f"simavr's runner has failed in run {number}: {done.stderr.decode(errors='replace').strip()}")
    ended = Ended(done.returncode, whole(out.read_bytes()) if out.is_file() else b"", said.read_bytes())
    try:
        verdict = judge(ended, plan.reference)
    except UnrepeatableError:
        raise UnrepeatableError(number) from None
    recovery = None if verdict.recovery is None else -(-verdict.recovery // plan.unit)
    return Row(number, fault, verdict.outcome.value, verdict.why, recovery, expiries(ended.records))


class _Pool(Protocol):
    """What executes; both kinds of workers have it."""

    def submit(self, work: Callable[..., list[Row]], /, *given: Any) -> Any: ...


def _watch(parent: int) -> None:
    """End this process when the one that it works for has ended, also by SIGKILL."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()


@contextmanager
def workers(count: int, dask: str | None, diagnostics: Diagnostics) -> Iterator[tuple[_Pool, int] | None]:
    """What does runs, and how many at a time; None after C092 (no Dask) or C361.  ``dask``: the address of a scheduler."""
    if dask is None:
        with ProcessPoolExecutor(count, initializer=_watch, initargs=(os.getpid(),)) as pool:
            try:
                yield pool, count
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return
    try:
        from distributed import Client  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        diagnostics.lacking("--dask needs the Python package 'distributed', which is not installed", ("python3-distributed",))
        yield None
        return
    try:
        client = Client(dask, timeout="30s")
    except (OSError, ValueError) as error:
        cause = f"no Dask scheduler answers at '{dask}': {error}"
        diagnostics.error("C361", None, cause, "start one, or leave --dask out: this machine's processors do the runs")
        yield None
        return
    with client:
        yield client, max(1, sum(client.nthreads().values()))


def results(plan: Plan, numbers: Sequence[int], pool: _Pool, at_once: int) -> Iterator[list[Row]]:
    """Chunks of results, in the order of the numbers.  Raises UnrepeatableError."""
    chunks = (numbers[k : k + CHUNK] for k in range(0, len(numbers), CHUNK))
    waits: deque[Future[list[Row]]] = deque()
    for chunk in chunks:
        waits.append(pool.submit(runs, plan, chunk))
        if len(waits) > 2 * at_once:
            yield waits.popleft().result()
    while waits:
        yield waits.popleft().result()


class Results:
    """The file of results, which this process alone has: lines of JSON, the first one the campaign's header."""

    def __init__(self, stream: BinaryIO, rows: list[Row], dropped: bool) -> None:
        self._stream = stream
        self.rows = rows
        self.dropped = dropped
        """Whether a last line was half-written."""

    def add(self, rows: Iterable[Row]) -> None:
        """Append results; after this they stay."""
        rows = list(rows)
        self._stream.write("".join(json.dumps(row.as_json()) + "\n" for row in rows).encode())
        self._stream.flush()
        self.rows += rows


@contextmanager
def opened(path: Path, head: dict[str, Any], diagnostics: Diagnostics) -> Iterator[Results | None]:
    """The file of results, new or to go on; None after C360: it is another campaign's, damaged, or in use.  Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            diagnostics.error("C360", None, f"'{path}' is in use by another campaign", "wait for it, or choose --results FILE")
            yield None
            return
        stream.seek(0)
        content = stream.read()
        end = content.rfind(b"\n") + 1
        lines = content[:end].splitlines()
        first = (json.dumps(head) + "\n").encode()
        rows = _read(path, lines, head, diagnostics) if lines else []
        if not lines and not first.startswith(content):
            _refuse(path, 1, "it has no campaign's header", diagnostics)
            rows = None
        if rows is None:
            yield None
            return
        stream.truncate(end)
        if not lines:
            stream.write(first)
            stream.flush()
        yield Results(stream, rows, end < len(content))


def _refuse(path: Path, line: int, cause: str, diagnostics: Diagnostics) -> None:
    diagnostics.error("C360", None, f"{path}:{line}: {cause}", "name another file: --results FILE; nothing was written")


def _read(path: Path, lines: list[bytes], head: dict[str, Any], diagnostics: Diagnostics) -> list[Row] | None:
    rows: dict[int, Row] = {}
    for number, line in enumerate(lines, 1):
        try:
            fields = json.loads(line)
            if number == 1:
                other = [key for key in head if fields[key] != head[key]]
                if other:
                    differs = ", ".join(f"{key} is {fields[key]}, not {head[key]}" for key in other)
                    _refuse(path, 1, f"it is another campaign's: {differs}", diagnostics)
                    return None
                continue
            row = row_of(fields)
            if row.run in rows:
                raise ValueError
            rows[row.run] = row
        except (ValueError, KeyError, TypeError):
            _refuse(path, number, "no result of a campaign, or one of a run that is there already", diagnostics)
            return None
    return list(rows.values())
