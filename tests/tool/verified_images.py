# SPDX-License-Identifier: Apache-2.0
"""Images that the tests of ``carillon verify`` build, and the changes that they make in them.

An image is built once, when a test first asks for it.  A fault changes some bytes of a table, a vector or a handler.
"""

from __future__ import annotations

import re
import shutil
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import capstone
from elftools.elf.elffile import ELFFile
from typer.testing import CliRunner

from building import build
from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.pipeline import plan
from carillon.verify import verify

SOURCES = Path(__file__).parent / "verify"
IMAGES = {  # name: schedule, board
    "ast": ("modes", "ast1030-evb"),
    "mps2": ("reload", "mps2-an385"),
    "joined": ("joined", "mps2-an385"),
    "joined alarms": ("joined-alarms", "mps2-an385"),
    "gathered": ("gathered", "mps2-an385"),
    "avr": ("small", "atmega128"),
    "channels": ("channels", "atmega128"),
    "laps": ("laps", "atmega128"),
    "rv32": ("one", "qemu-rv32-virt"),
    "array": ("array", "cv32e40x-rtl"),
    "steps of the array": ("array-steps", "cv32e40x-rtl"),
    "events of the array": ("events", "cv32e40x-rtl"),
    "cells of the array": ("table-cells", "cv32e40x-rtl"),
    "adjusted on the array": ("table-adjusted", "cv32e40x-rtl"),
    "stm32": ("started", "stm32f4-discovery"),
    "triggered": ("triggered", "stm32f4-discovery"),
    "matches": ("matches", "blackpill-f411"),
    "nrf": ("started", "microbit"),
    "pico": ("motor", "raspberry-pi-pico"),
    "slices of the PWM": ("joined-slices", "raspberry-pi-pico"),
    "few levels": ("few-levels", "raspberry-pi-pico"),
    "virtual": ("small", "virtual-256"),
    "events": ("events", "ast1030-evb"),
    "clock on AVR": ("time", "atmega128"),
    "clock": ("time", "ast1030-evb"),
    "sync": ("sync", "ast1030-evb"),
    "sync on the host": ("sync", "virtual-256"),
    "sync on AVR": ("sync-turns", "atmega2560"),
    "sync on the Pico": ("sync", "raspberry-pi-pico"),
    "sync on STM32": ("sync-matches", "stm32f4-discovery"),
    "cells": ("table-cells", "ast1030-evb"),
    "virtual-cells": ("table-cells", "virtual-256"),
    "set": ("table-set", "mps2-an385"),
    "set once": ("table-set-once", "mps2-an385"),
    "points": ("table-points", "ast1030-evb"),
    "adjusted": ("table-adjusted", "ast1030-evb"),
    "tasks of a table": ("table-tasks", "ast1030-evb"),
    "slices": ("slices", "mps2-an385"),
    "turns": ("turns", "ast1030-evb"),
    "turns on the host": ("turns", "virtual-ast1030-evb"),
    "table": ("table", "qemu-rv32-virt"),
    "levels": ("levels", "ast1030-evb"),
    "levels on AVR": ("levels", "atmega128"),
    "parts": ("parts", "ast1030-evb"),
    "several": ("several", "ast1030-evb"),
    "several on the host": ("several", "virtual-ast1030-evb"),
    "several on AVR": ("several", "atmega128"),
    "parts on the host": ("parts", "virtual-ast1030-evb"),
    "budgets": ("budgets", "ast1030-evb"),
    "beneath": ("beneath", "ast1030-evb"),
    "tables with budgets": ("table-budgets", "ast1030-evb"),
    "bounded": ("bounded", "ast1030-evb"),
    "bounded on the host": ("bounded", "virtual-ast1030-evb"),
    "bounded on the Pico": ("bounded-few", "raspberry-pi-pico"),
    "bounded on AVR": ("bounded-nested", "atmega2560"),
    "bounded in RTL": ("bounded", "cv32e40x-rtl"),
    "frames": ("frames", "ast1030-evb"),
    "tables": ("schedule-tables", "ast1030-evb"),
    "tables on AVR": ("schedule-tables", "atmega2560"),
    "tables on the host": ("schedule-tables", "virtual-256"),
}


