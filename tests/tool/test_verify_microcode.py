# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` sees what is wrong with the microcode of an image, and nothing where nothing is.

Each instruction is changed in each of its fields, and each table in each of its columns.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from test_verify import Patch

from building import build
from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.pipeline import plan
from carillon.resources import data_root
from carillon.verify import verify

CODES = ("C204", "C205", "C206", "C207", "C208", "C209")
SOURCES = Path(__file__).parent / "verify_microcode"
BOARD = "ast1030-evb"
PROGRAMS = ["examples/flight/flight.giotto", "examples/helicopter/helicopter.giotto", "docs/guide/giotto/beside/beside.giotto"]


def image(program: Path, folder: Path, board: str) -> tuple[System, Path]:
    here = folder / "program"
    shutil.copytree(program.parent, here, ignore=shutil.ignore_patterns("build"))
    diagnostics = Diagnostics()
    planned = plan(here / program.name, diagnostics, board)
    firmware = build(planned.image, folder / "build", diagnostics)
    assert firmware is not None, [d.cause for d in diagnostics.errors]
    return planned.system, firmware.elf


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[System, Path]:
    return image(SOURCES / "app.giotto", tmp_path_factory.mktemp("app"), BOARD)


@pytest.fixture(scope="module")
def loading(tmp_path_factory: pytest.TempPathFactory) -> tuple[System, Path]:
    return image(data_root() / PROGRAMS[2], tmp_path_factory.mktemp("loading"), BOARD)


