# SPDX-License-Identifier: Apache-2.0
"""Every symbol that the tool generates is compared by ``verify``, or its table says why not.

Images of all examples are built.  Each symbol of their generated files has a row of ``verified_symbols``.  Where the row
says that it is compared, other bytes in its place must be found.
"""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest
from capstone import CS_ARCH_ARM, CS_ARCH_X86, CS_MODE_64, CS_MODE_MCLASS, CS_MODE_THUMB, Cs
from verified_symbols import SYMBOLS, as_markdown, row_of

from building import build
from carillon.diagnostics import Diagnostics
from carillon.elf import ALLOC, ARM, PROGBITS, X86_64, Symbol, read_elf
from carillon.model import System
from carillon.model.giotto import Machine
from carillon.pipeline import plan
from carillon.verify import verify
from carillon.verify.elf import Elf
from sample import few

ROOT = Path(__file__).resolve().parents[2]
IMAGES = {
    "engine": ("examples/engine/schedule.toml", "ast1030-evb"),
    "modes": ("examples/modes/schedule.toml", "ast1030-evb"),
    "mixed-mode": ("examples/mixed-mode/schedule.toml", "ast1030-evb"),
    "three-tasks": ("examples/three-tasks/schedule.toml", "virtual-256"),
    "budget": ("examples/budget/schedule.toml", "ast1030-evb"),
    "schedule-tables": ("examples/schedule-tables/schedule.toml", "ast1030-evb"),
    "blinky on AVR": ("examples/osek-blinky/schedule.toml", "atmega128"),
    "blinky on RISC-V": ("examples/osek-blinky/schedule.toml", "qemu-rv32-virt"),
    "inversion": ("examples/priority-inversion/schedule.toml", "virtual-256"),
    "flight": ("examples/flight/flight.giotto", "ast1030-evb"),
    "flight on cells": ("examples/flight/flight.giotto", "ast1030-evb"),
    "reload": ("tests/tool/verify/reload.toml", "mps2-an385"),
    "joined": ("tests/tool/verify/joined.toml", "mps2-an385"),
    "channels": ("tests/tool/verify/channels.toml", "atmega128"),
    "one": ("tests/tool/verify/one.toml", "qemu-rv32-virt"),
    "sync": ("tests/tool/verify/sync.toml", "ast1030-evb"),
    "cells of tables": ("tests/tool/verify/table-cells.toml", "ast1030-evb"),
    "set cells": ("tests/tool/verify/table-set.toml", "mps2-an385"),
    "points": ("tests/tool/verify/table-points.toml", "ast1030-evb"),
    "adjusted": ("tests/tool/verify/table-adjusted.toml", "ast1030-evb"),
    "frames": ("tests/tool/verify/frames.toml", "ast1030-evb"),
    "tables": ("tests/tool/verify/schedule-tables.toml", "ast1030-evb"),
    "parts": ("tests/tool/verify/parts.toml", "ast1030-evb"),
    "several": ("tests/tool/verify/several.toml", "ast1030-evb"),
    "time": ("tests/tool/verify/time.toml", "ast1030-evb"),
    "slices": ("tests/tool/verify/slices.toml", "mps2-an385"),
    "servers": ("tests/tool/verify/servers.toml", "ast1030-evb"),
    "bounded": ("tests/tool/verify/bounded.toml", "ast1030-evb"),
    "bounded on the host": ("tests/tool/verify/bounded.toml", "virtual-ast1030-evb"),
    "budgets": ("tests/tool/verify/budgets.toml", "ast1030-evb"),
    "tasks of a table": ("tests/tool/verify/table-tasks.toml", "ast1030-evb"),
    "joined alarms": ("tests/tool/verify/joined-alarms.toml", "mps2-an385"),
    "locks by the clock": ("tests/tool/verify/locks.toml", "atmega128"),
}
EXACT = few(240)
"""How many bits of a function are changed of which each instruction is compared."""
WHOLE, SINGLE = 2, few(6)
"""How often a symbol's bytes are all replaced, and how often one of them is."""
COMPILERS = ("arm-none-eabi-gcc", "avr-gcc", "riscv64-unknown-elf-gcc", "gcc")

pytestmark = pytest.mark.skipif(not all(map(shutil.which, COMPILERS)), reason=f"needs {', '.join(COMPILERS)}")


def symbols(path: Path) -> dict[str, Symbol]:
    """The symbols with a size, of an object or an image, but for those of the assembler and of what other files define."""
    own = (s for s in read_elf(path).symbols if s.size and not re.match(r"\$|\.|__(?!wrap_)", s.name))
    return {s.name.partition(".")[0]: s for s in own}


def is_found(system: System, folder: Path, content: bytes | bytearray) -> bool:
    """Whether verify finds a difference in an image of these bytes."""
    broken = folder / "broken.elf"
    broken.write_bytes(content)
    found = Diagnostics()
    verify(system, broken, found)
    return bool(found.errors)


