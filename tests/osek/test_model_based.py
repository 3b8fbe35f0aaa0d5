# SPDX-License-Identifier: Apache-2.0
"""Random applications and programs do on every board, under both dispatchers, what the reference model says.

CARILLON_TRIES is the number of applications for each test.  With it they are random, and a failure is made small;
without it they are the same each time.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from program import TABLE_SIZE, Limits, applications, code, listing, programs, schedule, table
from reference import Application, Code, Line, Op, Program, Resource, Task, expected, hook

import asked
from building import build
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.model.board import Board
from carillon.pipeline import plan
from carillon.run.emulators import rtl_runner

HERE = Path(__file__).parent
PATIENCE = 30.0  # seconds of wall time after which a run hangs
CYCLES = 3_000_000  # the same in RTL, where a million take some seconds

VIRTUAL = "virtual-ast1030-evb"
AST = "ast1030-evb"
MPS = "mps2-an385"
RV32 = "qemu-rv32-virt"
MICROBIT = "microbit"
RTL = "cv32e40x-rtl"
SOURCES = ["soft0", "soft1"]
SMALL = Limits(tasks=4, priorities=3, isrs=2, budget=150)
THREE_LEVELS = (Limits(4, 2, 0, 150, task_hooks=False), Limits(4, 1, 1, 150, task_hooks=False))
"""What ARMv6-M dispatches by the interrupt controller."""


# An application and some programs.
Case = tuple[Application, tuple[Program, ...]]


@dataclass(frozen=True, slots=True)
class Image:
    """A built application: its ELF file, and where in it carillon_program is."""

    board: Board
    elf: Path
    offset: int


class Bench:
    """Builds applications, each once, and runs programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._images: dict[tuple[str, str, str], Image] = {}

    def image(self, application: Application, board: str, dispatch: str, compiled: tuple[Program, ...] = ()) -> Image:
        key = (board, schedule(application, dispatch, SOURCES), code(application, compiled))
        if key not in self._images:
            self._images[key] = self._build(*key)
        return self._images[key]

    def _build(self, board: str, toml: str, c: str) -> Image:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        if board == MICROBIT:  # it has 16 KiB
            toml = toml.replace("stack = 8192", "stack = 1536")
        (folder / "schedule.toml").write_text(toml, encoding="utf-8")
        (folder / "main.c").write_text(c, encoding="utf-8")
        shutil.copy(HERE / "interpreter.h", folder)
        shutil.copy(HERE.parent / "firmware/report.h", folder)
        diagnostics = Diagnostics()
        planned = plan(folder / "schedule.toml", diagnostics, board)
        assert planned.allocation.osek is not None
        assert planned.allocation.osek.software == (board == RV32 or 'dispatch = "software"' in toml), toml
        firmware = build(planned.image, folder / "build", diagnostics)
        assert firmware is not None, "\n".join([toml, *(str(d) for d in diagnostics.reported)])
        elf = folder / "app.elf"
        shutil.copy(firmware.elf, elf)
        shutil.rmtree(folder / "build")
        return Image(planned.system.board, elf, _offset(elf))

    def run(self, image: Image, content: bytes) -> list[tuple[str, int]]:
        """What an image says when carillon_program is ``content``."""
        data = bytearray(image.elf.read_bytes())
        data[image.offset : image.offset + TABLE_SIZE] = content
        elf = image.elf.with_name("program.elf")
        elf.write_bytes(data)
        elf.chmod(0o755)
        output = _native(elf) if image.board.native else _emulated(image.board, elf)
        lines = [line.split() for line in output.splitlines()]
        return [(words[0], int(words[1])) for words in lines if len(words) == 2 and words[1].isdigit()]


def _offset(elf: Path) -> int:
    """Where in a file carillon_program is."""
    address, _ = symbols(elf)["carillon_program"]
    with elf.open("rb") as stream:
        for section in ELFFile(stream).iter_sections():
            begin = section["sh_addr"]
            if begin <= address < begin + section["sh_size"] and section["sh_type"] == "SHT_PROGBITS":
                return int(section["sh_offset"] + address - begin)
    raise AssertionError("carillon_program has no place in the file")


