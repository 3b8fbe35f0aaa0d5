# SPDX-License-Identifier: Apache-2.0
"""An ELF file as ``verify`` reads it: bytes by address, and symbols.  Standard: System V ABI, chapter 4."""

from __future__ import annotations

import struct
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

ARM, AVR, RISCV, X86_64 = 40, 83, 243, 62
_PROGBITS, _SYMTAB, _INIT_ARRAY, _FINI_ARRAY = 1, 2, 14, 15
_ALLOC = 2
_FUNCTION = 2


class UnreadableError(Exception):
    """The image lacks something that the contract says it has, or has something that no rule reads."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """``address`` of a function is without the Thumb bit."""

    name: str
    address: int
    size: int
    function: bool


class Elf:
    """A linked image, little-endian."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        if data[:4] != b"\x7fELF" or len(data) < 52 or data[5] != 1:
            raise UnreadableError(f"{path} is no little-endian ELF file")
        wide = data[4] == 2
        self.machine: int = struct.unpack_from("<H", data, 18)[0]
        self.pointer = 8 if wide else 2 if self.machine == AVR else 4
        self.align = 1 if self.machine == AVR else 8
        """What no type of the ABI is aligned to more than."""
        try:
            self._read(data, wide)
        except (struct.error, UnicodeDecodeError, IndexError) as error:
            raise UnreadableError(f"{path} is damaged: {error}") from error

    def _read(self, data: bytes, wide: bool) -> None:
        offset, entry = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)[0], 64 if wide else 40
        count = struct.unpack_from("<H", data, 60 if wide else 48)[0]
        form = "<IIQQQQII" if wide else "<IIIIIIII"
        sections = [struct.unpack_from(form, data, offset + k * entry) for k in range(count)]
        self._parts: list[tuple[int, bytes]] = []
        symbols: list[Symbol] = []
        for _, kind, flags, address, start, size, link, _ in sections:
            if kind in (_PROGBITS, _INIT_ARRAY, _FINI_ARRAY) and flags & _ALLOC and size:
                self._parts.append((address, data[start : start + size]))
            if kind == _SYMTAB:
                names = sections[link][4]
                symbols = self._symbols(data, start, size, names, wide)
        self._parts.sort()
        self._starts = [address for address, _ in self._parts]
        self.symbols = {s.name: s for s in symbols}
        self.by_address: dict[int, list[Symbol]] = {}
        for s in symbols:
            self.by_address.setdefault(s.address, []).append(s)
        sized = sorted((s for s in symbols if s.size), key=lambda s: s.address)
        self._sized, self._sized_at = sized, [s.address for s in sized]

    def _symbols(self, data: bytes, start: int, size: int, names: int, wide: bool) -> list[Symbol]:
        found = []
        step = 24 if wide else 16
        for at in range(start, start + size, step):
            if wide:
                name, info, _, section, value, length = struct.unpack_from("<IBBHQQ", data, at)
            else:
                name, value, length, info, _, section = struct.unpack_from("<IIIBBH", data, at)
            if not name or not section:
                continue
            text = data[names + name : data.index(b"\0", names + name)].decode()
            if text[0] == "$":  # the marks of Arm's and RISC-V's assemblers
                continue
            function = info & 15 == _FUNCTION
            if self.machine == ARM and function:
                value &= ~1
            found.append(Symbol(text, value, length, function))
        return found

    def bytes_at(self, address: int, size: int) -> bytes:
        """What the image holds there; UnreadableError if it holds nothing, as in memory that is cleared at start."""
        k = bisect_right(self._starts, address) - 1
        if k >= 0:
            start, part = self._parts[k]
            if address + size <= start + len(part):
                return part[address - start : address - start + size]
        raise UnreadableError(f"the image has nothing at {address:#x}")

    def number(self, address: int, size: int) -> int:
        """An unsigned number."""
        return int.from_bytes(self.bytes_at(address, size), "little")

    def symbol(self, name: str) -> Symbol:
        """The symbol of that name; UnreadableError if there is none."""
        found = self.symbols.get(name)
        if found is None:
            raise UnreadableError(f"the image has no '{name}'")
        return found

    def data(self, pointer: int) -> int:
        """Where in the file's address space a pointer to data points."""
        return pointer + 0x800000 if self.machine == AVR else pointer

    def code(self, pointer: int) -> int:
        """Where in the file's address space a pointer to a function points."""
        return pointer * 2 if self.machine == AVR else pointer & ~1 if self.machine == ARM else pointer

    def name_of(self, address: int) -> str:
        """What stands at an address, for a message."""
        here = self.by_address.get(address, [])
        functions = [s.name for s in here if s.function] or [s.name for s in here]
        plain = [n for n in functions if not n.startswith("__vector_")] or functions
        return plain[0] if plain else f"{address:#x}"

    def around(self, address: int) -> Symbol | None:
        """The symbol that has bytes at an address."""
        k = bisect_right(self._sized_at, address) - 1
        while k >= 0 and k >= bisect_right(self._sized_at, address) - 8:
            s = self._sized[k]
            if s.address <= address < s.address + s.size:
                return s
            k -= 1
        return None
