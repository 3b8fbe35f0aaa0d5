# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` sees what is wrong with an image, and nothing where nothing is.

Images are built as always; then some bytes of a table, a vector or a handler are changed, one fault at a time, and each
must be found.  tests/rounds/test_verified.py looks for false alarms.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import capstone
import pytest
from elftools.elf.elffile import ELFFile
from typer.testing import CliRunner

import carillon.verify as carillon_verify
from building import build
from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.emit import emit
from carillon.image import Image
from carillon.model import System
from carillon.model.board import Board
from carillon.pipeline import plan
from carillon.read.board import load_board
from carillon.verify import verify
from carillon.verify.chips import compare
from carillon.verify.elf import Elf
from carillon.verify.hardware import Hardware

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
    "stm32": ("started", "stm32f4-discovery"),
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
    "bounded": ("bounded", "ast1030-evb"),
    "bounded on the host": ("bounded", "virtual-ast1030-evb"),
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


@dataclass(frozen=True)
class Fault:
    """A change of an image, and the code with which it must be found."""

    image: str
    name: str
    code: str
    change: Callable[[Patch], None]
    says: str = ""


def plus(n: int) -> Callable[[int], int]:
    return lambda value: value + n


def to(n: int) -> Callable[[int], int]:
    return lambda _: n


