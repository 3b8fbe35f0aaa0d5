# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` sees what is wrong with microcode, and nothing where nothing is.

An image of each program is built as always.  Then some of its bytes are changed, one fault at a time, and each must be found.
Without images, the E code of random programs is followed, as it is and with one operand changed.
"""

from __future__ import annotations

import random
import shutil
import struct
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from building import build
from carillon.diagnostics import Diagnostics, Span
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.reading import parse_giotto
from carillon.frontends.giotto.rules import check_giotto
from carillon.microcode import Program
from carillon.microcode.binary import HEADER_BYTES, encode
from carillon.model import System
from carillon.model.giotto import Giotto
from carillon.pipeline import plan
from carillon.verify import verify
from carillon.verify.giotto_meaning import START, Function, Meaning
from carillon.verify.microcode import MicrocodeCheck, _Image, _Place
from carillon.verify.microcode_bytes import CALL, FORK, FUTURE, IF, JUMP, RELEASE, RETURN, decoded
from carillon.verify.microcode_functions import Functions

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "giotto"))
from giotto_oracle import random_spec  # noqa: E402

OWN = Path(__file__).parent / "verify" / "microcode"
PROGRAMS = {
    "app": OWN / "app.giotto",
    "flight": ROOT / "examples" / "flight" / "flight.giotto",
    "helicopter": ROOT / "examples" / "helicopter" / "helicopter.giotto",
    "event": ROOT / "docs" / "guide" / "giotto" / "event" / "event.giotto",
    "threshold": ROOT / "docs" / "guide" / "giotto" / "threshold" / "threshold.giotto",
    "beside": ROOT / "docs" / "guide" / "giotto" / "beside" / "beside.giotto",
}
FIRST, DRIVERS, GUARDS, TASKS, TRIGGERS = (
    f"carillon_microcode_{name}" for name in ("first", "drivers", "guards", "tasks", "triggers")
)
LOADER = "carillon_loader_image"


@dataclass
class Images:
    folder: Path
    built: dict[str, tuple[System, Path]] = field(default_factory=dict)

    def get(self, name: str) -> tuple[System, Path]:
        if name not in self.built:
            self.built[name] = self.make(name, PROGRAMS[name.split(" ")[0]])
        return self.built[name]

    def make(self, name: str, program: Path) -> tuple[System, Path]:
        source = self.folder / name.replace(" ", "-")
        shutil.copytree(program.parent, source, ignore=shutil.ignore_patterns("*.scode", "build"))
        if name == "flight with S code":
            shutil.copy(program.parent / "preemptive.scode", source / "flight.scode")
        diagnostics = Diagnostics()
        planned = plan(source / program.name, diagnostics, "ast1030-evb")
        firmware = build(planned.image, source / "build", diagnostics)
        assert firmware is not None, diagnostics.reported
        return planned.system, firmware.elf


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Images:
    return Images(tmp_path_factory.mktemp("microcode"))


class Patch:
    """The bytes of an image, by symbol."""

    def __init__(self, path: Path) -> None:
        self.data = bytearray(path.read_bytes())
        self.places: dict[str, tuple[int, int, int]] = {}
        with path.open("rb") as stream:
            elf = ELFFile(stream)
            for s in elf.get_section_by_name(".symtab").iter_symbols():
                home = elf.get_section(s["st_shndx"]) if isinstance(s["st_shndx"], int) else None
                if home is not None and home["sh_type"] != "SHT_NOBITS":
                    self.places[s.name] = home["sh_offset"] + (s["st_value"] & ~1) - home["sh_addr"], s["st_size"], s["st_value"]

    def put(self, symbol: str, offset: int, form: str, change: Callable[[int], int]) -> None:
        at = self.places[symbol][0] + offset
        (old,) = struct.unpack_from("<" + form, self.data, at)
        assert change(old) != old
        struct.pack_into("<" + form, self.data, at, change(old))

    def swap(self, symbol: str, one: int, two: int, size: int) -> None:
        first, second = (self.places[symbol][0] + k * size for k in (one, two))
        a, b = self.data[first : first + size], self.data[second : second + size]
        assert a != b
        self.data[first : first + size], self.data[second : second + size] = b, a

    def fill(self, symbol: str, byte: int) -> None:
        at, size, _ = self.places[symbol]
        self.data[at : at + size] = bytes([byte]) * size

    def find(self, opcode: int, which: int = 0) -> int:
        """The address of an instruction of the microcode."""
        at, size, _ = self.places["code"]
        return [k for k in range(size // 8) if self.data[at + 8 * k] == opcode][which]

    def operand(self, opcode: int, name: str, change: Callable[[int], int], which: int = 0) -> None:
        address = 8 * self.find(opcode, which)
        if name == "time":
            self.put("code", address, "I", lambda word: word & 0xFF | change(word >> 8) << 8)
        else:
            self.put("code", address + {"x": 4, "y": 6}[name], "H", change)


def plus(n: int) -> Callable[[int], int]:
    return lambda value: value + n


def to(n: int) -> Callable[[int], int]:
    return lambda _: n


@dataclass(frozen=True)
class Fault:
    image: str
    name: str
    code: str
    change: Callable[[Patch], Any]
    says: str = ""


FAULTS = [
    # E code
    Fault("app", "code of zeros", "C209", lambda p: p.fill("code", 0), "number 0, which is none; so are 31 more"),
    Fault("app", "code of ones", "C209", lambda p: p.fill("code", 255)),
    Fault("app", "an instruction that is none", "C209", lambda p: p.put("code", 8, "B", to(15)), "instruction 1 "),
    Fault("app", "an operand that is not used", "C209", lambda p: p.operand(CALL, "y", to(1)), "does not use"),
    Fault("app", "an address behind the code", "C209", lambda p: p.operand(FUTURE, "y", to(32)), "the address 32"),
    Fault("app", "a driver that there is not", "C209", lambda p: p.operand(CALL, "x", to(9)), "the driver 9"),
    Fault("app", "another driver", "C205", lambda p: p.operand(CALL, "x", to(3), 2), "copy:one"),
    Fault("app", "another guard", "C208", lambda p: p.operand(IF, "x", to(1)), "guard now"),
    Fault("app", "another task", "C205", lambda p: p.operand(RELEASE, "x", to(1)), "the release of one for 20 ms"),
    Fault("app", "a deadline later", "C206", lambda p: p.operand(RELEASE, "time", plus(1)), "21 ms to its deadline, and not 20"),
    Fault("app", "a block later", "C204", lambda p: p.operand(FUTURE, "time", plus(1)), "waits 21 ms"),
    Fault("app", "a block without end", "C209", lambda p: p.operand(FUTURE, "time", to(0)), "waits for no time"),
    Fault("app", "a block that is followed by another one", "C205", lambda p: p.operand(FUTURE, "y", to(3)), "at 20 ms"),
    Fault("app", "a guard that skips too much", "C205", lambda p: p.operand(IF, "y", plus(1), 1)),
    Fault("app", "a guard that skips too little", "C205", lambda p: p.operand(IF, "y", plus(-1), 1)),
    Fault("app", "a switch that leads elsewhere", "C208", lambda p: p.operand(JUMP, "y", to(25), 1), "entered at 0 ms"),
    Fault("app", "a jump in place", "C209", lambda p: p.operand(JUMP, "y", to(2)), "no end"),
    Fault("app", "a block that goes on", "C205", lambda p: p.put("code", 8 * p.find(RETURN), "Q", to(CALL)), "have ended"),
    Fault("app", "a thread", "C205", lambda p: p.put("code", 0, "Q", to(FORK))),
    Fault("app", "two calls exchanged", "C205", lambda p: p.swap("code", 4, 5, 8)),
    # The program
    Fault("app", "another entry", "C205", lambda p: p.put(FIRST, 14, "H", to(3))),
    Fault("app", "an entry behind the code", "C209", lambda p: p.put(FIRST, 14, "H", to(32))),
    Fault("app", "no code", "C209", lambda p: p.put(FIRST, 12, "H", to(0)), "no instructions"),
    Fault("app", "less code", "C209", lambda p: p.put(FIRST, 12, "H", to(31))),
    Fault("app", "code elsewhere", "C209", lambda p: p.put(FIRST, 0, "I", to(0xF000_0000)), "nothing at 0xf0000000"),
    Fault("app", "too few steps", "C209", lambda p: p.put(FIRST, 8, "I", to(5)), "5 instructions out"),
    Fault("app", "another scheduler", "C207", lambda p: p.put(FIRST, 16, "B", to(2)), "the scheduler of the image is 2"),
    Fault("app", "a table of handlers", "C205", lambda p: p.put(FIRST, 4, "I", to(0x100)), "handles exceptions"),
    # Tables of functions
    Fault("app", "two tasks exchanged", "C205", lambda p: p.swap(TASKS, 0, 1, 16), "calls do_two, and should call do_one"),
    Fault("app", "two functions of tasks exchanged", "C205", lambda p: p.swap(TASKS, 0, 4, 4), "do_two"),
    Fault("app", "two ends of tasks exchanged", "C205", lambda p: p.swap(TASKS, 1, 5, 4), "does not note"),
    Fault("app", "another thread", "C205", lambda p: p.put(TASKS, 12, "B", to(1)), "the thread 1"),
    Fault("app", "another thread's state", "C205", lambda p: p.swap(TASKS, 2, 6, 4), "state of another thread"),
    Fault("app", "two sensors exchanged", "C205", lambda p: p.swap(DRIVERS, 4, 5, 8), "calls read_q, and should call read_p"),
    Fault("app", "two outputs exchanged", "C205", lambda p: p.swap(DRIVERS, 2, 3, 8)),
    Fault("app", "two outputs' first values exchanged", "C205", lambda p: p.swap(DRIVERS, 0, 1, 8)),
    Fault("app", "two inputs exchanged", "C205", lambda p: p.swap(DRIVERS, 14, 16, 4), "copy_q, and should call copy_p"),
    Fault("app", "a driver that is nowhere", "C209", lambda p: p.put(DRIVERS, 8, "I", to(0x7000_0001))),
    Fault("app", "two guards exchanged", "C208", lambda p: p.swap(GUARDS, 0, 1, 4), "calls yes, and should call high"),
    Fault(
        "app", "another task touched", "C205", lambda p: p.put("touches_7", 0, "H", to(1)), "touches one, and the image says two"
    ),
    Fault("app", "no task touched", "C205", lambda p: p.put("touches_8", 0, "H", to(0xFFFF)), "the image says no task"),
    Fault("app", "a list without end", "C209", lambda p: p.put("touches_8", 2, "H", to(0)), "has no end"),
    Fault("app", "a driver with another port", "C205", lambda p: p.put("driver_7", 12, "I", to(0x2000)), "copy_p with"),
    # Loader, triggers
    Fault("event", "the loader's tick", "C204", lambda p: p.put(LOADER, 0, "I", plus(1))),
    Fault("event", "the loader's tables", "C205", lambda p: p.put(LOADER, 4, "I", plus(1)), "other tables"),
    Fault("event", "the loader's counts", "C205", lambda p: p.put(LOADER, 8, "H", plus(1)), "rows"),
    Fault("event", "the loader's room", "C205", lambda p: p.put(LOADER, 18, "B", to(0)), "has room for 0 triggers"),
    Fault("event", "more room than there is", "C205", lambda p: p.put(LOADER, 19, "B", to(100)), "100 threads"),
    Fault("threshold", "two triggers exchanged", "C205", lambda p: p.swap(TRIGGERS, 0, 1, 8), "arm_1 looks at control:valve"),
    Fault("threshold", "another predicate", "C205", lambda p: p.swap(TRIGGERS, 1, 3, 4), "hotter: is_enabled_1 calls is_third"),
    Fault("threshold", "no function", "C205", lambda p: p.swap(TRIGGERS, 3, 5, 4), "third: is_enabled_2 does not call is_third"),
    Fault("threshold", "other ports kept", "C205", lambda p: p.swap(TRIGGERS, 0, 2, 4), "hotter: arm_1 looks at"),
    Fault("threshold", "ends that are not counted", "C205", lambda p: p.swap(TASKS, 5, 9, 4), "count that cool has ended"),
    Fault("app", "the end of a task in the middle of a function", "C209", lambda p: p.put(TASKS, 20, "I", plus(2)), "begins"),
    Fault("app", "an output elsewhere", "C205", lambda p: p.put("driver_0", 20, "I", plus(4)), "x"),
    Fault("app", "a port where no variable begins", "C205", lambda p: p.put("driver_0", 20, "I", plus(2)), "no variable"),
    Fault("event", "the loader's key", "C205", lambda p: p.put("carillon_loader_key", 3, "B", lambda v: v ^ 1), "another key"),
    Fault("event", "the loader's first program", "C205", lambda p: p.put("carillon_loader_first", 0, "I", plus(1)), "checksum"),
]


@pytest.mark.parametrize("name", [*PROGRAMS, "flight with S code"])
def test_an_image_as_it_was_built_is_what_the_program_says(name: str, images: Images) -> None:
    diagnostics = Diagnostics()
    report = verify(*images.get(name), diagnostics)
    assert not diagnostics.reported
    assert report.microcode is not None
    assert report.microcode.functions > 0
    told = [line for line in report.unverified if line.startswith("S code")]
    assert bool(told) == (name == "flight with S code")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f"{f.image}: {f.name}")
def test_a_fault_is_found(fault: Fault, images: Images, tmp_path: Path) -> None:
    system, elf = images.get(fault.image)
    patch = Patch(elf)
    fault.change(patch)
    broken = tmp_path / "broken.elf"
    broken.write_bytes(patch.data)
    diagnostics = Diagnostics()
    verify(system, broken, diagnostics)
    assert fault.code in {d.code for d in diagnostics.errors}, diagnostics.errors
    assert any(fault.says in d.cause for d in diagnostics.errors), diagnostics.errors


CHANGES = [("period 20", "period 10", "C206"), ("taskfreq 2", "taskfreq 4", "C206"), ("if high(y)", "if yes()", "C208")]


@pytest.mark.parametrize(("old", "new", "code"), CHANGES)
def test_a_program_that_was_changed_since_is_refused(old: str, new: str, code: str, images: Images, tmp_path: Path) -> None:
    text = PROGRAMS["app"].read_text(encoding="utf-8")
    assert old in text
    shutil.copy(OWN / "app.c", tmp_path)
    (tmp_path / "app.giotto").write_text(text.replace(old, new), encoding="utf-8")
    diagnostics = Diagnostics()
    verify(plan(tmp_path / "app.giotto", Diagnostics(), "ast1030-evb").system, images.get("app")[1], diagnostics)
    assert code in {d.code for d in diagnostics.errors}, diagnostics.errors


# Without images


class Named(Functions):
    """Functions that are what the compiler calls them; an address is a number of the table."""

    names: list[str]

    def differs(self, address: int, function: Function, span: Span) -> str | None:  # noqa: ARG002
        return None if self.names[address] == function.name else f"it is {self.names[address]}"


def played(program: Giotto, made: Program, code: list[Any]) -> tuple[set[str], set[int]]:
    """The codes of what differs, and the addresses that were followed."""
    diagnostics = Diagnostics()
    check = MicrocodeCheck(None, program, None, None, diagnostics)  # type: ignore[arg-type]
    check.meaning = Meaning(program)
    check.functions = Named(None, None)  # type: ignore[arg-type]
    check.functions.names = [function.name for function in (*made.drivers, *made.guards)]
    rows = []
    for number, driver in enumerate(made.drivers):
        touched = [
            k for k, t in enumerate(made.tasks) if {*t.writes} & {*driver.reads, *driver.writes} or {*t.reads} & {*driver.writes}
        ]
        rows.append((number, tuple(touched)))
    check.image = _Image(code, 0, 0, b"", rows, [len(rows) + k for k in range(len(made.guards))], [], [])
    check.follow(_Place(0, START))
    return {d.code for d in diagnostics.errors}, {place.address for place in check.met}


def test_the_code_of_random_programs_is_what_they_mean_and_no_other_code_is() -> None:
    chance, seen = random.Random(1), Counter[str]()
    for _ in range(60):
        diagnostics = Diagnostics()
        program = parse_giotto(random_spec(chance).text(), "random.giotto", diagnostics)
        assert program is not None
        check_giotto(program, diagnostics)
        compiled = compile_giotto(program, diagnostics)
        assert compiled is not None
        made = compiled.program
        raw = encode(made)[HEADER_BYTES:]
        code = [decoded(raw[8 * k : 8 * k + 8], {})[0] for k in range(len(made.code))]
        wrong, followed = played(program, made, code)
        assert not wrong
        for _ in range(10):
            at = chance.randrange(len(code))
            name = chance.choice([n for n in ("x", "time", "y") if getattr(code[at], n)] or ["opcode"])
            value = getattr(code[at], name) + chance.choice([-1, 1])
            if name == "y" and code[value % len(code)].opcode == JUMP:
                continue  # a jump to a jump may be the same
            changed = [*code]
            changed[at] = replace(code[at], **{name: value})
            limit = {CALL: len(made.drivers), IF: len(made.guards)}.get(changed[at].opcode, 1 << 16)
            if changed[at].opcode not in range(1, 15) or changed[at].x >= limit or changed[at].time < 0:
                continue
            found, _ = played(program, made, changed)
            assert found or at not in followed, (at, code[at], changed[at])
            seen["found" if found else "never carried out"] += 1
    assert seen["found"] > 300, seen
