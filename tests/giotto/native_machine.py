# SPDX-License-Identifier: Apache-2.0
"""The machine of kernel/microcode, compiled for the development machine and called by ctypes: a test plays the processor and
the functions of a program.
"""

from __future__ import annotations

import _ctypes
import ctypes
import functools
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_int32, c_uint8, c_uint16, c_uint32
from enum import IntEnum
from pathlib import Path
from typing import Any

from carillon.microcode import Function, Instruction
from carillon.microcode.logged import KINDS
from carillon.microcode.upload import Decision

ROOT = Path(__file__).parents[2]
NONE = 0xFFFF
RECORD = 400
"""Decisions of the scheduler that the machine has room for."""
ROOM = {"TASKS": 100, "BINDINGS": 16, "THREADS": 40}
_ROWS = {"DRIVERS": 200, "GUARDS": 60, "TRIGGERS": 4, "TASKS": ROOM["TASKS"]}
_ANSWER = ctypes.CFUNCTYPE(c_int32, c_int32, c_int32, c_int32)
_folder = tempfile.TemporaryDirectory(prefix="carillon-machine-")


class Asked(IntEnum):
    """What the machine asks or tells: of a number, and which arming of a trigger it is, or an address."""

    CALL = 0
    GUARD = 1
    ARM = 2
    ENABLED = 3
    RELEASED = 4
    TERMINATED = 5
    LATE = 6
    SHARED = 7
    ENDLESS = 8
    FULL = 9
    LOGGED = 10
    MISSED = 11


FAULTS = (Asked.LATE, Asked.SHARED, Asked.ENDLESS, Asked.FULL)
Answer = Callable[[Asked, int, int], int]


class Scheduler(IntEnum):
    """Who chooses among released tasks if no thread waits."""

    NONE = 0
    EDF = 1
    RM = 2


class _Instruction(ctypes.Structure):
    _fields_ = (("word", c_uint32), ("x", c_uint16), ("y", c_uint16))


class _Program(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.POINTER(_Instruction)),
        ("handlers", ctypes.POINTER(c_uint16)),
        ("steps", c_uint32),
        ("size", c_uint16),
        ("entry", c_uint16),
        ("scheduler", c_uint8),
    )


def laid_out(
    code: Sequence[Instruction],
    entry: int = 0,
    *,
    late: Iterable[int] = (),
    shared: int = NONE,
    steps: int = 0,
    scheduler: Scheduler = Scheduler.EDF,
) -> _Program:
    """A program in memory, as the contract says."""
    words = (_Instruction * len(code))(*((i.opcode | i.time << 8, i.x, i.y) for i in code))
    listed = [shared, *late, *[NONE] * ROOM["TASKS"]][: 1 + ROOM["TASKS"]]
    handlers = (c_uint16 * len(listed))(*listed) if set(listed) != {NONE} else None
    return _Program(words, handlers, steps or 64 * (len(code) + 1), len(code), entry, scheduler)


class _Decision(ctypes.Structure):
    _fields_ = (("order", c_uint32), ("block", c_uint16), ("task", c_uint16))


