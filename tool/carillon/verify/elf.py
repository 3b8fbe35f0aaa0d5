# SPDX-License-Identifier: Apache-2.0
"""An ELF file as ``verify`` reads it: bytes by address, and symbols.  Standard: System V ABI, chapter 4."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from carillon.elf import ALLOC, ARM, AVR, FINI_ARRAY, INIT_ARRAY, PROGBITS, Symbol, UnreadableError, read_elf, unwrapped
from carillon.verify.layout import ARRAY, FUNCTION, POINTER, VARIABLE, Layouts, Row, Type


class Elf:
    """A linked image, little-endian."""

    def __init__(self, path: Path) -> None:
        file = read_elf(path)
        self._content = file.data
        self.machine = file.machine
        self.pointer = 8 if file.wide else 2 if self.machine == AVR else 4
        self._parts = sorted(
            (s.address, file.data[s.start : s.start + s.size])
            for s in file.sections
            if s.kind in (PROGBITS, INIT_ARRAY, FINI_ARRAY) and s.flags & ALLOC and s.size
        )
        self._starts = [address for address, _ in self._parts]
        symbols = unwrapped([s for s in file.symbols if not s.name.startswith("$")])  # marks of Arm's and RISC-V's assemblers
        self.symbols = {s.name: s for s in symbols}
        self.by_address: dict[int, list[Symbol]] = {}
        for s in symbols:
            self.by_address.setdefault(s.address, []).append(s)
        sized = sorted((s for s in symbols if s.size), key=lambda s: s.address)
        self._sized, self._sized_at = sized, [s.address for s in sized]

    def bytes_at(self, address: int, size: int) -> bytes:
        """The image's bytes at ``address``; UnreadableError if it has none, as in memory that is cleared at start."""
        k = bisect_right(self._starts, address) - 1
        if k >= 0:
            start, part = self._parts[k]
            if address + size <= start + len(part):
                return part[address - start : address - start + size]
        raise UnreadableError(f"the image has nothing at {address:#x}")

    def contents(self, low: int, high: int) -> Iterator[tuple[int, bytes]]:
        """What the image has between two addresses, each part with where it begins."""
        for start, part in self._parts:
            if start < high and low < start + len(part):
                yield max(start, low), part[max(low - start, 0) : high - start]

    def is_cleared(self, at: int) -> bool:
        """Whether the image has no bytes for an address: the start clears it."""
        return not any(start <= at < start + len(part) for start, part in self._parts)

    def number(self, address: int, size: int) -> int:
        """An unsigned number."""
        return int.from_bytes(self.bytes_at(address, size), "little")

    # Tables, as the image's debug information lays them out.

    @cached_property
    def layouts(self) -> Layouts:
        """The types of the image's variables."""
        return Layouts(self._content)

    def value(self, of: Type, at: int) -> int:
        """A number, a truth, or where a pointer leads, at an address; UnreadableError for a truth that is neither 0 nor 1."""
        number = self.number(at, of.size)
        if of.truth and number > 1:
            raise UnreadableError(f"the byte at {at:#x} is {number}, and is to be 0 or 1")
        if of.tag != POINTER or not number or of.target is None:
            return number
        return self.code(number) if of.target.tag == FUNCTION else self.data(number)

    def _elements(self, name: str) -> list[tuple[Type, int]]:
        """The elements of a variable that is an array, or the variable itself, with their addresses; none if it is absent."""
        symbol = self.symbols.get(name)
        if symbol is None:
            return []
        of = self.layouts.named(VARIABLE, name)
        of = of.target if of.tag == ARRAY and of.target is not None else of
        if not of.size or symbol.size % of.size:
            raise UnreadableError(f"'{name}' has {symbol.size} bytes, and rows of {of.size}")
        return [(of, at) for at in range(symbol.address, symbol.address + symbol.size, of.size)]

    def rows(self, name: str, count: int = 0) -> list[Row]:
        """The rows of a table; none if the image has no such table, UnreadableError if it has others than ``count``."""
        found = [Row(self, of, at) for of, at in self._elements(name)]
        if count and found and len(found) != count:
            raise UnreadableError(f"'{name}' has {len(found)} rows, and is to have {count}")
        return found

    def table(self, name: str, count: int) -> list[Row]:
        """The same of a table that must be there."""
        self.symbol(name)
        return self.rows(name, count)

    def leads(self, name: str) -> list[Row | None]:
        """What each pointer of a table leads to."""
        pointers = [(of, self.value(of, at)) for of, at in self._elements(name)]
        return [Row(self, of.target, at) if of.target is not None and at else None for of, at in pointers]

    def values(self, name: str) -> list[int]:
        """The numbers of a table, or where its pointers lead; none if the image has no such table."""
        return [self.value(of, at) for of, at in self._elements(name)]

    def row(self, name: str) -> Row:
        """A variable that is a structure; UnreadableError if there is none."""
        self.symbol(name)
        return self.rows(name)[0]

    def measure(self, at: int, size: int) -> None:
        """UnreadableError if a list of so many bytes does not begin where a name stands, or is longer than what has the name."""
        symbol = self.around(at)
        if symbol is None or symbol.address != at or symbol.size < size:
            has = f"'{symbol.name}' has {symbol.size} bytes at {symbol.address:#x}" if symbol is not None else "no list is there"
            raise UnreadableError(f"a list of {size} bytes is said to be at {at:#x}, and {has}")

    def symbol(self, name: str) -> Symbol:
        """The symbol of that name; UnreadableError if there is none."""
        symbol = self.symbols.get(name)
        if symbol is None:
            raise UnreadableError(f"the image has no '{name}'")
        return symbol

    def data(self, pointer: int) -> int:
        """Where in the file's address space a pointer to data points."""
        return pointer + 0x800000 if self.machine == AVR else pointer

    def code(self, pointer: int) -> int:
        """Where in the file's address space a pointer to a function points; of Arm without the bit 0 of Thumb, nowhere (-1)."""
        if self.machine == ARM:
            return pointer - 1 if pointer & 1 else -1
        return pointer * 2 if self.machine == AVR else pointer

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