@pytest.mark.parametrize("board", [BOARD, "mps2-an385", "virtual-ast1030-evb"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_an_image_as_it_was_built_does_what_its_program_means(program: str, board: str, tmp_path: Path) -> None:
    if "beside" in program and board.startswith("virtual"):
        pytest.skip("no UART, and so no loader")
    diagnostics = Diagnostics()
    report = verify(*image(data_root() / program, tmp_path, board), diagnostics)
    assert not diagnostics.found
    assert report.microcode is not None
    assert report.microcode.instructions >= 15
    assert report.microcode.functions >= 8


def found(system: System, patch: Patch, folder: Path) -> list[tuple[str, str]]:
    broken = folder / "broken.elf"
    broken.write_bytes(patch.data)
    diagnostics = Diagnostics()
    verify(system, broken, diagnostics)
    assert all(d.span is not None and d.code in CODES for d in diagnostics.errors), diagnostics.errors
    return [(d.code, d.cause) for d in diagnostics.errors]


FIELDS = {"opcode": (0, "B"), "time": (1, "B"), "operand": (4, "H"), "address": (6, "H")}


@pytest.mark.parametrize("field", FIELDS)
def test_no_field_of_an_instruction_can_be_another(field: str, built: tuple[System, Path], tmp_path: Path) -> None:
    system, elf = built
    offset, form = FIELDS[field]
    address, size = Patch(elf).symbols["code"]
    missed = []
    for at in range(address, address + size, 8):
        patch = Patch(elf)
        (value,) = struct.unpack_from("<" + form, patch.data, patch.offset(at + offset))
        patch.put(at + offset, struct.pack("<" + form, value + 1))
        if not found(system, patch, tmp_path):
            missed.append((at - address) // 8)
    assert not missed, f"the {field} of instructions {missed}"


@dataclass(frozen=True)
class Fault:
    name: str
    code: str
    change: Callable[[Patch], None]


def exchanged(symbol: str, first: int, second: int, row: int, column: int = 0, size: int = 4) -> Callable[[Patch], None]:
    """Exchange a column of two rows."""

    def change(patch: Patch) -> None:
        at = patch.symbols[symbol][0]
        one, two = at + first * row + column, at + second * row + column
        a, b = (bytes(patch.data[patch.offset(x) :][:size]) for x in (one, two))
        patch.put(one, b)
        patch.put(two, a)

    return change


def number(symbol: str, at: int, size: int, value: Callable[[int], int]) -> Callable[[Patch], None]:
    return lambda patch: patch.field(symbol, at, size, value)


FIRST, DRIVERS, TASKS = "carillon_microcode_first", "carillon_microcode_drivers", "carillon_microcode_tasks"
FAULTS = [
    Fault("no code", "C209", lambda p: p.put(p.symbols["code"][0], bytes(p.symbols["code"][1]))),
    Fault("code that begins elsewhere", "C205", number(FIRST, 14, 2, lambda v: v + 1)),
    Fault("code that is shorter", "C209", number(FIRST, 12, 2, lambda v: v - 1)),
    Fault("no instructions", "C209", number(FIRST, 12, 2, lambda _: 0)),
    Fault("too few steps", "C209", number(FIRST, 8, 4, lambda _: 1)),
    Fault("a handler of shared time", "C205", number(FIRST, 16, 2, lambda _: 0)),
    Fault("another scheduler", "C207", number(FIRST, 18, 1, lambda _: 2)),
    Fault("no scheduler", "C207", number(FIRST, 18, 1, lambda _: 0)),
    Fault("two sensors read for each other", "C205", exchanged(DRIVERS, 4, 5, 8)),
    Fault("two outputs begun for each other", "C208", exchanged(DRIVERS, 0, 1, 8)),
    Fault("a driver that touches another task", "C205", exchanged(DRIVERS, 2, 3, 8, 4)),
    Fault("a driver that touches no task", "C205", lambda p: touches_none(p, 2)),
    Fault("two tasks for each other", "C205", exchanged(TASKS, 0, 1, 16)),
    Fault("two tasks that commit each other's outputs", "C205", exchanged(TASKS, 0, 1, 16, 4)),
    Fault("two tasks with each other's states", "C205", exchanged(TASKS, 0, 1, 16, 8)),
    Fault("a task in another thread", "C205", number(TASKS, 12, 1, lambda v: v + 1)),
    Fault("two guards for each other", "C208", exchanged("carillon_microcode_guards", 0, 1, 4)),
]


def touches_none(patch: Patch, row: int) -> None:
    at = patch.symbols[DRIVERS][0] + 8 * row + 4
    (pointer,) = struct.unpack_from("<I", patch.data, patch.offset(at))
    patch.put(pointer, b"\xff\xff")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_a_fault_in_a_table_is_found(fault: Fault, built: tuple[System, Path], tmp_path: Path) -> None:
    system, elf = built
    patch = Patch(elf)
    fault.change(patch)
    codes = found(system, patch, tmp_path)
    assert fault.code in {code for code, _ in codes}, codes


LOADER = "carillon_loader_image"
OF_THE_LOADER = [
    Fault("another tick", "C204", number(LOADER, 0, 4, lambda v: v + 1)),
    Fault("the checksum of other tables", "C205", number(LOADER, 4, 4, lambda v: v ^ 1)),
    *[Fault(f"another count of rows, {k}", "C205", number(LOADER, 8 + 2 * k, 2, lambda v: v + 1)) for k in range(5)],
    Fault("too few triggers", "C205", number(LOADER, 18, 1, lambda _: 0)),
    Fault("too few threads", "C205", number(LOADER, 19, 1, lambda _: 0)),
    Fault("another key", "C205", number("carillon_loader_key", 0, 4, lambda v: v ^ 1)),
    Fault("the checksum of another program", "C205", number("carillon_loader_first", 0, 4, lambda v: v ^ 1)),
]


@pytest.mark.parametrize("fault", OF_THE_LOADER, ids=lambda f: f.name)
def test_a_fault_in_what_the_loader_knows_is_found(fault: Fault, loading: tuple[System, Path], tmp_path: Path) -> None:
    test_a_fault_in_a_table_is_found(fault, loading, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("taskfreq 2 do one", "taskfreq 1 do one", "C204"),
        ("period 20", "period 40", "C206"),
        ("period 20", "period 10", "C206"),
        ("do_one(a, x)", "do_two(a, x)", "C205"),
        ("if high(y)", "if yes()", "C208"),
        ("uses read_q", "uses read_p", "C205"),
        ("copy_q(q, b)", "copy_p(q, b)", "C205"),
    ],
)
def test_the_image_of_another_program_is_found(old: str, new: str, code: str, built: tuple[System, Path], tmp_path: Path) -> None:
    shutil.copytree(SOURCES, tmp_path / "other")
    program = tmp_path / "other" / "app.giotto"
    text = program.read_text(encoding="utf-8")
    assert text.count(old) == 1
    program.write_text(text.replace(old, new), encoding="utf-8")
    other = plan(program, Diagnostics(), BOARD).system
    codes = found(other, Patch(built[1]), tmp_path)
    assert code in {c for c, _ in codes}, codes