def _native(elf: Path) -> str:
    result = subprocess.run([elf], capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False)
    return result.stdout + (f"exit {result.returncode}\n" if result.returncode else "")


def _emulated(board: Board, elf: Path) -> str:
    """The output up to the line that ends every program."""
    assert board.run is not None
    command = [*board.run.command, "-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio", "-kernel", str(elf)]
    if board.run.kind == "rtl":
        runner = rtl_runner(board.port, board.run, Diagnostics())
        assert runner is not None
        command = [
            *runner,
            "1",
            str(elf),
            *f"map=/dev/null out=/dev/null limit={CYCLES} base=0 code={board.run.code_bytes}".split(),
        ]
    said = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace"
    ) as emulator:
        patience = threading.Timer(PATIENCE, emulator.kill)
        patience.start()
        assert emulator.stdout is not None
        for line in emulator.stdout:
            said.append(line)
            if line.startswith("end "):
                break
        patience.cancel()
        emulator.kill()
    return "".join(said)


def compare(wanted: tuple[Line, ...], got: list[tuple[str, int]]) -> str:
    """The empty string if a run did what it should, else what it did and should have done."""
    for place in range(max(len(wanted), len(got))):
        about, numbers = wanted[place] if place < len(wanted) else ("nothing", frozenset[int]())
        if place >= len(got) or got[place][0] != about or got[place][1] not in numbers:
            before = [f"  {name} {number}" for name, number in got[max(0, place - 25) : place]]
            after = [f"! {name} {number}" for name, number in got[place : place + 6]] or ["! nothing"]
            instead = [f"? {name} {' or '.join(map(str, sorted(n)))}" for name, n in wanted[place : place + 6]] or ["? nothing"]
            return "\n".join([f"line {place}:", *before, *after, "should be", *instead])
    return ""


@st.composite
def cases(draw: st.DrawFn, limits: Limits, most: int) -> Case:
    """An application with some programs."""
    application = draw(applications(limits))
    return application, tuple(draw(st.lists(programs(application, limits), min_size=most, max_size=most)))


def examples(number: int) -> settings:
    """Settings of a test with so many examples, or half of them by default, unless the environment says otherwise."""
    number = number if asked.all_cases() else -(-number // 2)
    return settings(
        max_examples=asked.tries(number),
        database=None,
        deadline=None,
        # To shrink a failure takes many builds: it is left to whoever looks into one.
        phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if asked.searches() else [])],
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("osek"))


def check(bench: Bench, board: str, dispatch: str, case: Case, *, compiled: bool) -> None:
    application, some = case
    image = bench.image(application, board, dispatch, some if compiled else ())
    for number, program in enumerate(some):
        wanted = expected(application, program)
        got = bench.run(image, table(program, wanted, number, interpreted=not compiled))
        difference = compare(wanted.log, got)
        if difference:
            pytest.fail(
                f"{difference}\n{schedule(application, dispatch, SOURCES)}\n{listing(application, program)}", pytrace=False
            )


def op(code: Code, *parameters: int) -> Op:
    return Op(code, *parameters)