class Patch:
    """An ELF file whose bytes are changed."""

    def __init__(self, path: Path) -> None:
        self.data = bytearray(path.read_bytes())
        with path.open("rb") as stream:
            elf = ELFFile(stream)
            self.machine = elf["e_machine"]
            self.parts = [
                (s["sh_addr"], s["sh_size"], s["sh_offset"])
                for s in elf.iter_sections()
                if s["sh_flags"] & 2 and s["sh_type"] != "SHT_NOBITS" and s["sh_size"]
            ]
            table = elf.get_section_by_name(".symtab")
            names = elf.get_section(table["sh_link"])
            self.names = names["sh_offset"], names["sh_size"]
            self.symbols = {
                s.name: (s["st_value"] & ~int(self.machine == "EM_ARM" and s["st_info"]["type"] == "STT_FUNC"), s["st_size"])
                for s in table.iter_symbols()
                if s["st_shndx"] != "SHN_UNDEF"
            }
        self.word = 2 if self.machine == "EM_AVR" else 4

    def offset(self, address: int) -> int:
        return next(address - a + o for a, size, o in self.parts if a <= address < a + size)

    def put(self, address: int, value: bytes) -> None:
        at = self.offset(address)
        assert self.data[at : at + len(value)] != value, "the fault changes nothing"
        self.data[at : at + len(value)] = value

    def field(self, symbol: str, at: int, size: int, change: Callable[[int], int]) -> None:
        """Change a field that is so many bytes behind a symbol."""
        address = self.symbols[symbol][0] + at
        value = int.from_bytes(self.data[self.offset(address) :][:size], "little")
        self.put(address, (change(value) & (1 << 8 * size) - 1).to_bytes(size, "little"))

    def copy(self, symbol: str, source: int, target: int, size: int) -> None:
        """Put bytes behind a symbol in the place of others there."""
        address = self.symbols[symbol][0]
        self.put(address + target, bytes(self.data[self.offset(address + source) :][:size]))

    def context(self, kind: int, change: Callable[[int], int]) -> None:
        """Change what the first source of a kind (0: nobody's) is said to be."""
        _, size = self.symbols["carillon_osek_contexts"]
        at = self.offset(self.symbols["carillon_osek_contexts"][0])
        contexts = struct.unpack_from(f"<{size // 2}H", self.data, at)
        first = next(k for k, context in enumerate(contexts) if context & 0x700 == kind)
        self.field("carillon_osek_contexts", 2 * first, 2, change)

    def number(self, symbol: str, index: int, change: Callable[[int], int], size: int = 0) -> None:
        size = size or self.word
        address = self.symbols[symbol][0] + index * size
        at = self.offset(address)
        value = int.from_bytes(self.data[at : at + size], "little")
        self.put(address, (change(value) & (1 << 8 * size) - 1).to_bytes(size, "little"))

    def pairs(self, symbol: str) -> list[tuple[int, int]]:
        """A list of stores."""
        address, size = self.symbols[symbol]
        at = self.offset(address)
        form = "<" + ("H" if self.word == 2 else "I") * (size // self.word)
        flat = struct.unpack_from(form, self.data, at)
        return list(zip(flat[::2], flat[1::2], strict=True))

    def store(self, symbol: str, wanted: Callable[[int, int], bool], change: Callable[[int, int], tuple[int, int]]) -> None:
        """Change the last store of a list that fits: one before it may be made again."""
        found = self.pairs(symbol)
        k = max(k for k, pair in enumerate(found) if wanted(*pair))
        address, value = change(*found[k])
        form = "<HH" if self.word == 2 else "<II"
        new = struct.pack(form, address & (1 << 8 * self.word) - 1, value & (1 << 8 * self.word) - 1)
        self.put(self.symbols[symbol][0] + 2 * k * self.word, new)

    def swap(self, symbol: str, one: int, two: int, size: int) -> None:
        """Exchange two elements of an array."""
        first, second = (self.offset(self.symbols[symbol][0] + k * size) for k in (one, two))
        a, b = self.data[first : first + size], self.data[second : second + size]
        assert a != b
        self.data[first : first + size], self.data[second : second + size] = b, a

    def code(self, function: str) -> Iterator[tuple[int, int, str]]:
        """The instructions of a function: address, size, text."""
        address, size = self.symbols[function]
        at = self.offset(address)
        kinds = {
            "EM_ARM": (capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS),
            "EM_RISCV": (capstone.CS_ARCH_RISCV, capstone.CS_MODE_RISCV32 | capstone.CS_MODE_RISCVC),
            "EM_X86_64": (capstone.CS_ARCH_X86, capstone.CS_MODE_64),
        }
        decoder = capstone.Cs(*kinds[self.machine])
        for where, length, name, operands in decoder.disasm_lite(bytes(self.data[at : at + size]), address):
            yield where, length, f"{name} {operands}"

    def rename(self, symbol: str, other: str) -> None:
        """Give a symbol another name, which is as long; what debuggers read keeps the old one."""
        old, new = (b"\0" + name.encode() + b"\0" for name in (symbol, other))
        start, size = self.names
        assert self.data.count(old, start, start + size) == 1 and len(old) == len(new)
        at = self.data.index(old, start, start + size)
        self.data[at : at + len(old)] = new

    def drop(self, function: str, pattern: str, which: int = 0) -> None:
        """Replace an instruction by ones that do nothing."""
        found = [(where, size) for where, size, text in self.code(function) if re.search(pattern, text)]
        where, size = found[which]
        nothing = {"EM_ARM": b"\x00\xbf", "EM_RISCV": b"\x01\x00", "EM_X86_64": b"\x90"}[self.machine]
        self.put(where, nothing * (size // len(nothing)))

    def find(self, function: str, old: bytes, mask: bytes | None = None) -> int:
        """Where in a function bytes stand, on an even address."""
        address, size = self.symbols[function]
        at = self.offset(address)
        mask = mask or b"\xff" * len(old)
        for k in range(0, size, 2):
            part = self.data[at + k : at + k + len(old)]
            if bytes(a & m for a, m in zip(part, mask, strict=False)) == old:
                return address + k
        raise AssertionError("no such bytes")

    def blank(self, function: str, old: bytes, mask: bytes, new: bytes = b"", which: int = 0) -> None:
        """Put other bytes, by default those of AVR's instruction that does nothing, in the place of some in a function."""
        address, size = self.symbols[function]
        code = self.data[(at := self.offset(address)) : at + size]
        masked = [bytes(a & m for a, m in zip(code[k : k + len(old)], mask, strict=False)) for k in range(0, size, 2)]
        place = [2 * k for k, part in enumerate(masked) if part == old][which]
        self.put(address + place, new or bytes(len(old)))

    def call(self, function: str, callee: str, other: str) -> None:
        """Make a call, or a jump, one of another function."""
        target, new = self.symbols[callee][0], self.symbols[other][0]
        if self.machine == "EM_AVR":
            for opcode in (0x940E, 0x940C):
                old = struct.pack("<HH", opcode, target // 2)
                if old in self.data[(a := self.offset(self.symbols[function][0])) : a + self.symbols[function][1]]:
                    self.put(self.find(function, old), struct.pack("<HH", opcode, new // 2))
                    return
            raise AssertionError("no such call")
        if self.machine == "EM_RISCV":
            for where, size, text in self.code(function):
                if (jump := re.match(r"(?:c\.)?j(?:al)? (?:ra, )?(-?0x[0-9a-f]+|\d+)$", text)) and where + int(
                    jump[1], 0
                ) == target:
                    self.put(where, _jump(self.data[self.offset(where) :][:size], new - where))
                    return
            raise AssertionError("no such call")
        for where, size, text in self.code(function):
            if re.match(rf"(bl|b\.w|call|jmp) .*{target:#x}$", text):
                if self.machine == "EM_X86_64":
                    self.put(where + 1, struct.pack("<i", new - where - size))
                    return
                links = text.startswith("bl")
                offset = new - where - 4
                s, imm = int(offset < 0), offset & 0x1FFFFFF
                i1, i2 = imm >> 23 & 1, imm >> 22 & 1
                upper = 0xF000 | s << 10 | imm >> 12 & 0x3FF
                lower = (0xD000 if links else 0x9000) | (1 - (i1 ^ s)) << 13 | (1 - (i2 ^ s)) << 11 | imm >> 1 & 0x7FF
                self.put(where, struct.pack("<HH", upper, lower))
                return
        raise AssertionError("no such call")


def _jump(old: bytes, by: int) -> bytes:
    """A jump of RISC-V, or a call, that goes elsewhere."""
    bits, size = int.from_bytes(old, "little"), len(old)
    places = (11, 4, 9, 8, 10, 6, 7, 3, 2, 1, 5) if size == 2 else (20, *range(10, 0, -1), 11, *range(19, 11, -1))
    assert -(1 << places[0]) <= by < 1 << places[0]
    top = 8 * size - 4 if size == 2 else 31
    for k, place in enumerate(places):
        at = top - k
        bits = bits & ~(1 << at) | (by >> place & 1) << at
    return bits.to_bytes(size, "little")


@dataclass(frozen=True)
class Fault:
    """A change of an image, and the code with which it must be found."""

    image: str
    name: str
    code: str
    change: Callable[[Patch], None]
    says: str = ""

    def __str__(self) -> str:
        return f"{self.image}: {self.name}"


def plus(n: int) -> Callable[[int], int]:
    return lambda value: value + n


def to(n: int) -> Callable[[int], int]:
    return lambda _: n


RELOAD = 0x7E78_2004  # of TMR1 of the AST1030
ENABLE, DISABLE, UNPEND = 0xE000_E100, 0xE000_E180, 0xE000_E280  # of the NVIC, from source 16 on
LEVELS, PREPARE = "carillon_osek_source_levels", "carillon_osek_prepare"
ROUND, ACTS, TABLES, CURSORS = (
    "carillon_steps_Round_2",
    "carillon_osek_point_actions",
    "carillon_osek_schedule_tables",
    "carillon_osek_cursors",
)


def at(address: int) -> Callable[[int, int], bool]:
    return lambda a, _: a == address


def value(change: Callable[[int], int]) -> Callable[[int, int], tuple[int, int]]:
    return lambda a, v: (a, change(v))


M0, M1 = "carillon_mode0_", "carillon_mode1_"


@dataclass
class Images:
    """Built once, each when it is first asked for."""

    folder: Path
    built: dict[str, tuple[System, Path]] = field(default_factory=dict)

    def get(self, name: str) -> tuple[System, Path]:
        if name not in self.built:
            schedule, board = IMAGES[name]
            folder = self.folder / name
            shutil.copytree(SOURCES, folder)
            diagnostics = Diagnostics()
            planned = plan(folder / f"{schedule}.toml", diagnostics, board)
            firmware = build(planned.image, folder / "build", diagnostics)
            assert firmware is not None, diagnostics.errors
            self.built[name] = planned.system, firmware.elf
        return self.built[name]


def must_be_found(fault: Fault, images: Images, folder: Path) -> None:
    """Verify an image with the fault in it."""
    system, elf = images.get(fault.image)
    patch = Patch(elf)
    fault.change(patch)
    broken = folder / "broken.elf"
    broken.write_bytes(patch.data)
    diagnostics = Diagnostics()
    verify(system, broken, diagnostics)
    found = diagnostics.errors
    print(*found, sep="\n")
    assert fault.code in {d.code for d in found}, found
    assert any(fault.says in d.cause for d in found), found
    assert all(d.span is not None for d in found)


def carillon(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"}, prog_name="carillon")
    return result.exit_code, result.stdout, result.stderr