def late_returns(p: Patch) -> None:
    """The late path of a handler that counts turns goes to where an expiry ends that is no point."""
    laps = p.symbols["carillon_multiplex_activation_0_Often"][0] + 4 & 0xFFFF
    end = p.find("carillon_activation_0_Often", b"\x80\x93" + laps.to_bytes(2, "little")) + 4
    late = (p.symbols["avr16_late"][0] // 2).to_bytes(2, "little")
    jump = p.find("carillon_activation_0_Often", b"\x0e\x94" + late) + 4
    p.put(jump, (0xC000 | (end - jump - 2) // 2 & 0xFFF).to_bytes(2, "little"))


RELOAD = 0x7E78_2004  # of TMR1 of the AST1030
ENABLE, DISABLE, UNPEND = 0xE000_E104, 0xE000_E184, 0xE000_E284  # from source 48 on; 4 less from source 16 on
ENABLE, DISABLE, UNPEND = ENABLE - 4, DISABLE - 4, UNPEND - 4


BEATS = "carillon_joined_26"
JOINED = "carillon_joined_0_26"
SHARED = "carillon_joined_0_66"
LEVELS, PREPARE = "carillon_osek_source_levels", "carillon_osek_prepare"
ALARMS, COUNTERS, TASKS = "carillon_osek_alarms", "carillon_osek_counters", "carillon_osek_tasks"
LISTS = "carillon_osek_alarm_actions"
BOUNDED = "carillon_round_budgets"
JOB, BODY = "Bounded_within_its_budget", "__wrap_Bounded"
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


def nowhere(_a: int, _v: int) -> tuple[int, int]:
    """A store that does nothing: forgetting of no request."""
    return UNPEND, 0


KEPT = "carillon_table_Kept"
ON_CELLS, STOPS = "carillon_table_Fast", "carillon_osek_table_stops"
M0, M1 = "carillon_mode0_", "carillon_mode1_"
SYNCS = "carillon_syncs"
TABLE = M0 + "table"  # entries of 20 bytes
OFTEN = "carillon_multiplex_activation_0_Often_steps"
DUE = "carillon_multiplex_deadline_0_Often_steps"
TICK = "carillon_clock_vector"
LONG, SHORT = "carillon_activation_0_Long", "carillon_activation_0_Short"
FAULTS = [
    # Schedule tables on cells: start, six numbers, by words; of a virtual board, lists of stores.
    Fault("cells", "a start of another cell", "C204", lambda p: p.number(ON_CELLS, 1, lambda v: v << 4)),
    Fault("cells", "a start without an interrupt", "C204", lambda p: p.number(ON_CELLS, 1, lambda v: v & ~0x40)),
    Fault("cells", "a stop that leaves a cell", "C204", lambda p: p.number(STOPS, 1, lambda v: v & 0xF0), "running"),
    Fault("cells", "a stop of the time base", "C204", lambda p: p.number(STOPS, 1, lambda v: v | 5), "stops TMR1"),
    Fault("cells", "another first point", "C204", lambda p: p.number(ON_CELLS, 5, plus(1)), "first expiry"),
    Fault("cells", "a shorter tick", "C204", lambda p: p.number(ON_CELLS, 6, plus(-1)), "tick"),
    Fault("cells", "a shorter turn", "C204", lambda p: p.number(ON_CELLS, 7, plus(-1)), "turn"),
    Fault("cells", "a shift one longer", "C204", lambda p: p.number("carillon_table_Fast_shifts", 1, plus(1)), "says 31250"),
    Fault("cells", "a shift of another cell", "C204", lambda p: p.number("carillon_table_Fast_shifts", 0, plus(16))),
    Fault("cells", "another cell's points for a late start", "C204", lambda p: p.number("carillon_table_Fast_cells", 2, plus(1))),
    Fault("cells", "another autostart", "C204", lambda p: p.number(TABLES, 3, plus(1)), "the schedule says"),
    Fault("cells", "vectors of a task and a handler exchanged", "C205", lambda p: p.swap("carillon_osek_vectors", 35, 36, 4)),
    Fault("cells", "a handler of a task's level at a lower one", "C207", lambda p: p.number(LEVELS, 2 * 5 + 1, to(4), 2)),
    Fault(
        "cells",
        "a handler that is nobody's",
        "C204",
        lambda p: p.number("carillon_osek_vectors", 36, to(p.symbols["carillon_port_unexpected"][0] | 1)),
    ),
    # Ends: behind 32 bytes, counter, period, source and number of early cells, rest, what resumes and what holds these.
    Fault("points", "another point", "C204", lambda p: p.number("carillon_table_Uneven_shifts", 3, plus(-1)), "each by one cell"),
    Fault("points", "a point twice", "C204", lambda p: p.number("carillon_table_Uneven_shifts", 3, plus(-26 * 15625))),
    Fault(
        "points", "an end that comes later", "C204", lambda p: p.number("carillon_table_Once_shifts", 3, plus(15625)), "its end"
    ),
    Fault("points", "another source's end", "C204", lambda p: p.number("carillon_table_Once", 20, plus(-1), 2), "end served at"),
    Fault(
        "points", "an end of a table without", "C204", lambda p: p.number("carillon_table_Uneven", 20, to(36), 2), "end served"
    ),
    Fault(
        "points", "another time for the next table", "C204", lambda p: p.number("carillon_table_Once", 9, plus(1)), "how long ago"
    ),
    Fault("points", "another counter for it", "C204", lambda p: p.number("carillon_table_Once", 8, plus(16)), "how long ago"),
    Fault("points", "a half that comes later", "C204", lambda p: p.number("carillon_table_Round_shifts", 3, plus(1)), "its half"),
    Fault(
        "points", "none stopped before the end", "C204", lambda p: p.number("carillon_table_Round", 21, to(0), 2), "cells stopped"
    ),
    Fault("points", "stopped at another time", "C204", lambda p: p.number("carillon_table_Round", 11, plus(1)), "cells stopped"),
    Fault("points", "others resumed", "C204", lambda p: p.number("carillon_table_Round", 13, lambda v: v << 4), "anew"),
    Fault("points", "others held", "C204", lambda p: p.number("carillon_table_Round", 15, lambda v: v << 4), "at its half"),
    # Adjusting: behind 32 bytes, source, what moves cells, when at latest, and the last point with the limits.
    Fault("adjusted", "an adjustment that comes later", "C204", lambda p: p.number(f"{KEPT}_shifts", 5, plus(1)), "its adjust"),
    Fault("adjusted", "another source for it", "C204", lambda p: p.number(KEPT, 8, plus(-1)), "not its last point's"),
    Fault("adjusted", "none", "C204", lambda p: p.number(KEPT, 8, to(0)), "not its last point's"),
    Fault("adjusted", "no time to shift", "C204", lambda p: p.number(KEPT, 10, plus(-1)), "it takes 160"),
    Fault("adjusted", "so late that it never shortens", "C204", lambda p: p.number(KEPT, 10, plus(23 * 15625)), "it takes 160"),
    Fault("adjusted", "so late that it seldom shortens", "C204", lambda p: p.number(KEPT, 10, plus(1)), "it takes 160"),
    Fault("adjusted", "another last point", "C204", lambda p: p.number(KEPT, 11, plus(-25)), "its last point"),
    Fault("adjusted", "lengthened by more", "C204", lambda p: p.number(KEPT, 12, plus(1)), "lengthens"),
    Fault("adjusted", "shortened by more", "C204", lambda p: p.number(KEPT, 13, plus(1)), "lengthens"),
    Fault("adjusted", "a cell moved by one", "C204", lambda p: p.number(f"{KEPT}_moves", 3, plus(1)), "otherwise than by"),
    Fault("adjusted", "a cell moved twice", "C204", lambda p: p.copy(f"{KEPT}_moves", 0, 8, 8), "does not have"),
    Fault("adjusted", "another table's cell moved", "C204", lambda p: p.number(f"{KEPT}_moves", 0, plus(0x100)), "no cell's"),
    Fault("adjusted", "a table that is not", "C204", lambda p: p.number("carillon_table_Free", 8, to(35)), "is adjusted by"),
    Fault("tasks of a table", "a cell at a higher task's level", "C207", lambda p: p.number(LEVELS, 1, to(2), 2), "task 'High'"),
    Fault("tasks of a table", "a cell above a higher task", "C207", lambda p: p.number(LEVELS, 1, to(3), 2), "task 'Low'"),
    Fault("tasks of a table", "a cell above all", "C207", lambda p: p.number(LEVELS, 1, to(5), 2), "source 33, has level 5"),
    Fault("tasks of a table", "a cell below a lower task", "C207", lambda p: p.number(LEVELS, 3, to(1), 2), "task 'High'"),
    Fault("set", "one forgotten twice", "C204", lambda p: p.number("carillon_table_Set_stop", 2, plus(0x1000)), "has a stop"),
    Fault("set", "no register", "C209", lambda p: p.number("carillon_osek_stop", 4, plus(1)), "no register of 32 bits"),
    Fault("set", "no cells", "C209", lambda p: p.field("carillon_table_Set", 24, 4, to(0)), "no cells"),
    Fault("cells", "a cursor", "C204", lambda p: p.field(TABLES, 22, 1, to(1)), "on cells, and is said to have 1 cursors"),
    Fault("points", "cells of a half", "C204", lambda p: p.number("carillon_table_Uneven", 14, to(1))),
    Fault(
        "adjusted",
        "a list that is longer",
        "C209",
        lambda p: p.field("carillon_osek_image", 52, 2, plus(2)),
        "a list of 24 bytes",
    ),
    Fault(
        "turns", "slices of no task's level", "C205", lambda p: p.number("carillon_osek_levels", 2, to(1)), "which is no task's"
    ),
    Fault("adjusted", "handlers exchanged", "C205", lambda p: p.swap("carillon_osek_vectors", 34, 35, 4)),
    Fault("virtual-cells", "a period one longer", "C204", lambda p: p.number("carillon_table_Fast_prepare", 1, plus(1))),
    Fault(
        "virtual-cells",
        "a cell that is not stopped",
        "C204",
        lambda p: p.number("carillon_table_Fast_stop", 0, plus(64)),
        "stops",
    ),
    # Cells that are set while they stand still: the register that is set and the first expiry, of each; and its start.
    Fault("set", "a first expiry one later", "C204", lambda p: p.number("carillon_table_Set_shifts", 1, plus(1)), "says 50000"),
    Fault("set", "a first expiry one later, of the second", "C204", lambda p: p.number("carillon_table_Set_shifts", 3, plus(1))),
    Fault("set", "another cell set", "C204", lambda p: p.number("carillon_table_Set_shifts", 0, plus(0x1000))),
    Fault("set", "the reload set", "C204", lambda p: p.number("carillon_table_Set_shifts", 0, plus(4))),
    Fault("set", "a start of another cell", "C204", lambda p: p.number("carillon_table_Set_starts", 0, plus(0x1000))),
    Fault("set", "cells started in another order", "C204", lambda p: p.swap("carillon_table_Set_starts", 0, 1, 8)),
    Fault("set", "a start without an interrupt", "C204", lambda p: p.number("carillon_table_Set_starts", 1, lambda v: v & ~8)),
    Fault("set", "a period one longer", "C204", lambda p: p.number("carillon_table_Set_prepare", 1, plus(1))),
    Fault("set", "a stop that leaves a cell", "C204", lambda p: p.number("carillon_table_Set_stop", 0, plus(0x1000)), "running"),
    Fault("set", "a stop that goes on", "C204", lambda p: p.number("carillon_table_Set_stop", 1, to(9)), "running"),
    Fault("set", "a shorter tick", "C204", lambda p: p.number("carillon_table_Set", 8, plus(-1)), "tick"),
    Fault("set", "another first point", "C204", lambda p: p.number("carillon_table_Set", 7, plus(1)), "first expiry"),
    Fault("set", "another cell's points for a late start", "C204", lambda p: p.number("carillon_table_Set_cells", 2, plus(1))),
    Fault("set", "a handler that does not answer", "C205", lambda p: p.drop("carillon_point_Set_1", r"str r2, \[r3")),
    Fault("set once", "a later end", "C204", lambda p: p.number("carillon_table_Single_shifts", 3, plus(1)), "its end"),
    Fault("set once", "another source of its end", "C204", lambda p: p.number("carillon_table_Single", 12, plus(-1), 2)),
    # Aspeed's timers, SysTick, the NVIC; re-armed cells; two modes.
    Fault("ast", "a period one longer", "C204", lambda p: p.store(M0 + "prepare", at(RELOAD + 0x10), value(plus(1)))),
    Fault("ast", "a period half as long", "C204", lambda p: p.store(M0 + "prepare", at(RELOAD + 0x10), value(lambda v: v // 2))),
    Fault("ast", "a shift one longer", "C204", lambda p: p.store(M0 + "align", at(RELOAD + 0xC), value(plus(1))), "70001"),
    Fault(
        "ast", "a shift one shorter, of another mode", "C204", lambda p: p.store(M1 + "align", at(RELOAD - 4), value(plus(-1)))
    ),
    Fault(
        "ast", "a shift of another counter", "C204", lambda p: p.store(M0 + "align", at(RELOAD + 0xC), lambda a, v: (a + 16, v))
    ),
    Fault("ast", "SysTick's first interval", "C204", lambda p: p.store(M0 + "prepare", at(0xE000_E014), value(plus(13)))),
    Fault(
        "ast",
        "SysTick's first interval between ticks",
        "C204",
        lambda p: p.store(M0 + "prepare", at(0xE000_E014), value(plus(1))),
    ),
    Fault("ast", "SysTick's period", "C204", lambda p: p.store(M0 + "finish", at(0xE000_E014), value(plus(13)))),
    Fault("ast", "the start stores in the wrong order", "C204", lambda p: p.swap(M0 + "start", 0, 1, 8)),
    Fault(
        "ast", "a cell that is not started", "C209", lambda p: p.store(M0 + "start", at(0x7E78_2030), value(lambda v: v & ~0xF0))
    ),
    Fault(
        "ast",
        "a cell that is started without interrupt",
        "C204",
        lambda p: p.store(M0 + "start", at(0x7E78_2030), value(lambda v: v & ~0x40)),
    ),
    Fault("ast", "a time base that is one ahead", "C204", lambda p: p.number("carillon_time_bases", 1, plus(1))),
    Fault("ast", "a time base of another cell", "C204", lambda p: p.number("carillon_time_bases", 0, plus(0x20))),
    Fault("ast", "a step one longer", "C204", lambda p: p.number(OFTEN, 1, plus(1)), "11001"),
    Fault("ast", "a step to the wrong step", "C204", lambda p: p.number(OFTEN, 2, plus(8))),
    Fault("ast", "the last step one shorter", "C204", lambda p: p.number(OFTEN, 7, plus(-1))),
    Fault("ast", "a deadline's step one longer", "C204", lambda p: p.number(DUE, 3, plus(1)), "34001"),
    Fault("ast", "re-arming begins with the second step", "C204", lambda p: p.number(M0 + "multiplexes", 1, plus(8))),
    Fault("ast", "vectors of two tasks exchanged", "C204", lambda p: p.swap(M0 + "vectors", 32, 33, 4)),
    Fault("ast", "vectors of a task and a deadline exchanged", "C204", lambda p: p.swap(M0 + "vectors", 33, 35, 4)),
    Fault("ast", "vectors of two deadlines exchanged", "C204", lambda p: p.swap(M0 + "vectors", 36, 37, 4)),
    Fault(
        "ast",
        "a deadline's vector leads nowhere",
        "C205",
        lambda p: p.number(M0 + "vectors", 37, to(p.symbols["carillon_port_unexpected"][0] | 1)),
    ),
    Fault(
        "ast",
        "the switch's vector is a deadline's",
        "C208",
        lambda p: p.number(M0 + "vectors", 39, to(p.symbols["carillon_deadline_0_Long"][0] | 1)),
    ),
    Fault("ast", "a vector without a source", "C205", lambda p: p.number(M0 + "vectors", 60, to(p.symbols["Short"][0] | 1))),
    Fault(
        "ast", "the interrupt's vector is a task", "C205", lambda p: p.number(M0 + "vectors", 16, to(p.symbols["Long"][0] | 1))
    ),
    Fault("ast", "a task on the level of what it preempts", "C207", lambda p: p.number(M0 + "levels", 7, to(1), 2)),
    Fault("ast", "a deadline below the tasks", "C207", lambda p: p.number(M0 + "levels", 13, to(1), 2)),
    Fault("ast", "the interrupt below the tasks", "C207", lambda p: p.number(M0 + "levels", 3, to(1), 2)),
    Fault("ast", "a source without a level", "C207", lambda p: p.number(M0 + "levels", 4, to(60), 2)),
    Fault("ast", "a level that there is not", "C207", lambda p: p.number(M0 + "levels", 19, to(17), 2)),
    Fault(
        "ast",
        "a deadline that is armed from the start",
        "C206",
        lambda p: p.store(M0 + "prepare", at(ENABLE), value(lambda v: v | 1 << 35 - 16)),
    ),
    Fault(
        "ast",
        "an activation that is not enabled",
        "C204",
        lambda p: p.store(M0 + "prepare", at(ENABLE), value(lambda v: v & ~(1 << 33 - 16))),
    ),
    Fault(
        "ast",
        "an enable of a source that nobody uses",
        "C208",
        lambda p: p.store(M0 + "prepare", at(ENABLE), value(lambda v: v | 1 << 28)),
    ),
    Fault(
        "ast",
        "requests that are not forgotten at the start",
        "C208",
        lambda p: p.store(M0 + "prepare", at(UNPEND), value(lambda v: v & ~(1 << 34 - 16))),
    ),
    Fault("ast", "a store to nowhere", "C209", lambda p: p.store(M0 + "prepare", at(UNPEND), lambda _, v: (0x2000_0000, v))),
    Fault(
        "ast",
        "a cell that is not stopped",
        "C208",
        lambda p: p.store(M0 + "stop", lambda a, v: a == 0x7E78_203C and v == 0x50, nowhere),
    ),
    Fault(
        "ast",
        "a source that is not disabled at the end",
        "C208",
        lambda p: p.store(M0 + "stop", at(DISABLE), value(lambda v: v & ~(1 << 38 - 16))),
    ),
    Fault(
        "ast",
        "a request that is not forgotten at the end",
        "C208",
        lambda p: p.store(M1 + "stop", at(UNPEND), value(lambda v: v & ~(1 << 33 - 16))),
    ),
    Fault(
        "ast",
        "a switch at another tick",
        "C208",
        lambda p: p.store(M0 + "align", lambda a, _v: a == RELOAD + 0x7C, value(plus(-100_000))),
    ),
    Fault("ast", "the next mode begins a tick too early", "C208", lambda p: p.number(M0 + "control", 1, plus(1))),
    Fault("ast", "the switch waits for another counter", "C208", lambda p: p.number(M1 + "control", 0, plus(-16))),
    Fault("ast", "a switch whose old request is not forgotten", "C208", lambda p: p.number(M0 + "control", 3, to(1))),
    Fault("ast", "a switch that enables another source", "C208", lambda p: p.number(M0 + "control", 5, to(1 << 38 - 16))),
    Fault("ast", "a task that is not asked before a switch", "C208", lambda p: p.number(M0 + "tasks", 1, to(40), 2)),
    Fault(
        "ast",
        "a deadline that is not forgotten before it is armed",
        "C206",
        lambda p: p.drop(SHORT, r"^str\S* .*#0x280"),
        "without forgetting",
    ),
    Fault("ast", "a deadline that is not armed", "C206", lambda p: p.drop(SHORT, r"^str\S* .*#0x100"), "without arming"),
    Fault("ast", "a deadline that is not disarmed", "C206", lambda p: p.drop(SHORT, r"^str\S* .*#0x180"), "armed"),
    Fault("ast", "a disarming that has not arrived", "C206", lambda p: p.drop(SHORT, r"^dsb")),
    Fault("ast", "a handler that runs another task", "C204", lambda p: p.call(LONG, "Long", "Short")),
    Fault("ast", "a handler that runs nothing", "C205", lambda p: p.drop(LONG, r"^bl ")),
    Fault("ast", "a deadline of another task", "C204", lambda p: p.drop("carillon_deadline_0_Long", r"^movs r0")),
    Fault("ast", "a re-enable point that enables nothing", "C205", lambda p: p.drop("carillon_enable_0_I0", r"^str")),
    Fault("ast", "an interrupt that stays enabled", "C205", lambda p: p.drop("carillon_interrupt_I0", r"^str")),
    # The CMSDK's timers: masks in the cells, a cell that is reloaded, its timekeeper.
    Fault(
        "mps2",
        "a first interval one longer",
        "C204",
        lambda p: p.store(M0 + "prepare", at(0x4000_0004), value(plus(1))),
        "750001",
    ),
    Fault("mps2", "a period one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_0008), value(plus(1)))),
    Fault("mps2", "the background load one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_2018), value(plus(1)))),
    Fault(
        "mps2", "a deadline that is armed from the start", "C206", lambda p: p.store(M0 + "start", at(0x4000_0000), value(to(9)))
    ),
    Fault(
        "mps2",
        "the timekeeper is not started",
        "C204",
        lambda p: p.store(M0 + "start", at(0x4000_2028), lambda _a, _v: (0x4000_202C, 1)),
    ),
    Fault("mps2", "what the timekeeper reads", "C204", lambda p: p.number(M0 + "multiplexes", 2, plus(1))),
    Fault(
        "mps2",
        "a deadline's cell that is not armed",
        "C206",
        lambda p: p.drop("carillon_activation_0_Short", r"^str\S* .*(r4|r5)", 0),
    ),
    Fault("mps2", "a cell that is not acknowledged", "C205", lambda p: p.drop("carillon_deadline_0_Short", r"^str")),
    Fault("mps2", "an acknowledgement that has not arrived", "C205", lambda p: p.drop("carillon_activation_0_Often", r"^dsb", 0)),
    Fault("mps2", "start stores in another order", "C204", lambda p: p.swap(M0 + "start", 0, 1, 8)),
    # Two deadlines whose cells share a source: the handler asks both, in 0x40002014 and 0x40002034.
    Fault("joined", "a cell that is not asked", "C205", lambda p: p.drop(JOINED, r"^ldr r2, \[r3, #0x14\]"), "DUAL1"),
    Fault("joined", "another cell that is asked", "C205", lambda p: p.put(p.find(JOINED, b"\x5a\x69"), b"\x5a\x6b"), "DUAL1"),
    Fault("joined", "a shared cell that is not acknowledged", "C205", lambda p: p.drop(JOINED, r"^str r2, \[r3, #0xc\]"), "DUAL"),
    Fault("joined", "another cell is acknowledged", "C205", lambda p: p.put(p.find(JOINED, b"\xda\x60"), b"\xda\x62"), "DUAL2"),
    Fault("joined", "the deadline of another task", "C204", lambda p: p.put(p.find(JOINED, b"\x00\x20"), b"\x01\x20"), "Often"),
    Fault("joined", "a shared acknowledgement that has not arrived", "C205", lambda p: p.drop(JOINED, r"^dsb", 1), "before"),
    # Two alarms whose cells share a source: BeatD's, the second, is asked first.
    Fault("joined alarms", "a cell that is not asked", "C205", lambda p: p.drop(BEATS, r"^ldr r2, \[r3, #0x34\]"), "DUAL2"),
    Fault(
        "joined alarms", "a cell that is asked twice", "C205", lambda p: p.put(p.find(BEATS, b"\x5a\x69"), b"\x5a\x6b"), "DUAL1"
    ),
    Fault(
        "joined alarms", "a cell that is not acknowledged", "C205", lambda p: p.drop(BEATS, r"^str r2, \[r3, #0x2c\]"), "answers"
    ),
    Fault("joined alarms", "another alarm of the two", "C204", lambda p: p.put(p.find(BEATS, b"\x03\x20"), b"\x02\x20"), "BeatD"),
    # Two tasks whose cells share a source: Spare's cell, the second, is asked first; Long runs lowered.
    Fault("gathered", "a cell that is not asked", "C205", lambda p: p.drop(JOINED, r"^ldr r2, \[r3, #0x34\]"), "DUAL2"),
    Fault("gathered", "a cell that is asked twice", "C205", lambda p: p.put(p.find(JOINED, b"\x5a\x69"), b"\x5a\x6b"), "DUAL1"),
    Fault("gathered", "a cell that is not acknowledged", "C205", lambda p: p.drop(JOINED, r"^str r2, \[r3, #0x2c\]"), "DUAL2"),
    Fault(
        "gathered", "the other cell is acknowledged", "C205", lambda p: p.put(p.find(JOINED, b"\xda\x62"), b"\xda\x60"), "DUAL2"
    ),
    Fault("gathered", "a cell that runs another task", "C204", lambda p: p.call(JOINED, "Spare", "Other"), "Spare"),
    Fault("gathered", "an acknowledgement that has not arrived", "C205", lambda p: p.drop(JOINED, r"^dsb", 1), "taken back"),
    Fault("gathered", "a level that lets a task wait", "C207", lambda p: p.number(M0 + "levels", 5, to(1), 2), "preempt"),
    Fault("gathered", "a cell that is started later", "C204", lambda p: p.swap(M0 + "start", 1, 2, 8)),
    # The 16-bit timers of AVR.
    Fault("avr", "a match one later", "C204", lambda p: p.store(M0 + "prepare", at(0x804A), value(plus(1))), "2001"),
    Fault("avr", "a round one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x8046), value(plus(1)))),
    Fault("avr", "another prescaler", "C204", lambda p: p.store(M0 + "start", at(0x4E), value(plus(1)))),
    Fault("avr", "another waveform mode", "C204", lambda p: p.store(M0 + "prepare", at(0x4F), value(to(2)))),
    Fault("avr", "vectors of two tasks exchanged", "C204", lambda p: p.swap(M0 + "vectors", 12, 13, 4)),
    Fault(
        "avr",
        "a deadline's vector leads nowhere",
        "C205",
        lambda p: p.put(24 * 4 + 2, struct.pack("<H", p.symbols["carillon_port_unexpected"][0] // 2)),
    ),
    Fault("avr", "a vector that is no jump", "C209", lambda p: p.put(12 * 4, b"\0\0")),
    Fault(
        "avr",
        "a deadline that is armed from the start",
        "C206",
        lambda p: p.store(M0 + "prepare", lambda a, _v: a == 0x4057, lambda _a, _v: (0x407D, 1)),
    ),
    Fault("avr", "a handler that runs another task", "C204", lambda p: p.call("carillon_held_13_Short", "Short", "Often")),
    Fault(
        "avr",
        "a handler that does not hold its source",
        "C205",
        lambda p: p.put(p.find("carillon_held_13_Short", b"\x80\x93\x57\x00"), bytes(4)),
    ),
    Fault(
        "avr",
        "a deadline that is not armed",
        "C206",
        lambda p: p.put(p.find("carillon_activation_0_Often", b"\x88\x83"), bytes(2)),
    ),
    # Several points on one channel, OC1A with the first match at 2500; its deadlines on another.
    Fault("channels", "a step one longer", "C204", lambda p: p.number(OFTEN, 1, plus(1)), "Often"),
    Fault("channels", "a first match one later", "C204", lambda p: p.store(M0 + "prepare", at(0x804A), value(plus(1)))),
    Fault(
        "channels",
        "a deadline's step one longer",
        "C204",
        lambda p: p.number("carillon_multiplex_deadline_0_Often_steps", 1, plus(1)),
    ),
    Fault("channels", "a match that is in force a turn later", "C204", lambda p: p.store(M0 + "prepare", at(0x4F), value(to(2)))),
    Fault(
        "channels",
        "a handler that does not run its task",
        "C205",
        lambda p: p.call("carillon_activation_0_Often", "carillon_port_run_lowered", "Long"),
    ),
    # Periods of some turns of a timer that runs freely: steps have turns, and the start has those before the first point.
    Fault("laps", "what is beyond whole turns one longer", "C204", lambda p: p.number(OFTEN, 1, plus(1)), "Often"),
    Fault("laps", "a turn more between points", "C204", lambda p: p.number(OFTEN, 2, plus(1)), "Often"),
    Fault("laps", "no turns between points", "C204", lambda p: p.number(OFTEN, 2, to(0)), "Often"),
    Fault("laps", "no turn before the first point", "C204", lambda p: p.number(M0 + "multiplexes", 5, plus(-1)), "Long"),
    Fault("laps", "a first match one later", "C204", lambda p: p.store(M0 + "prepare", at(0x804A), value(plus(1)))),
    Fault("laps", "a turn one shorter", "C204", lambda p: p.store(M0 + "prepare", at(0x8046), value(plus(-1)))),
    Fault(
        "laps",
        "a handler that is re-armed and does not run its task",
        "C205",
        lambda p: p.call("carillon_activation_0_Often", "carillon_port_run_lowered", "avr16_late"),
    ),
    Fault("laps", "a late handler that is re-armed and returns, as if turns were left", "C205", lambda p: late_returns(p)),
    # RISC-V's machine timer.
    Fault(
        "rv32", "a first interval one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x0200_4000), value(plus(1))), "10001"
    ),
    Fault("rv32", "a first interval 2^32 longer", "C204", lambda p: p.store(M0 + "prepare", at(0x0200_4004), value(plus(1)))),
    Fault("rv32", "mtime that is not set", "C204", lambda p: p.store(M0 + "start", at(0x0200_BFF8), value(to(1)))),
    Fault("rv32", "a step one longer", "C204", lambda p: p.number(OFTEN, 1, plus(1))),
    Fault(
        "rv32",
        "a vector that leads nowhere",
        "C205",
        lambda p: p.number(M0 + "vectors", 7, to(p.symbols["carillon_port_unexpected"][0])),
    ),
    # Matches that are set after their tasks.
    Fault(
        "matches", "a match that is not set again", "C205", lambda p: p.drop(SHARED, r"^str\.w r3, \[r4, #0xc38\]"), "next expiry"
    ),
    Fault(
        "matches", "a match that is not answered", "C205", lambda p: p.drop(SHARED, r"^str\.w r3, \[r4, #0xc10\]"), "acknowledge"
    ),
    # Threads that the NVIC of ARMv6-M dispatches, and a clock's handler that has the tick in it.
    Fault(
        "few levels",
        "a tick that counts nothing",
        "C205",
        lambda p: [p.drop(TICK, r"^str r2, \[r3, #(8|0xc)\]", k) for k in (1, 0)],
        "'carillon_clock_vector', serves nothing",
    ),
    Fault("few levels", "a tick that is not answered", "C205", lambda p: p.drop(TICK, r"^str r2, \[r3\]"), "acknowledge"),
    Fault("few levels", "vectors of two levels exchanged", "C205", lambda p: p.swap("carillon_osek_vectors", 42, 43, 4)),
    Fault("few levels", "a level that no mask holds back", "C207", lambda p: p.number(LEVELS, 1, to(4), 2), "no mask"),
    Fault("events", "a level that no mask holds back", "C207", lambda p: p.number(LEVELS, 1, to(16), 2), "no mask"),
    Fault("pico", "an alarm that is not set again", "C205", lambda p: p.drop(SHORT, r"^str r3, \[r0\]"), "next expiry"),
    Fault("pico", "an alarm that is not answered", "C205", lambda p: p.drop(SHORT, r"^str r3, \[r2\]", 1), "acknowledge"),
    # nRF51: a start sets up each channel, and starts its timer.
    Fault("nrf", "a first match one later", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8540), value(plus(1))), "1"),
    Fault(
        "nrf", "a match of another channel", "C209", lambda p: p.store(M0 + "prepare", at(0x4000_8540), lambda a, v: (a + 4, v))
    ),
    Fault("nrf", "a match beyond 16 bits", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_9540), value(plus(1 << 16)))),
    Fault("nrf", "another prescaler", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8510), value(plus(1)))),
    Fault("nrf", "another width", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8508), value(to(3)))),
    Fault("nrf", "a counter that counts events", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8504), value(to(1)))),
    Fault("nrf", "an event that is made", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8140), value(to(1)))),
    Fault(
        "nrf", "a channel without interrupt", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8304), lambda a, v: (a + 4, v))
    ),
    Fault("nrf", "a deadline that is armed", "C206", lambda p: p.store(M0 + "prepare", at(0x4000_A308), lambda a, v: (a - 4, v))),
    Fault(
        "nrf", "a timer that is not started", "C204", lambda p: p.store(M0 + "start", at(0x4000_9000), lambda a, v: (a + 4, v))
    ),
    Fault(
        "nrf",
        "a counter that is not cleared",
        "C204",
        lambda p: p.store(M0 + "prepare", at(0x4000_800C), lambda a, v: (a - 8, v)),
    ),
    # RP2040: alarms are set when the start has read the counter, slices of the PWM begin with their first interval.
    Fault("pico", "an alarm one later", "C204", lambda p: p.number(M0 + "align", 1, plus(1)), "1"),
    Fault("pico", "an alarm of another cell", "C209", lambda p: p.number(M0 + "align", 0, plus(12))),
    Fault(
        "pico",
        "an alarm without interrupt",
        "C204",
        lambda p: p.store(M0 + "prepare", lambda a, v: (a, v) == (0x4005_6038, 1), lambda a, v: (a + 0x1000, v)),
    ),
    Fault("pico", "a first interval one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x4005_0010), value(plus(1)))),
    Fault("pico", "a period one longer", "C204", lambda p: p.store(M0 + "finish", at(0x4005_0010), value(plus(1)))),
    Fault("pico", "another divider", "C204", lambda p: p.store(M0 + "prepare", at(0x4005_0004), value(plus(16)))),
    Fault("pico", "a divider with a fraction", "C204", lambda p: p.store(M0 + "prepare", at(0x4005_0004), value(plus(8)))),
    Fault("pico", "a slice that begins elsewhere", "C204", lambda p: p.store(M0 + "prepare", at(0x4005_0008), value(to(1)))),
    Fault("pico", "a slice that is not started", "C204", lambda p: p.store(M0 + "start", at(0x4005_20A0), value(to(2)))),
    Fault(
        "pico",
        "a deadline that is armed",
        "C206",
        lambda p: p.store(M0 + "prepare", at(0x4005_30A8), lambda a, v: (a - 0x1000, v)),
    ),
    *(
        Fault(
            image,
            "a vector that leads nowhere",
            "C205",
            lambda p, source=source: p.number(M0 + "vectors", source, to(p.symbols["carillon_port_unexpected"][0] | 1)),
        )
        for image, source in (("nrf", 24), ("pico", 16))
    ),
    # A table: the entries are Often's activation and deadline, Short's activation, and Often's once more.
    Fault("table", "a step one longer", "C204", lambda p: p.number(TABLE, 1, plus(1)), "10001"),
    Fault("table", "a step to the tick after the next", "C204", lambda p: p.number(TABLE, 5, plus(20))),
    Fault("table", "an entry that runs another task", "C205", lambda p: p.number(TABLE, 2, to(p.symbols["Short"][0]))),
    Fault("table", "an activation of another task", "C205", lambda p: p.number(TABLE, 8, to(1), 2)),
    Fault("table", "a deadline of another task", "C204", lambda p: p.number(TABLE, 18, to(1), 2)),
    Fault("table", "a deadline that is an activation", "C205", lambda p: p.number(TABLE, 38, to(0), 1)),
    Fault("table", "an entry with the next one's tick", "C204", lambda p: p.number(TABLE, 19, to(1), 1)),
    Fault("table", "a task that does not exist", "C205", lambda p: p.number(TABLE, 8, to(9), 2)),
    Fault("table", "an action that does not exist", "C205", lambda p: p.number(TABLE, 18, to(7), 1)),
    # The virtual controller.
    Fault("virtual", "a period one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x30_0004), value(plus(1)))),
    Fault("virtual", "a prescaler", "C204", lambda p: p.store(M0 + "prepare", at(0x30_000C), value(to(2)))),
    Fault("virtual", "a shift one longer", "C204", lambda p: p.store(M0 + "align", at(0x30_0010), value(plus(1))), "12001"),
    Fault("virtual", "vectors of two tasks exchanged", "C204", lambda p: p.swap(M0 + "vectors", 0, 1, 8)),
    Fault("virtual", "a deadline that is not armed", "C206", lambda p: p.drop("carillon_activation_0_Often", r"^call", 1)),
    Fault("virtual", "a level that lets a task wait", "C207", lambda p: p.number(M0 + "levels", 5, to(1), 2)),
    Fault(
        "virtual", "a cell that is not stopped", "C208", lambda p: p.store(M0 + "stop", at(0x30_0018), lambda a, _v: (a + 4, 1))
    ),
    # Alarms, counters, tasks and ISRs.
    Fault("events", "an alarm's cell one later", "C204", lambda p: p.number("carillon_osek_align", 1, plus(1)), "alarm 'Beat'"),
    Fault(
        "events",
        "an alarm's cell with another cycle",
        "C204",
        lambda p: p.store("carillon_osek_prepare", at(RELOAD + 0x10), value(plus(1))),
    ),
    Fault(
        "events",
        "a counter's tick",
        "C204",
        lambda p: p.store("carillon_osek_finish", at(0xE000_E014), value(plus(8))),
        "counter 'Coarse'",
    ),
    Fault("events", "vectors of two tasks exchanged", "C205", lambda p: p.swap("carillon_osek_vectors", 18, 19, 4)),
    Fault("events", "an alarm's vector is another task's", "C204", lambda p: p.swap("carillon_osek_vectors", 33, 34, 4)),
    Fault("events", "the ISR's vector is a task", "C205", lambda p: p.swap("carillon_osek_vectors", 16, 18, 4)),
    Fault("events", "a level below a lower priority's", "C207", lambda p: p.number("carillon_osek_source_levels", 1, plus(2), 2)),
    Fault(
        "events",
        "a source that is not enabled",
        "C208",
        lambda p: p.number("carillon_osek_enable", 1, lambda v: v & ~(1 << 18 - 16)),
    ),
    Fault(
        "events",
        "a request that is not forgotten",
        "C208",
        lambda p: p.number("carillon_osek_forget", 1, lambda v: v & ~(1 << 33 - 16)),
    ),
    Fault(
        "events",
        "an alarm's table with another action",
        "C204",
        lambda p: p.number("carillon_osek_alarms", 2 * 24 + 21, plus(1), 1),
    ),
    Fault(
        "events",
        "an alarm's table with another task",
        "C204",
        lambda p: p.number("carillon_osek_alarms", 2 * 24 + 22, to(0), 1),
    ),
    Fault(
        "events", "an alarm's table with another cycle", "C204", lambda p: p.number("carillon_osek_alarms", 2 * 6 + 3, plus(1))
    ),
    Fault(
        "events", "an alarm's level above its task's", "C207", lambda p: p.number("carillon_osek_source_levels", 13, plus(1), 2)
    ),
    Fault(
        "events",
        "an alarm's request that no service serves",
        "C205",
        lambda p: p.drop("carillon_cells_3", r"^str.*#0x280"),
        "'Wake'",
    ),
    Fault("events", "a counter's end", "C204", lambda p: p.number("carillon_osek_counters", 0, plus(-1))),
    # A counter's queue in parts: part 0 on SysTick, 7 on TMR8 (source 39), 8 on source 22, which SysTick's handler requests.
    # Alarms that do several things: action, object, and whether another follows, behind an operand of four bytes; in 8 bytes.
    Fault("several", "another order of a list", "C204", lambda p: p.swap(LISTS, 0, 1, 8), "'AtLevel'"),
    Fault("several", "another task in a list", "C204", lambda p: p.number(LISTS, 5, to(0), 1), "'AtLevel'"),
    Fault("several", "another action in a list", "C204", lambda p: p.number(LISTS, 2 * 8 + 4, to(6), 1), "'AboveAll'"),
    Fault("several", "another event in a list", "C204", lambda p: p.number(LISTS, 4 * 2, to(2)), "'AboveAll'"),
    Fault("several", "another function in a list", "C204", lambda p: p.number(LISTS, 5 * 2, plus(4)), "'AboveAll'"),
    Fault("several", "a list that ends early", "C204", lambda p: p.number(LISTS, 2 * 8 + 6, to(0), 1), "'AboveAll'"),
    Fault("several", "a list that goes on", "C204", lambda p: p.number(LISTS, 8 + 6, to(1), 1), "'AtLevel'"),
    Fault("several", "a list that begins elsewhere", "C204", lambda p: p.number(ALARMS, 0, plus(1)), "'AtLevel'"),
    Fault("several", "an alarm with the first of its actions", "C204", lambda p: p.number(ALARMS, 21, to(1), 1), "'AtLevel'"),
    Fault("several", "an alarm without its count", "C204", lambda p: p.number(ALARMS, 24 + 21, to(10), 1), "'AboveAll'"),
    Fault("several", "an alarm with another counter", "C204", lambda p: p.number(ALARMS, 24 + 22, to(0), 1), "'AboveAll'"),
    Fault("parts", "a part's cell at another part's level", "C207", lambda p: p.number(LEVELS, 2 * 12 + 1, to(3), 2), "'ForLow'"),
    Fault("parts", "a part's cell at the kernel's level", "C207", lambda p: p.number(LEVELS, 2 * 12 + 1, to(5), 2)),
    Fault("parts", "a requested part at another part's level", "C207", lambda p: p.number(LEVELS, 2 * 5 + 1, to(2), 2)),
    Fault("parts", "the first part above its tasks", "C207", lambda p: p.number(LEVELS, 1, to(5), 2)),
    Fault("parts", "a part's cell with another tick", "C204", lambda p: p.store(PREPARE, at(RELOAD + 0x80), value(plus(1)))),
    Fault("parts", "an alarm in another part", "C207", lambda p: p.number(ALARMS, 20, to(8), 1), "'ForLow'"),
    Fault("parts", "an alarm in the first part", "C207", lambda p: p.number(ALARMS, 24 + 20, to(0), 1), "'ForMiddle'"),
    Fault("parts", "an alarm in another counter's part", "C204", lambda p: p.number(ALARMS, 20, to(1), 1), "'ForLow'"),
    Fault("parts", "an alarm in no part", "C204", lambda p: p.number(ALARMS, 20, to(9), 1), "'ForLow'"),
    Fault("parts", "vectors of two parts exchanged", "C207", lambda p: p.swap("carillon_osek_vectors", 22, 39, 4)),
    Fault(
        "parts",
        "a requested part's vector is a task",
        "C204",
        lambda p: p.number("carillon_osek_vectors", 22, to(p.symbols["carillon_task_Low"][0] | 1)),
    ),
    Fault(
        "parts",
        "a part that nothing requests",
        "C205",
        lambda p: p.drop("carillon_counter_Clock", r"^str.*#0x200", -1),
        "source 22",
    ),
    Fault(
        "parts",
        "a part that no service serves",
        "C205",
        lambda p: p.call("carillon_cells_3", "carillon_osek_tick", "carillon_cells_2"),
    ),
    Fault(
        "parts", "a part that is not said to have its tasks' level", "C207", lambda p: p.number(COUNTERS, 7 * 20 + 18, to(0), 1)
    ),
    Fault("parts", "a part with another end", "C204", lambda p: p.number(COUNTERS, 8 * 5, plus(-1))),
    # The sync point: kernel/contract/sync.h; the list of what it moves has a counter and an addend for each cell.
    Fault(
        "sync", "a sync cell that expires later", "C204", lambda p: p.store(M0 + "align", at(RELOAD - 4 + 0x40), value(plus(1)))
    ),
    Fault(
        "sync", "a cell that is moved by one more", "C204", lambda p: p.number(M0 + "sync", 1, plus(1)), "than by the correction"
    ),
    Fault("sync", "a cell that is moved twice", "C204", lambda p: p.number(M0 + "sync", 2, plus(-16)), "no cell's"),
    Fault("sync", "a cell that is not moved", "C204", lambda p: p.number(SYNCS, 20, plus(-1), 2), "does not move TMR4"),
    Fault("sync", "the time of another cell", "C204", lambda p: p.number(SYNCS, 3, plus(-16)), "not the counter of TMR4"),
    Fault("sync", "moved when it is too late", "C204", lambda p: p.number(SYNCS, 4, lambda v: v // 10), "shorter, and"),
    Fault("sync", "another round", "C204", lambda p: p.number(SYNCS, 5, plus(1)), "length, place, limits"),
    Fault("sync", "another place", "C204", lambda p: p.number(SYNCS, 6, plus(1)), "length, place, limits"),
    Fault("sync", "a round made longer by more", "C204", lambda p: p.number(SYNCS, 7, plus(1)), "length, place, limits"),
    Fault("sync", "a round made shorter by more", "C204", lambda p: p.number(SYNCS, 8, plus(1)), "length, place, limits"),
    Fault("sync", "another cell's request", "C204", lambda p: p.number(SYNCS, 23, plus(-1), 2), "length, place, limits"),
    Fault("sync", "a task that is not held back", "C208", lambda p: p.number(M0 + "hold", 1, to(2)), "first synchronisation"),
    Fault("sync", "a task that is not let go", "C208", lambda p: p.number(M0 + "release", 3, to(2)), "first synchronisation"),
    Fault("sync", "an old request that is served", "C208", lambda p: p.number(M0 + "release", 1, to(1)), "first synchronisation"),
    Fault(
        "sync",
        "a sync point that does nothing",
        "C205",
        lambda p: p.call("carillon_sync_0", "carillon_synchronise", "ttIdleTask"),
    ),
    Fault("sync", "a sync point below the tasks", "C207", lambda p: p.number(M0 + "levels", 7, to(1), 2)),
    Fault("sync on the host", "a cell that is moved by more", "C204", lambda p: p.number(M0 + "sync", 3, plus(1), 4)),
    # Schedule tables: a step has 20 bytes, a cursor and an action 8, a table 28 (kernel/contract/osek.h).
    Fault("tables", "a point that comes later", "C204", lambda p: p.number(ROUND, 0, plus(1)), "'Round' ends after 101"),
    Fault(
        "tables",
        "a point later, and the next sooner",
        "C204",
        lambda p: (p.number(ROUND, 0, plus(1)), p.number(ROUND, 5, plus(-1))),
    ),
    Fault("tables", "a table that ends sooner", "C204", lambda p: p.number(ROUND, 10, plus(-1)), "ends after 99 ticks in part 2"),
    Fault("tables", "points exchanged", "C204", lambda p: p.swap(ACTS, 2, 3, 8), "10 ticks after its begin"),
    Fault("tables", "another task", "C204", lambda p: p.number(ACTS, 2 * 8 + 5, to(1), 1), "10 ticks after its begin"),
    Fault("tables", "an event instead of an activation", "C204", lambda p: p.number(ACTS, 3 * 8 + 4, to(5), 1)),
    Fault("tables", "another event", "C204", lambda p: p.number(ACTS, 0, to(4)), "40 ticks after its begin"),
    Fault("tables", "an action too few", "C204", lambda p: p.number(ROUND, 3, to(0), 2), "does not do what the schedule says 10"),
    Fault("tables", "an action too many", "C204", lambda p: p.number(ROUND, 3, to(2), 2), "too often"),
    Fault("tables", "adjusted by more", "C204", lambda p: p.number(ROUND, 5 + 3, plus(1)), "is adjusted by (40, 6, 2) in part 2"),
    Fault(
        "tables", "shortened by more", "C204", lambda p: p.number(ROUND, 5 + 4, plus(1)), "is adjusted by (40, 5, 3) in part 2"
    ),
    Fault("tables", "the turn adjusted by less", "C204", lambda p: p.number(ROUND, 10 + 3, plus(-1)), "(100, 5, 4)"),
    Fault("tables", "the first point adjusted", "C204", lambda p: p.number(ROUND, 4, to(1)), "(10, 0, 1)"),
    Fault("tables", "a point at another place for who asks", "C204", lambda p: p.number(ROUND, 2, plus(1)), "(11, 0, 0)"),
    Fault(
        "tables",
        "another duration",
        "C204",
        lambda p: p.number(TABLES, 0, plus(-1)),
        "'Round' has duration 99, and",
    ),
    Fault("tables", "another initial offset", "C204", lambda p: p.number(TABLES, 1, plus(1)), "'Round' has"),
    Fault("tables", "another precision", "C204", lambda p: p.number(TABLES, 2, plus(1)), "'Round' has"),
    Fault("tables", "started at another value", "C204", lambda p: p.number(TABLES, 3, plus(1)), "'Round' has"),
    Fault("tables", "not started", "C204", lambda p: p.number(TABLES, 4, to(0)), "'Round' has"),
    Fault("tables", "started with another meaning", "C204", lambda p: p.number(TABLES, 26, to(0), 1), "'Round' has"),
    Fault("tables", "not repeated", "C204", lambda p: p.number(TABLES, 24, to(0), 1), "'Round' has"),
    Fault("tables", "synchronised otherwise", "C204", lambda p: p.number(TABLES, 25, to(1), 1), "'Round' has"),
    Fault("tables", "of another counter", "C204", lambda p: p.number(TABLES, 23, to(1), 1), "'Round' has"),
    Fault("tables", "a cursor too few", "C204", lambda p: p.number(TABLES, 22, to(1), 1), "'Round'"),
    Fault("tables", "the cursors of the other table", "C204", lambda p: p.number(TABLES, 10, to(2), 2), "'Round' has no cursors"),
    Fault("tables", "a cursor of the other table", "C204", lambda p: p.number(CURSORS, 7, to(1), 1), "'Round' has no cursors"),
    Fault(
        "tables",
        "a cursor in another part",
        "C204",
        lambda p: p.number(CURSORS, 8 + 6, to(0), 1),
        "of its counter in [0, 0]",
    ),
    Fault(
        "tables", "a cursor with fewer steps", "C204", lambda p: p.number(CURSORS, 2, to(2), 2), "ends after 40 ticks in part 0"
    ),
    Fault(
        "tables",
        "cursors with each other's parts",
        "C207",
        lambda p: [p.number(CURSORS, 8 * k + 6, to(x), 1) for k, x in enumerate((2, 0, 2, 0))],
    ),
    Fault(
        "budgets", "another budget", "C205", lambda p: p.number("carillon_osek_tasks", 9, plus(1)), "has a budget of 46876 ticks"
    ),
    Fault("budgets", "no budget", "C205", lambda p: p.number("carillon_osek_tasks", 19, to(0)), "has a budget of 0 ticks"),
    Fault("budgets", "a budget too many", "C205", lambda p: p.number("carillon_osek_tasks", 29, to(5)), "and not of 0"),
    Fault("budgets", "the cell turns sooner", "C204", lambda p: p.store(PREPARE, at(RELOAD), value(plus(-1)))),
    Fault("budgets", "the cell's level below category 1", "C207", lambda p: p.number(LEVELS, 9, to(4), 2), "cell of budgets"),
    Fault("frames", "another frame", "C205", lambda p: p.number("carillon_osek_frames", 1, plus(1)), "a time frame of 46876"),
    Fault("frames", "no frame", "C205", lambda p: p.number("carillon_osek_frames", 2, to(0)), "'Device' has a time frame of 0"),
    Fault("frames", "a frame too many", "C205", lambda p: p.number("carillon_osek_frames", 0, to(5)), "and not of 0"),
    Fault("frames", "the cell of frames turns sooner", "C204", lambda p: p.store(PREPARE, at(RELOAD), value(plus(-1)))),
    Fault("budgets", "the cell's vector exchanged", "C205", lambda p: p.swap("carillon_osek_vectors", 32, 48, 4)),
    Fault(
        "beneath",
        "a budget that counts on above",
        "C205",
        lambda p: p.call("carillon_activation_0_Plain", "carillon_budget_stops", "carillon_budget_goes_on"),
        "does not keep the counter of budgets from counting",
    ),
    Fault(
        "beneath",
        "a budget that never goes on",
        "C205",
        lambda p: p.call("carillon_activation_0_Watched", "carillon_budget_goes_on", "carillon_budget_stops"),
        "does not keep the counter of budgets from counting",
    ),
    Fault("beneath", "a budget that no call stops", "C205", lambda p: p.drop("carillon_activation_0_Plain", r"^bl "), "budgets"),
    Fault("bounded", "nobody let in", "C208", lambda p: p.number("carillon_initials", 1, plus(1 << 16)), "let in"),
    Fault("bounded", "another budget", "C205", lambda p: p.number(BOUNDED, 0, plus(1)), "has a budget of 7501 ticks"),
    Fault("bounded", "another task to blame", "C205", lambda p: p.number(BOUNDED, 1, plus(1)), "told of task 2 where 'Bounded'"),
    Fault("bounded", "no function that bounds", "C205", lambda p: p.rename("__wrap_Watched", "__wrop_Watched"), "nothing bounds"),
    Fault("bounded", "another task run", "C205", lambda p: p.call(JOB, "Bounded", "Watched"), "does not run the task"),
    Fault("bounded on the host", "another task's", "C205", lambda p: p.call(JOB, "Bounded", "Watched"), "does not run the task"),
    Fault("bounded", "a part of a job that is none", "C205", lambda p: p.call(BODY, "Bounded", "Watched"), "of another job"),
    Fault("bounded on the host", "a part of another", "C205", lambda p: p.call(BODY, "Bounded", "Watched"), "of another job"),
    Fault("bounded", "a job without a frame", "C205", lambda p: p.call(BODY, "carillon_port_call", "Bounded"), "run what bounds"),
    Fault("bounded", "a job that does not begin", "C205", lambda p: p.drop(JOB, r"str .*r3", 0), "does not watch this job"),
    Fault("bounded", "a job that does not end", "C205", lambda p: p.drop(JOB, r"str .*r3", 1), "watch nothing at its end"),
    Fault("bounded", "no budget loaded", "C205", lambda p: p.drop(JOB, r"str .*r1"), "load the task's budget"),
    Fault("bounded", "a cell that goes by 0", "C205", lambda p: p.drop(JOB, r"str .*r0"), "far from 0"),
    Fault("bounded", "a caller's register lost", "C209", lambda p: p.drop(JOB, r"push"), "loads from where is not known"),
    Fault("bounded on the host", "no budget", "C205", lambda p: p.drop(JOB, r"call .*", 2), "load the task's budget"),
    Fault("bounded on the host", "no end", "C205", lambda p: p.drop(JOB, r"mov .*, 0$"), "watch nothing at its end"),
    Fault(
        "bounded", "no table", "C205", lambda p: p.rename(BOUNDED, BOUNDED[:-1] + "x"), "table of the rounds' budgets is missing"
    ),
    Fault(
        "bounded",
        "a handler that forgives",
        "C205",
        lambda p: p.call("carillon_round_budget_vector", "carillon_round_budget_strikes", "carillon_round_budget_stops"),
        "does not lead to 'carillon_round_budget_strikes'",
    ),
    *(
        Fault(
            name,
            "a vector that hands over no frame",
            "C205",
            lambda p, table=table, handler=handler: p.number(table, 32, to(p.symbols[handler][0] | 1)),
            f"'{handler}', serves nothing",
        )
        for name, table, handler in (
            ("bounded", "carillon_mode0_vectors", "carillon_round_budget_vector"),
            ("budgets", "carillon_osek_vectors", "carillon_budget_vector"),
        )
    ),
    Fault("bounded", "the cell turns sooner", "C204", lambda p: p.store(PREPARE, at(RELOAD), value(plus(-1)))),
    Fault("bounded", "the cell's level on a task's", "C207", lambda p: p.number(LEVELS, 1, to(3), 2), "and not the highest"),
    Fault("bounded", "the cell's vector exchanged", "C205", lambda p: p.swap("carillon_mode0_vectors", 32, 48, 4)),
    *(
        Fault(
            "bounded",
            f"a budget that {what} in {where}",
            "C205",
            lambda p, where=where, calls=calls: p.call(f"carillon_{where}", *calls),
            "does not keep the counter of budgets from counting",
        )
        for where in ("activation_0_Plain", "interrupt_I0", "deadline_0_Watched")
        for what, calls in (
            ("counts on", ("carillon_round_budget_stops", "carillon_round_budget_goes_on")),
            ("never goes on", ("carillon_round_budget_goes_on", "carillon_round_budget_stops")),
        )
    ),
    # The table of tasks, of 40 bytes each: Waits is the third.  That of counters, of 20: Coarse is the second.
    Fault("events", "a list of enabled sources cut off", "C208", lambda p: p.number("carillon_osek_enable_count", 0, to(0), 2)),
    Fault(
        "events", "a list of enabled sources too long", "C208", lambda p: p.number("carillon_osek_enable_count", 0, plus(1), 2)
    ),
    Fault("events", "no request forgotten", "C208", lambda p: p.number("carillon_osek_forget_count", 0, to(0), 2)),
    Fault("events", "another's state", "C205", lambda p: p.number(TASKS, 21, plus(16)), "keeps its events"),
    Fault("events", "a stack that begins late", "C205", lambda p: p.number(TASKS, 22, plus(8)), "as its stack"),
    Fault("events", "a longer stack", "C205", lambda p: p.number(TASKS, 23, plus(1)), "bytes of stack"),
    Fault("events", "a shorter stack", "C205", lambda p: p.number(TASKS, 23, plus(-1)), "bytes of stack"),
    Fault("events", "a stack of a basic task", "C205", lambda p: p.number(TASKS, 2, plus(8)), "cannot wait"),
    Fault("events", "a task taken for a thread", "C205", lambda p: p.number(TASKS, 34, to(1), 1), "a thread"),
    Fault("events", "no cells served at a level", "C205", lambda p: p.number(TASKS, 29, to(0)), "does not serve"),
    Fault(
        "events", "cells of another level served", "C205", lambda p: p.number(TASKS, 9, to(p.symbols[TASKS][0] | 1)), "served by"
    ),
    Fault("clock", "a thread not taken for one", "C205", lambda p: p.number(TASKS, 40 + 34, to(0), 1), "not taken for"),
    Fault("events", "a tick of other units", "C204", lambda p: p.number(COUNTERS, 5 + 3, plus(1)), "units of the time base"),
    Fault("events", "a counter that time does not follow", "C204", lambda p: p.number(COUNTERS, 5 + 3, to(0)), "not followed"),
    Fault("events", "a counter that software advances", "C204", lambda p: p.number(COUNTERS, 36, to(1), 1), "IncrementCounter"),
    Fault("events", "a counter that stands still", "C204", lambda p: p.number(COUNTERS, 37, to(0), 1), "stand still"),
    Fault("events", "a counter that nothing ticks", "C204", lambda p: p.number(COUNTERS, 17, to(1), 1), "nothing ticks"),
    Fault("events", "a level without a tick", "C207", lambda p: p.number(COUNTERS, 18, to(1), 1), "no tick"),
    Fault("events", "a task's table with another function", "C205", lambda p: p.swap("carillon_osek_tasks", 0, 9, 4)),
    Fault(
        "events",
        "a cell that is not stopped at shutdown",
        "C208",
        lambda p: p.store("carillon_osek_stop", at(0x7E78_203C), lambda _a, _v: (UNPEND, 0)),
    ),
    Fault(
        "levels",
        "a queue that is too short",
        "C205",
        lambda p: p.field("carillon_osek_levels", 3 * 24 + 16, 2, to(1)),
        "of 1 act",
    ),
    Fault(
        "levels", "no queue at all", "C205", lambda p: p.field("carillon_osek_levels", 2 * 24 + 16, 2, to(0)), "of 0 activations"
    ),
    Fault(
        "levels",
        "a queue in another level's",
        "C205",
        lambda p: p.copy("carillon_osek_levels", 2 * 24 + 8, 3 * 24 + 8, 8),
        "where that of level 2 is",
    ),
    Fault(
        "levels",
        "a queue's state of another level",
        "C205",
        lambda p: p.copy("carillon_osek_levels", 3 * 24 + 12, 2 * 24 + 12, 4),
    ),
    Fault(
        "levels", "a level of another task", "C205", lambda p: p.field("carillon_osek_levels", 3 * 24 + 20, 1, to(1)), "of task 1"
    ),
    Fault(
        "levels",
        "a level at another source",
        "C205",
        lambda p: p.field("carillon_osek_levels", 3 * 24 + 18, 2, plus(1)),
        "have source",
    ),
    Fault(
        "turns", "slices that nothing ends", "C205", lambda p: p.field("carillon_osek_levels", 32 + 12, 4, to(0)), "is not told"
    ),
    Fault(
        "turns",
        "slices that another level's interrupt ends",
        "C205",
        lambda p: p.copy("carillon_osek_levels", 3 * 32 + 8, 32 + 8, 8),
        "vector serves slices",
    ),
    Fault(
        "turns",
        "slices of threads that have no mates",
        "C205",
        lambda p: p.copy("carillon_osek_levels", 32 + 8, 2 * 32 + 8, 8),
        "no threads that take turns",
    ),
    Fault(
        "turns",
        "slices that end above what is above",
        "C207",
        lambda p: p.number("carillon_osek_source_levels", 9, plus(1), 2),
        "end at source 21 of level 3",
    ),
    Fault("levels", "a request of another level", "C205", lambda p: p.copy("carillon_osek_levels", 2 * 24, 3 * 24, 8), "store"),
    Fault("levels", "a task taken for an ISR", "C205", lambda p: p.context(0x100, to(0x400 | 1)), "is taken for an ISR's"),
    Fault("levels", "a task at another level", "C205", lambda p: p.context(0x100, plus(1)), "is taken for a task's of level 2"),
    Fault("levels", "a task that is nobody's", "C205", lambda p: p.context(0x100, to(0)), "is taken for nobody's"),
    Fault("levels", "a source that nobody has", "C205", lambda p: p.context(0, to(0x101)), "and is nobody's"),
    Fault(
        "levels",
        "an ISR taken for a task",
        "C205",
        lambda p: p.context(0x400, lambda v: v & 0xFF | 0x100),
        "is taken for a task's",
    ),
    Fault(
        "levels",
        "an ISR at another source",
        "C205",
        lambda p: p.field("carillon_osek_isr_sources", 0, 2, plus(1)),
        "to have source",
    ),
]


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


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Images:
    return Images(tmp_path_factory.mktemp("images"))


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_as_it_was_built_is_what_the_schedule_says(name: str, images: Images) -> None:
    diagnostics = Diagnostics()
    report = verify(*images.get(name), diagnostics)
    assert not diagnostics.reported
    assert sum(m.expiries for m in report.modes) or report.osek is not None


OTHERS = [
    ("stm32", "pico", "0x10000000"),
    ("pico", "nrf", "0x0"),
    ("nrf", "matches", "0x8000000"),
    ("mps2", "stm32", "0x8000000"),
]


@pytest.mark.parametrize(("image", "board", "begins"), OTHERS)
def test_an_image_of_another_board_is_told_as_such(image: str, board: str, begins: str, images: Images) -> None:
    system, _ = images.get(board)
    _, elf = images.get(image)
    diagnostics = Diagnostics()
    verify(system, elf, diagnostics)
    (found,) = diagnostics.errors
    assert found.code == "C209"
    assert found.cause.endswith(f"and that of board '{system.board.name}' begins at {begins}")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f"{f.image}: {f.name}")
def test_a_fault_is_found(fault: Fault, images: Images, tmp_path: Path) -> None:
    system, elf = images.get(fault.image)
    patch = Patch(elf)
    fault.change(patch)
    broken = tmp_path / "broken.elf"
    broken.write_bytes(patch.data)
    diagnostics = Diagnostics()
    verify(system, broken, diagnostics)
    found = diagnostics.errors
    if os.environ.get("CARILLON_SHOW"):
        print(*found, sep="\n")
    assert fault.code in {d.code for d in found}, found
    assert any(fault.says in d.cause for d in found), found
    assert all(d.span is not None for d in found)


def carillon(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"}, prog_name="carillon")
    return result.exit_code, result.stdout, result.stderr


def test_the_command_tells_what_it_compared_and_what_not(images: Images) -> None:
    _, elf = images.get("events")
    code, out, err = carillon("verify", str(elf.parents[1] / "events.toml"), "--elf", str(elf))
    assert code == 0, err
    assert "the image is what the schedule says, on ast1030-evb at 125MHz" in out
    assert "event-triggered: 5 cells, 8 vectors, 11 entries of tables" in out
    assert re.findall("^not verified: (.*?)[,:]", out, re.MULTILINE) == [
        "the time base",
        "alarms in their counters' queues",
    ]


def test_an_image_of_a_changed_schedule_differs_by_the_line_that_was_changed(images: Images) -> None:
    system, elf = images.get("ast")
    other = system.file.with_name("other.toml")
    text = system.file.read_text(encoding="utf-8")
    other.write_text(text.replace('"70000 ticks", activate', '"70010 ticks", activate'), encoding="utf-8")
    code, out, _ = carillon("verify", str(other), "--elf", str(elf), "--json")
    assert code == 1
    (difference,) = json.loads(out)["diagnostics"][1:]
    line = text[: text.index('"70000 ticks", activate')].count("\n") + 1
    assert (difference["code"], difference["line"]) == ("C204", line)
    assert difference["cause"] == (
        "mode 'one': the activation of 'Short' is expected at 70010, found at 70000: nothing expires at 70010, 70010 of the next "
        "round; TMR2 (source 33) expires at 70000, 70000 of the next round"
    )


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        (', deadline_at = "21000 ticks"', "", "by that of the activation at 11000, which has none"),
        ('board = "', 'on_deadline_miss = "continue"\nboard = "', "goes on after a missed one"),
        ('"9000 ticks", "10000 ticks"', '"8000 ticks", "9000 ticks"', "is expected at 8000, 21000"),
    ],
)
def test_a_shared_deadline_cell_follows_the_first_deadline_of_each_activation(
    old: str, new: str, cause: str, images: Images
) -> None:
    system, elf = images.get("ast")
    other = system.file.with_name("other.toml")
    other.write_text(system.file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    _, out, _ = carillon("verify", str(other), "--elf", str(elf), "--json")
    assert any(cause in d["cause"] for d in json.loads(out)["diagnostics"])


def test_of_two_alarms_on_one_source_the_higher_tasks_cell_is_asked_first(images: Images) -> None:
    system, elf = images.get("joined alarms")
    other = system.file.with_name("other.toml")
    text = system.file.read_text(encoding="utf-8")
    other.write_text(text.replace("priority = 3", "priority = 9"), encoding="utf-8")
    _, out, _ = carillon("verify", str(other), "--elf", str(elf), "--json")
    assert any("before that of a higher one's" in d["cause"] for d in json.loads(out)["diagnostics"])


def test_without_an_image_the_command_says_how_to_get_one(images: Images) -> None:
    system, _ = images.get("ast")
    code, _, err = carillon("verify", str(system.file), "--out", "nowhere")
    assert code == 1
    assert "C209: there is no image 'nowhere/modes.elf'" in err
    assert "carillon build" in err


def test_an_image_of_another_application_is_refused(images: Images) -> None:
    system, _ = images.get("ast")
    _, other = images.get("events")
    diagnostics = Diagnostics()
    verify(system, other, diagnostics)
    assert [d.code for d in diagnostics.errors] == ["C209"]


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        (["--strip-debug"], "the image has no debug information (-gdwarf-4), which says how its tables are laid out"),
        (["--strip-all"], "the image is stripped: it has no symbols"),
        (
            ["--remove-section=.debug_abbrev"],
            "the image's debug information (-gdwarf-4) is damaged",
        ),
    ],
)
def test_an_image_that_does_not_say_how_its_tables_are_laid_out_is_not_verified(
    images: Images, tmp_path: Path, options: list[str], cause: str
) -> None:
    system, elf = images.get("events")
    other = tmp_path / "other.elf"
    subprocess.run(["arm-none-eabi-objcopy", *options, elf, other], check=True)
    diagnostics = Diagnostics()
    report = verify(system, other, diagnostics)
    assert not diagnostics.reported
    assert report.unverified == (f"anything: {cause}",)
    assert report.line() == f"not verified: {cause}"