def has_no_effect(elf: Elf, symbol: Symbol, content: bytes, bit: int) -> bool:
    """Whether another bit of a function changes nothing.

    It is of what only fills a gap, or lets an instruction set flags that no other one asks for.  On x86-64, it may be one of a
    shift's upper bits, since a shift goes by its lower five, or the same instruction may be written otherwise.  On Arm, the
    source that runs may be read with the flags above it, which the shift by 16 drops; that leaves no carry, which adc would add.
    """
    kinds = {ARM: (CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS), X86_64: (CS_ARCH_X86, CS_MODE_64)}
    decoder = Cs(*kinds[elf.machine])
    before, after = (
        {at: (size, name.removesuffix(".w"), operands) for at, size, name, operands in decoder.disasm_lite(code, symbol.address)}
        for code in (elf.bytes_at(symbol.address, symbol.size), content)
    )
    place = symbol.address + bit // 8
    at = max(a for a in before if a <= place)
    size, name, operands = before[at]
    if name == "shl" and at in after and after[at][1] == name:
        (one, by), (other, by_other) = operands.split(", "), after[at][2].split(", ")
        return one == other and int(by, 0) % 32 == int(by_other, 0) % 32
    same = {(size, name, operands), (size, f"{name}s", operands)}
    same |= {(size, name, operands.replace("ipsr", wider)) for wider in ("iapsr", "iepsr")}
    same |= {(size, "adc", operands)} if name == "orr" else set()
    return name == "nop" or after.get(at) in same


@pytest.mark.parametrize("name", IMAGES)
def test_each_generated_symbol_is_compared_or_its_row_says_why_not(
    name: str, tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    schedule, board = IMAGES[name]
    diagnostics = Diagnostics()
    machine = Machine.CELLS if name.endswith("on cells") else Machine.MICROCODE
    image = plan(ROOT / schedule, diagnostics, board=board, machine=machine).image
    firmware = build(image, tmp_path, diagnostics)
    assert firmware is not None, diagnostics.reported
    generated: set[str] = set()
    for compiled in (tmp_path / "objects").glob("generated_*.o"):
        generated |= symbols(compiled).keys()
    assert {s for s in generated if row_of(s) is None} == set()
    elf, placed = read_elf(firmware.elf), symbols(firmware.elf)
    content = bytearray(firmware.elf.read_bytes())
    rng = random.Random(name)
    counts = {"symbols": 0, "of them changed": 0, "single bytes": 0, "of them found": 0}
    counts |= {"bits of code": 0, "of these found": 0}
    missed = []
    for symbol in sorted(generated & placed.keys()):
        row, it = row_of(symbol), placed[symbol]
        counts["symbols"] += 1
        at = next(
            (
                it.address - s.address + s.start
                for s in elf.sections
                if s.kind == PROGBITS and s.flags & ALLOC and s.address <= it.address < s.address + s.size
            ),
            None,
        )
        if row is None or not row.compared or at is None:
            continue
        if it.function and row.exact:
            for bit in rng.sample(range(8 * it.size), min(EXACT, 8 * it.size)):
                content[at + bit // 8] ^= 1 << bit % 8
                found = is_found(image.system, tmp_path, content)
                counts["bits of code"] += 1
                counts["of these found"] += found
                if not found and not has_no_effect(Elf(firmware.elf), it, content[at : at + it.size], bit):
                    missed.append(f"{symbol}, bit {bit}")
                content[at + bit // 8] ^= 1 << bit % 8
            continue
        if it.function:  # what code does is compared, and not its bytes; but whatever they are, verify has an answer
            content[at + rng.randrange(it.size)] ^= 1 << rng.randrange(8)
            counts["bits of code"] += 1
            counts["of these found"] += is_found(image.system, tmp_path, content)
            content[:] = firmware.elf.read_bytes()
            continue
        counts["of them changed"] += 1
        own = bytes(content[at : at + it.size])
        for k in range(WHOLE + SINGLE):
            if k < WHOLE:
                content[at : at + it.size] = rng.randbytes(it.size)
            else:
                content[at + rng.randrange(it.size)] ^= rng.choice((1, 2, 4, 16, 64, 128, 255))
            found = is_found(image.system, tmp_path, content)
            content[at : at + it.size] = own
            if k < WHOLE and not found:
                missed.append(symbol)
            counts["single bytes"] += k >= WHOLE
            counts["of them found"] += k >= WHOLE and found
    record_property("symbols that verify compares", counts)
    assert missed == []


def test_each_row_is_of_use() -> None:
    for row in SYMBOLS:
        assert row.compared or row.but


def test_the_specification_has_the_table() -> None:
    assert as_markdown() in (ROOT / "docs" / "SPEC.md").read_text(encoding="utf-8")