@functools.cache
def _library() -> Path:
    path = Path(_folder.name) / "machine.so"
    (Path(_folder.name) / "carillon_config.h").write_text('#include "tests/config/carillon_off.h"\n', encoding="ascii")
    options = ["-std=c11", "-O1", "-g", "-fPIC", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    options += ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", f"-I{ROOT}", f"-I{_folder.name}"]
    options += [f"-DCARILLON_MICROCODE_{name}={value}u" for name, value in ROOM.items()]
    options += ["-DCARILLON_MICROCODE_TOLD=1", f"-DCARILLON_MICROCODE_RECORD={RECORD}u", "-DCARILLON_MICROCODE_GENERATES=1u"]
    options += ["-DCARILLON_MICROCODE_MISSED=1", "-DCARILLON_LOADER_LOG=1u"]
    for name, count in _ROWS.items():
        options.append(f"-DTEST_{name}(make)={' '.join(f'make({k})' for k in range(count))}")
    kernel = [ROOT / "kernel" / "microcode" / f"{name}.c" for name in ("machine", "recorder", "generator")]
    objects = []
    for source in (*kernel, Path(__file__).parent / "machine_driver.c"):
        objects.append(f"{_folder.name}/{source.stem}.o")
        subprocess.run(["gcc", *options, "-c", str(source), "-o", objects[-1]], check=True)
    subprocess.run(["gcc", "-shared", *objects, "-o", str(path)], check=True)
    return path


class Native:
    """A machine that has not begun; ``answer`` is called for whatever it asks.

    ``log`` is what it has noted: what has happened, the task, and when.  ``missed`` is who was told to be late.
    """

    def __init__(self, library: Any, answer: Answer) -> None:
        self._library = library
        self._kept: list[object] = []
        self.log: list[tuple[str, int, int]] = []
        self.missed: list[int] = []

        def answered(what: int, number: int, more: int) -> int:
            if what == Asked.LOGGED:
                self.log.append((KINDS[number >> 16], number & 0xFFFF, more & 0xFFFF_FFFF))
            elif what == Asked.MISSED:
                self.missed.append(number)
            else:
                return int(answer(Asked(what), number, more & 0xFFFF_FFFF))
            return 0

        self._answer = _ANSWER(answered)
        library.test_answers(self._answer)

    def touches(self, drivers: Sequence[Function], tasks: Sequence[Function]) -> None:
        """Which driver touches which task."""
        for number, driver in enumerate(drivers):
            reads, writes = {*driver.reads}, {*driver.writes}
            touched = [k for k, t in enumerate(tasks) if reads & {*t.writes} or writes & {*t.reads, *t.writes}]
            row = (c_uint16 * (ROOM["TASKS"] + 1))(*touched, *([NONE] * (ROOM["TASKS"] + 1 - len(touched))))
            self._library.test_touches(number, row)

    def start(self, program: _Program, now: int = 0) -> None:
        self._kept.append(program)
        self._library.carillon_machine_start(ctypes.byref(program), c_uint32(now))

    def replace(self, program: _Program) -> None:
        self._kept.append(program)
        self._library.carillon_machine_replace(ctypes.byref(program))

    def join(self, program: _Program, begin: int) -> None:
        self._kept.append(program)
        self._library.carillon_machine_join(ctypes.byref(program), c_uint16(begin))

    def generated(self, program: _Program) -> _Program | None:
        """A program with S code of what its scheduler has decided; None if there is none."""
        room = 4000
        code = (_Instruction * room)()
        size = int(self._library.carillon_generate(ctypes.byref(program), code, c_uint32(room))) & 0xFFFF
        return _Program(code, program.handlers, 64 * (size + 1), size, program.entry, program.scheduler) if size else None

    def go_on(self, program: _Program) -> None:
        """With one that was generated."""
        self._kept.append(program)
        self._library.carillon_machine_continue(ctypes.byref(program))

    def instant(self, now: int) -> int | None:
        """The task that is to run."""
        found = int(self._library.carillon_machine_instant(c_uint32(now)))
        return None if found == NONE else found

    def ended(self, task: int, now: int) -> int | None:
        """The task that is to run."""
        found = int(self._library.carillon_machine_ended(task, c_uint32(now)))
        return None if found == NONE else found

    def end(self, task: int) -> None:
        self._library.carillon_machine_end(task)

    def input(self) -> None:
        self._library.carillon_machine_input()

    def next(self) -> int | None:
        time = c_uint32()
        return time.value if self._library.carillon_machine_next(ctypes.byref(time)) & 0xFF else None

    def decisions(self) -> list[Decision]:
        """What the scheduler has decided since the program began."""
        assert not self._library.carillon_recorder_is_full() & 0xFF
        found, it = [], _Decision()
        while self._library.carillon_recorder_find(len(found), ctypes.byref(it)) & 0xFF:
            found.append(Decision(it.order, it.block, it.task))
        return found

    def lengths(self) -> list[int]:
        """Of each decision how long its block has lasted at least; 0: not known."""
        return [int(self._library.carillon_recorder_length(k)) for k in range(len(self.decisions()))]


@contextmanager
def native(answer: Answer) -> Iterator[Native]:
    """A machine of its own."""
    library = ctypes.CDLL(str(_library()))
    library.carillon_machine_instant.restype = c_uint16
    library.carillon_machine_ended.restype = c_uint16
    library.carillon_machine_next.restype = c_uint8
    try:
        yield Native(library, answer)
    finally:
        _ctypes.dlclose(library._handle)