def test_tables_of_another_compiler_are_not_verified(images: Images, tmp_path: Path) -> None:
    system, elf = images.get("events")
    patch = Patch(elf)
    patch.data[:] = patch.data.replace(b"GNU C11", b"ACME CC")
    other = tmp_path / "other.elf"
    other.write_bytes(patch.data)
    report = verify(system, other, Diagnostics())
    (cause,) = report.unverified
    assert cause.startswith("anything: the image's tables were compiled by 'ACME CC 12")
    assert cause.endswith("', whose debug information no rule was tried with")


def test_damaged_debug_information_is_no_traceback(images: Images, tmp_path: Path) -> None:
    """Each byte of a part of it, turned: nothing is compared, or what is said is a difference."""
    system, elf = images.get("events")
    with elf.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".debug_info")
        start, size = section["sh_offset"], section["sh_size"]
    other = tmp_path / "other.elf"
    content = elf.read_bytes()
    for at in range(start, start + size, size // 60):
        other.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        verify(system, other, Diagnostics())


def test_a_port_that_no_rule_reads_is_not_passed_over(images: Images) -> None:
    system, elf = images.get("ast")
    diagnostics = Diagnostics()
    report = verify(replace(system, board=system.board.model_copy(update={"port": "another"})), elf, diagnostics)
    assert not diagnostics.reported
    assert report.unverified == ("anything: no rule reads the interrupt controller, or the code, of port 'another'",)


def test_a_family_that_no_rule_reads_is_not_passed_over(images: Images) -> None:
    system, elf = images.get("ast")
    cells = [a.model_copy(update={"family": a.family.model_copy(update={"name": "another"})}) for a in system.board.cells]
    diagnostics = Diagnostics()
    report = verify(replace(system, board=system.board.model_copy(update={"cells": tuple(cells)})), elf, diagnostics)
    assert not diagnostics.reported
    assert report.unverified == tuple(f"mode '{m}': no rule reads cells of family another" for m in ("one", "two"))


ROOT = Path(__file__).parents[2]
CHIPS = {  # board: its file, and an image for the same port
    "ast1030-evb": (ROOT / "boards/ast1030-evb", "ast"),
    "mps2-an385": (ROOT / "boards/mps2-an385", "mps2"),
    "mps2-an505": (ROOT / "tests/firmware/boards/mps2-an505", "mps2"),
    "qemu-rv32-virt": (ROOT / "boards/qemu-rv32-virt", "rv32"),
    "microbit": (ROOT / "boards/microbit", "nrf"),
    "raspberry-pi-pico": (ROOT / "boards/raspberry-pi-pico", "pico"),
    **{name: (ROOT / "boards" / name, "stm32") for name in ("stm32f4-discovery", "nucleo-f429zi", "blackpill-f411")},
    **{
        name: (ROOT / "boards" / name, "avr")  # whose timers the device's header of avr-libc says
        for name in ("atmega128", "atmega2560", "arduino-uno", "arduino-leonardo", "arduino-mega")
    },
}
ASPEED_COUNTERS = """[
    0x7E782000, 0x7E782010, 0x7E782020, # the control registers lie in between
    0x7E782040, 0x7E782050, 0x7E782060, 0x7E782070, 0x7E782080,
]"""
ASPEED_EVEN = "{ first = 0x7E782000, stride = 0x10 }"
WRONG_SITES = {  # board, in its file, instead: what is found
    ("ast1030-evb", "0x7E782010,", "0x7E782014,"): ["C204 TMR2: counter 0x7e782014, TMR2 0x7e782010"],
    ("ast1030-evb", "control = 0x7E782030", "control = 0x7E782034"): [
        f"C204 TMR{n}: control 0x7e782034, TMR{n} 0x7e782030" for n in range(1, 9)
    ],
    ("ast1030-evb", ASPEED_COUNTERS, ASPEED_EVEN): [
        f"C204 TMR{n}: counter {0x7E781FF0 + 16 * n:#x}, TMR{n} {0x7E782000 + 16 * n:#x}" for n in range(4, 9)
    ],
    ("ast1030-evb", "[32, 33,", "[33, 32,"): ["C205 TMR1: source 33, TMR1 32", "C205 TMR2: source 32, TMR2 33"],
    ("mps2-an385", "first = 0x40000000", "first = 0x40004000"): [
        "C204 TIMER0: base 0x40004000, TIMER0 0x40000000",
        "C204 TIMER1: base 0x40005000, TIMER1 0x40001000",
    ],
    ("mps2-an385", "stride = 0x1000", "stride = 0x2000"): ["C204 TIMER1: base 0x40002000, TIMER1 0x40001000"],
    ("mps2-an385", "stride = 0x20 }", "stride = 0x40 }"): ["C204 DUAL2: base 0x40002040, DUAL2 0x40002020"],
    ("mps2-an385", "sources = [26, 26]", "sources = [26, 27]"): ["C205 DUAL2: source 27, DUAL2 26"],
    ("mps2-an385", "sources = [15]", "sources = [12]"): ["C205 SysTick: source 12, SysTick 15"],
    ("mps2-an505", "[0x50001000,", "[0x40001000,"): ["C204 TIMER1: base 0x40001000, TIMER1 0x50001000"],
    ("mps2-an505", "sources = [20, 19]", "sources = [19, 20]"): [
        "C205 TIMER0: source 20, TIMER0 19",
        "C205 TIMER1: source 19, TIMER1 20",
    ],
    ("qemu-rv32-virt", "CLINT = 0x2000000", "CLINT = 0x2000004"): [
        "C204 mtimecmp: mtime 0x200bffc, mtimecmp 0x200bff8",
        "C204 mtimecmp: mtimecmp 0x2004004, mtimecmp 0x2004000",
    ],
    ("qemu-rv32-virt", "sources = [7]", "sources = [11]"): ["C205 mtimecmp: source 11, mtimecmp 7"],
    ("arduino-uno", "sources = [11, 12]", "sources = [12, 11]"): [
        "C205 OC1A: source 12, OCR1A 11",
        "C205 OC1B: source 11, OCR1B 12",
    ],
    ("arduino-uno", "length = 0x86", "length = 0x8A"): [
        "C204 OC1A: length 0x8a, OCR1A 0x86",
        "C204 OC1B: length 0x8a, OCR1B 0x86",
    ],
    ("arduino-uno", "registers.bit = 2", "registers.bit = 1"): ["C204 OC0B: bit 1, OCR0B 2"],
    ("arduino-leonardo", "flags = 0x36", "flags = 0x37"): [f"C204 OC1{x}: flags 0x37, OCR1{x} 0x36" for x in "ABC"],
}


def own_board(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """A copy of a board whose file says something else."""
    path = shutil.copytree(CHIPS[name][0], folder / "own") / "board.toml"
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def compared(images: Images, image: str, board: Board) -> tuple[Diagnostics, list[str]]:
    """What is wrong with where a board's cells are, and what no table says."""
    system, elf = images.get(image)
    system = replace(system, board=board, clock_hz=board.clocks[0].hz)
    diagnostics = Diagnostics()
    return diagnostics, compare(system, Hardware(system, Elf(elf)), diagnostics)


def sites(images: Images, image: str, board: Board) -> tuple[list[str], list[str]]:
    """The same in short."""
    diagnostics, unknown = compared(images, image, board)
    form = rf"cell '(\w+)' of board '{board.name}' has (\w+ \w+), but the chip's (\w+) has (\w+)"
    return sorted(re.sub(form, rf"{d.code} \1: \2, \3 \4", d.cause) for d in diagnostics.errors), unknown


@pytest.mark.parametrize("change", WRONG_SITES, ids=lambda change: f"{change[0]}: {change[2]}")
def test_a_cell_that_is_elsewhere_than_on_its_chip_is_found(change: tuple[str, str, str], images: Images, tmp_path: Path) -> None:
    board, old, new = change
    own = load_board(own_board(tmp_path, board, (old, new)))
    assert sites(images, CHIPS[board][1], own) == (WRONG_SITES[change], [])


ELSEWHERE = [  # board, in its file, instead: what is found of which key
    ("arduino-uno", "registers.count = 0x84", "registers.count = 0x83", "C204 cell 'OC1A' of board 'arduino-uno' has count 0x83"),
    ("arduino-uno", "sources = [11, 12]", "sources = [11, 13]", "C205 cell 'OC1B' of board 'arduino-uno' has source 13"),
    ("mps2-an385", "first = 0x40000000", "first = 0x40004000", "C204 cell 'TIMER0' of board 'mps2-an385' has base 0x40004000"),
    (
        "arduino-uno",
        "enable = 0x3D",
        "enable = 0x3E",
        "C204 [[requests]] of board 'arduino-uno' has enable 0x3e for source 1, but the chip has 0x3d",
    ),
    (
        "arduino-uno",
        "bits = [0, 1]\n",
        "bits = [0, 2]\n",
        "C204 [[requests]] of board 'arduino-uno' has bit 2 for source 2, but the chip has 1",
    ),
    (
        "atmega128",
        "sources = [1, 2, 3, 4]\nenable = 0x59\nflags = 0x58\nbits = [0, 1, 2, 3]",
        "sources = [1, 2, 3, 4, 40]\nenable = 0x59\nflags = 0x58\nbits = [0, 1, 2, 3, 4]",
        "C205 [[requests]] of board 'atmega128' has source 40, which is no interrupt of the chip that has a bit of its own",
    ),
]


@pytest.mark.parametrize("change", ELSEWHERE, ids=lambda change: f"{change[0]}: {change[2]}")
def test_where_a_board_is_wrong_is_the_line_of_its_key(change: tuple[str, str, str, str], images: Images, tmp_path: Path) -> None:
    board, old, new, said = change
    path = own_board(tmp_path, board, (old, new))
    diagnostics, _ = compared(images, CHIPS[board][1], load_board(path))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert f"{diagnostics.errors[0].code} {diagnostics.errors[0].cause}".startswith(said)
    for d in diagnostics.errors:
        assert d.span is not None and d.span.file == str(path)
        assert new.splitlines()[0] in lines[d.span.line - 1], d


@pytest.mark.parametrize("name", CHIPS)
def test_no_register_and_no_source_of_a_known_chip_can_be_another(name: str, images: Images) -> None:
    """Each number for itself; nor do names matter, nor cells that are left out."""
    folder, image = CHIPS[name]
    board = load_board(folder / "board.toml")
    assert sites(images, image, board) == ([], [])

    def changed(which: int, **update: object) -> tuple[list[str], list[str]]:
        arrays = [a.model_copy(update=update) if k == which else a for k, a in enumerate(board.cells)]
        return sites(images, image, board.model_copy(update={"cells": tuple(arrays)}))

    def other(values: tuple[int, ...], k: int) -> tuple[int, ...]:
        return (*values[:k], values[k] + 4, *values[k + 1 :])

    for which, array in enumerate(board.cells):
        for k, cell in enumerate(array.names):
            assert changed(which, sources=other(array.sources, k))[0][0].startswith(f"C205 {cell}: source")
            for register, values in array.registers.items():
                found, _ = changed(which, registers={**array.registers, register: other(values, k)})
                assert found[0].startswith(f"C204 {cell}: {register}")
        assert changed(which, names=tuple(f"Own{k}" for k in range(len(array.names)))) == ([], [])
        parts = {"names": array.names[:-1], "sources": array.sources[:-1]}
        assert changed(which, **parts, registers={key: v[:-1] for key, v in array.registers.items()}) == ([], [])


def test_a_cell_is_the_timer_whose_bits_it_has_of_a_register_of_all(images: Images, tmp_path: Path) -> None:
    path = own_board(
        tmp_path,
        "ast1030-evb",
        ('["TMR1", "TMR2",', '["TMR2", "TMR1",'),
        ("[32, 33,", "[33, 32,"),
        ("0x7E782000, 0x7E782010,", "0x7E782010, 0x7E782000,"),
    )
    assert sites(images, "ast", load_board(path))[0] == ["C204 TMR1: number 1, TMR1 0", "C204 TMR2: number 0, TMR2 1"]


def test_a_cell_more_than_the_chip_has_timers_is_found(images: Images, tmp_path: Path) -> None:
    names = '"TMR6", "TMR7", "TMR8"]', "38, 39]", "0x7E782070, 0x7E782080,"
    more = '"TMR6", "TMR7", "TMR8", "TMR9"]', "38, 39, 39]", "0x7E782070, 0x7E782080, 0x7E782090,"
    found, _ = sites(images, "ast", load_board(own_board(tmp_path, "ast1030-evb", *zip(names, more, strict=True))))
    assert found == [
        "cell 'TMR9' of board 'ast1030-evb' has counter 0x7e782090 and control 0x7e782030 and number 8 and source 39, which no "
        "timer of the chip has that is not another cell's"
    ]


@pytest.mark.parametrize("command", [("-M", "other"), ("-M", "ast1030-evb,more=on"), ("-cpu", "ast1030-evb"), None])
def test_of_another_chip_it_is_said_that_nothing_is_known(command: tuple[str, str] | None, images: Images) -> None:
    board = load_board(CHIPS["ast1030-evb"][0] / "board.toml")
    assert board.run is not None
    run = board.run.model_copy(update={"command": ("qemu-system-arm", *command)}) if command else None
    names = ", ".join(f"TMR{n}" for n in range(1, 9))
    said = f"where the chip has {names}: no table in the verifier says it, so the board's file is believed"
    assert sites(images, "ast", board.model_copy(update={"run": run})) == ([], [said])


def test_a_build_for_a_board_whose_timer_is_elsewhere_leaves_no_image(tmp_path: Path) -> None:
    """Schedule and image agree: it is the board's file that differs, and only from the chip."""
    board = own_board(tmp_path, "mps2-an385", ("stride = 0x20 }", "stride = 0x40 }"))
    schedule = shutil.copytree(SOURCES, tmp_path / "app") / "reload.toml"
    code, _, err = carillon("build", str(schedule), "--board", str(board), "--out", str(tmp_path / "out"))
    assert code == 1
    assert err.startswith(
        f"{board}:43:18: error C204: cell 'DUAL2' of board 'mps2-an385' has base 0x40002040, "
        "but the chip's DUAL2 has 0x40002020\n"
        "  help: correct the board's file; where its timers are is in CMSIS's CMSDK_CM3.h and QEMU's hw/arm/mps2.c\n1 error;"
    ), err
    assert not list(tmp_path.glob("out/*.elf"))


@pytest.mark.parametrize("size", [0, 3, 40, 100, 5000])
def test_a_damaged_file_is_refused(size: int, images: Images, tmp_path: Path) -> None:
    system, elf = images.get("ast")
    (tmp_path / "cut.elf").write_bytes(elf.read_bytes()[:size])
    diagnostics = Diagnostics()
    verify(system, tmp_path / "cut.elf", diagnostics)
    assert {d.code for d in diagnostics.errors} == {"C209"}


def test_a_build_leaves_no_image_that_differs(images: Images, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system, _ = images.get("ast")

    def wrong(image: Image) -> dict[str, str]:
        files = emit(image)
        return {**files, "tables.c": files["tables.c"].replace("ASPEED_ALIGN(1, 70155,", "ASPEED_ALIGN(1, 70156,")}

    monkeypatch.setattr("carillon.build.emit", wrong)
    arguments = ("build", str(system.file), "--out", str(tmp_path))
    code, _, err = carillon(*arguments)
    assert code == 1
    assert "C204: mode 'one': the activation of 'Short' is expected at 70000, found at 70001" in err
    assert not list(tmp_path.glob("*.elf"))
    code, out, _ = carillon(*arguments, "--no-verify")
    assert code == 0
    assert "not verified (--no-verify)" in out
    assert (tmp_path / "modes.elf").is_file()


def test_the_verifier_shares_nothing_with_the_passes_that_make_an_image() -> None:
    package = Path(carillon_verify.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in package.rglob("*.py")]
    named = r"^\s*(?:from|import) (carillon(?: import c_names$|[\w.]*))"  # names of C are neither side's
    imports = {name.replace(" import ", ".") for text in texts for name in re.findall(named, text, re.MULTILINE)}
    allowed = r"carillon\.(c_names|verify|model|diagnostics|elf)\b"
    assert {name for name in imports if not re.match(allowed, name)} == {"carillon.pipeline", "carillon.sources"}  # command.py
    assert "from carillon.pipeline import read_and_check\n" in (package / "command.py").read_text(encoding="utf-8")