END, ASK = op(Code.TERMINATE_TASK), ((op(Code.GET_TASK_ID),),)
# What random programs have found, in one application: T0 and T2 share a resource, T1 is not preemptable.
FOUND = Application(
    tasks=(Task(0, autostart=frozenset({0}), resources=(0,)), Task(1, preemptable=False), Task(2, resources=(0,)), Task(3)),
    hooks=frozenset({"pretask", "posttask"}),
    resources=(Resource(),),
)
FOUND_PROGRAMS: dict[str, dict[int, tuple[Op, ...]]] = {
    "who is preempted resumes once when the task above chains a higher one": {
        0: (op(Code.ACTIVATE_TASK, 2), op(Code.HALT)),
        2: (op(Code.CHAIN_TASK, 3),),
        3: (END,),
    },
    "a task with a ceiling has ended before a higher one runs": {
        0: (op(Code.ACTIVATE_TASK, 1), op(Code.HALT)),
        1: (op(Code.ACTIVATE_TASK, 3), END),
        3: (op(Code.GET_TASK_STATE, 1), op(Code.GET_TASK_STATE, 0), op(Code.ACTIVATE_TASK, 1), END),
    },
    "a task in Schedule does not resume between two higher ones": {
        0: (op(Code.ACTIVATE_TASK, 1), op(Code.HALT)),
        1: (op(Code.ACTIVATE_TASK, 3), op(Code.SCHEDULE), END),
        2: (END,),
        3: (op(Code.ACTIVATE_TASK, 2), END),
    },
    "a task with a resource resumes before those that its ceiling keeps out": {
        0: (op(Code.GET_RESOURCE, 0), op(Code.ACTIVATE_TASK, 3), op(Code.RELEASE_RESOURCE, 0), op(Code.HALT)),
        1: (END,),
        2: (END,),
        3: (op(Code.ACTIVATE_TASK, 1), op(Code.ACTIVATE_TASK, 2), END),
    },
}


@pytest.mark.parametrize("found", FOUND_PROGRAMS)
@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_what_was_found_once_is_right(bench: Bench, dispatch: str, found: str) -> None:
    bodies = {number: (ops,) for number, ops in FOUND_PROGRAMS[found].items()}
    program = Program({**bodies, hook("pretask"): ASK, hook("posttask"): ASK}, budget=60)
    check(bench, VIRTUAL, dispatch, (FOUND, (program,)), compiled=False)


@pytest.mark.long
@examples(12)
@given(case=cases(Limits(), 16))
def test_hardware_dispatch_does_what_the_model_says(bench: Bench, case: Case) -> None:
    check(bench, VIRTUAL, "hardware", case, compiled=False)


@pytest.mark.long
@examples(12)
@given(case=cases(Limits(), 16))
def test_software_dispatch_does_what_the_model_says(bench: Bench, case: Case) -> None:
    check(bench, VIRTUAL, "software", case, compiled=False)


@pytest.mark.long
@examples(6)
@given(case=cases(Limits(), 3))
def test_hardware_dispatch_does_what_the_model_says_of_constant_parameters(bench: Bench, case: Case) -> None:
    check(bench, VIRTUAL, "hardware", case, compiled=True)


@pytest.mark.long
@examples(6)
@given(case=cases(Limits(), 3))
def test_software_dispatch_does_what_the_model_says_of_constant_parameters(bench: Bench, case: Case) -> None:
    check(bench, VIRTUAL, "software", case, compiled=True)


@pytest.mark.parametrize(
    ("board", "dispatch", "compiled"),
    [(AST, "hardware", True), (AST, "software", False), (MPS, "hardware", False), (MPS, "software", True)],
)
@examples(4)
@given(case=cases(SMALL, 3))
def test_an_emulated_board_does_what_the_model_says(bench: Bench, board: str, dispatch: str, compiled: bool, case: Case) -> None:
    check(bench, board, dispatch, case, compiled=compiled)


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@examples(2)
@given(case=cases(SMALL, 4), compiled=st.booleans())
def test_risc_v_with_levels_does_what_the_model_says(bench: Bench, dispatch: str, case: Case, compiled: bool) -> None:
    check(bench, RTL, dispatch, case, compiled=compiled)


@examples(2)
@given(case=cases(SMALL, 4))
def test_risc_v_does_what_the_model_says(bench: Bench, case: Case) -> None:
    check(bench, RV32, "software", case, compiled=False)


@examples(4)
@given(case=cases(SMALL, 4))
def test_armv6m_does_what_the_model_says(bench: Bench, case: Case) -> None:
    check(bench, MICROBIT, "software", case, compiled=False)


@examples(4)
@given(case=st.one_of([cases(limits, 4) for limits in THREE_LEVELS]), compiled=st.booleans())
def test_few_levels_of_armv6m_do_what_the_model_says(bench: Bench, compiled: bool, case: Case) -> None:
    check(bench, MICROBIT, "hardware", case, compiled=compiled)
