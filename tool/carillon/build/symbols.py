# SPDX-License-Identifier: Apache-2.0
"""What the tool reads from ELF files: symbols and sizes.  It never reads C."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from carillon.elf import ALLOC, EXECUTED, NOBITS, WRITE, read_elf


def defined_functions(path: Path) -> set[str]:
    """Names of the global functions that an object file or ELF defines."""
    return {s.name for s in read_elf(path).symbols if s.function and not s.local}


def undefined(path: Path) -> set[str]:
    """Names that an object file uses, and does not define."""
    return set(read_elf(path).undefined)


def selects_flash(path: Path) -> bool:
    """Whether an object file of AVR says which 64 KiB of flash ELPM reads: it writes RAMPZ, or calls avr-libc's functions.

    A handler that the compiler made restores what it found there (``pop r0``, ``out 0x3b, r0``): it says nothing.
    """
    elf = read_elf(path)
    code = [elf.data[s.start : s.start + s.size] for s in elf.sections if s.flags & EXECUTED and s.kind != NOBITS]
    for text in code:
        words = [0, *(int.from_bytes(text[at : at + 2], "little") for at in range(0, len(text) - 1, 2))]
        if any(word & 0xFE0F == 0xBE0B and (before, word) != (0x900F, 0xBE0B) for before, word in pairwise(words)):
            return True
    return any(name.endswith("_PF") for name in elf.undefined)


def symbols(path: Path) -> dict[str, tuple[int, int]]:
    """Every named symbol of an ELF: name -> (address without the Thumb bit for functions, size)."""
    return {s.name: (s.address, s.size) for s in read_elf(path).symbols}


def sizes(path: Path) -> tuple[int, int, int]:
    """Bytes of (flash without vector tables, vector tables, RAM without stack) in an ELF.

    Initialised data counts in flash and in RAM.
    """
    flash = vectors = ram = 0
    for section in read_elf(path).sections:
        if not section.flags & ALLOC:
            continue
        if section.name == ".vectors":
            vectors += section.size
            continue
        if section.kind != NOBITS:
            flash += section.size
        if section.flags & WRITE and not section.name.startswith(".text"):
            ram += section.size
    return flash, vectors, ram
