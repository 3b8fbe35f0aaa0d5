# SPDX-License-Identifier: Apache-2.0
"""ELF files: sections and symbols, little-endian.  Standard: System V ABI, chapter 4.

``build`` and ``run`` look here for names and sizes, ``verify`` for bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

ARM, AVR, RISCV, X86_64 = 40, 83, 243, 62
PROGBITS, SYMTAB, NOBITS, INIT_ARRAY, FINI_ARRAY = 1, 2, 8, 14, 15
WRITE, ALLOC, EXECUTED = 1, 2, 4
FUNCTION = 2
LOCAL = 0
LOAD = 1


class UnreadableError(Exception):
    """A file is no ELF file, or damaged; or an image lacks something that a reader of it needs."""


@dataclass(frozen=True, slots=True)
class Section:
    """``kind`` and ``flags``: the standard's sh_type and sh_flags; ``start``: where its bytes are in the file."""

    name: str
    kind: int
    flags: int
    address: int
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named and defined symbol; ``address`` of a function is without the Thumb bit."""

    name: str
    address: int
    size: int
    function: bool
    local: bool


@dataclass(frozen=True, slots=True)
class ElfFile:
    """``data``: all bytes of the file; ``wide``: whether it is of 64 bits; ``undefined``: names that others are to define."""

    data: bytes
    machine: int
    wide: bool
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    undefined: tuple[str, ...] = ()

    @property
    def loaded(self) -> list[tuple[int, bytes]]:
        """What an image of 32 bits has in memory before it runs, and where: at the addresses of loading."""
        offset, size, count = *struct.unpack_from("<I", self.data, 28), *struct.unpack_from("<HH", self.data, 42)
        headers = [struct.unpack_from("<5I", self.data, offset + k * size) for k in range(count)]
        return [(at, self.data[start : start + length]) for kind, start, _, at, length in headers if kind == LOAD and length]


WRAP, REAL = "__wrap_", "__real_"


def unwrapped(symbols: Iterable[Symbol]) -> list[Symbol]:
    """The symbols as those of an image in which nothing stands in the place of a function (the linker's ``--wrap``).

    What stands in a function's place has the function's name, and the function that of the real one.
    """
    listed = list(symbols)
    wrapped = {s.name.removeprefix(WRAP) for s in listed if s.name.startswith(WRAP)}
    names = {name: REAL + name for name in wrapped} | {WRAP + name: name for name in wrapped}
    return [replace(s, name=names.get(s.name, s.name)) for s in listed] if wrapped else listed


def read_elf(path: Path) -> ElfFile:
    """Sections and symbols of an object file or an image; UnreadableError if it is none, or damaged."""
    data = path.read_bytes()
    if data[:4] != b"\x7fELF" or len(data) < 52 or data[5] != 1:
        raise UnreadableError(f"{path} is no little-endian ELF file")
    wide = data[4] == 2
    machine: int = struct.unpack_from("<H", data, 18)[0]
    try:
        sections, symbols, undefined = _sections(data, wide, machine)
    except (struct.error, UnicodeDecodeError, IndexError, ValueError) as error:
        raise UnreadableError(f"{path} is damaged: {error}") from error
    return ElfFile(data, machine, wide, tuple(sections), tuple(symbols), tuple(undefined))


def _sections(data: bytes, wide: bool, machine: int) -> tuple[list[Section], list[Symbol], list[str]]:
    offset, entry = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)[0], 64 if wide else 40
    count, named = struct.unpack_from("<HH", data, 60 if wide else 48)
    form = "<IIQQQQII" if wide else "<IIIIIIII"
    headers = [struct.unpack_from(form, data, offset + k * entry) for k in range(count)]
    names = headers[named][4] if count else 0
    sections = [Section(_string(data, names + h[0]), h[1], h[2], h[3], h[4], h[5]) for h in headers]
    symbols: list[Symbol] = []
    undefined: list[str] = []
    for _, kind, _, _, start, size, link, _ in headers:
        if kind == SYMTAB:
            symbols, undefined = _symbols(data, start, size, headers[link][4], wide, machine)
    return sections, symbols, undefined


def _symbols(data: bytes, start: int, size: int, names: int, wide: bool, machine: int) -> tuple[list[Symbol], list[str]]:
    found, undefined = [], []
    for entry in struct.iter_unpack("<IBBHQQ" if wide else "<IIIBBH", data[start : start + size]):
        if wide:
            name, info, _, section, value, length = entry
        else:
            name, value, length, info, _, section = entry
        if not name:
            continue
        if not section:
            undefined.append(_string(data, names + name))
            continue
        function = info & 15 == FUNCTION
        if machine == ARM and function:
            value &= ~1
        found.append(Symbol(_string(data, names + name), value, length, function, info >> 4 == LOCAL))
    return found, undefined


def _string(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()
