# SPDX-License-Identifier: Apache-2.0
"""The constants of ``kernel/contract``, read as bytes by the rules of each processor's ABI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from carillon.elf import AVR, UnreadableError
from carillon.verify.elf import Elf

_STORES = ("prepare", "restart", "start", "align", "finish", "stop")
_LISTS = ("levels", "multiplexes", *_STORES)
_COUNTS = (*_LISTS, "tasks", "waiting")
LONGEST = 1 << 16
"""No list is longer: a pointer that goes elsewhere is told from a list."""


@dataclass(frozen=True, slots=True)
class Store:
    """A write of ``value``; ``place`` is where the store itself stands in the image."""

    address: int
    value: int
    place: int


@dataclass(frozen=True, slots=True)
class MultiplexStart:
    """``steps`` are the intervals from the first step on, around the circle once, each with the turns before it.

    ``laps``: turns before the first point.
    """

    multiplex: int
    register: int
    steps: tuple[tuple[int, int], ...]
    first: int
    laps: int
    due: int | None
    source: int | None

    @property
    def waits(self) -> bool:
        """Whether the cell also expires at other times than its points."""
        return self.laps > 0 or any(laps for _, laps in self.steps)


@dataclass(frozen=True, slots=True)
class ControlTable:
    """How a mode is left."""

    counter: int
    target: int
    forget: Store
    enable: Store


@dataclass(frozen=True, slots=True)
class ModeTable:
    """A ``struct carillon_mode``."""

    vectors: int
    levels: tuple[tuple[int, int], ...]
    multiplexes: tuple[MultiplexStart, ...]
    prepare: tuple[Store, ...]
    restart: tuple[Store, ...]
    start: tuple[Store, ...]
    align: tuple[Store, ...]
    finish: tuple[Store, ...]
    stop: tuple[Store, ...]
    control: ControlTable | None
    tasks: tuple[int, ...]
    waiting: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A ``struct carillon_entry`` of ``kernel/contract/table.h``; ``action`` is a number of ``kernel/contract/action.h``."""

    function: int
    mask: int
    object: int
    action: int


@dataclass(frozen=True, slots=True)
class SyncTable:
    """A ``struct carillon_sync`` of ``kernel/contract/sync.h``."""

    cells: tuple[Store, ...]
    hold: tuple[Store, ...]
    release: tuple[Store, ...]
    counter: int
    latest: int
    length: int
    at: int
    lengthen: int
    shorten: int
    source: int


class Reader:
    """Reads structures member by member."""

    def __init__(self, elf: Elf, at: int) -> None:
        self.elf, self.begin, self.at = elf, at, at

    def take(self, size: int) -> int:
        """The next member, of ``size`` bytes, after the padding of its type."""
        step = min(size, self.elf.align)
        self.at += -(self.at - self.begin) % step
        value = self.elf.number(self.at, size)
        self.at += size
        return value

    def truth(self) -> bool:
        """The next member, a byte that is 0 or 1; UnreadableError for other values."""
        value = self.take(1)
        if value > 1:
            raise UnreadableError(f"the byte at {self.at - 1:#x} is {value}, and is to be 0 or 1")
        return bool(value)

    def members(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """The next members by their names, each of its size."""
        return {name: self.take(size or self.elf.pointer) for name, size in sizes.items()}

    def pointer(self) -> int:
        """The next member, a pointer."""
        return self.take(self.elf.pointer)


POINTER = 0
"""Instead of a size: that of a pointer."""


def otherwise(row: Mapping[str, int], expected: Mapping[str, int]) -> str:
    """The members of a row that differ from the expected values; empty if all are equal."""
    wrong = ((name, value) for name, value in expected.items() if row[name] != value)
    return "; ".join(f"{name} {row[name]}, and the schedule says {value:d}" for name, value in wrong)


def rows_of(elf: Elf, name: str, size: int = 0, count: int = 0) -> list[Reader]:
    """A reader per row of a table; none if the table is absent, or does not have ``count`` rows of ``size`` bytes."""
    symbol = elf.symbols.get(name)
    if symbol is None or not symbol.size:
        return []
    size = size or symbol.size // max(count, 1)
    if count and symbol.size != size * count:
        return []
    return [Reader(elf, symbol.address + at * size) for at in range(symbol.size // size)]


class Tables:
    """Everything of the contract in an image."""

    def __init__(self, elf: Elf) -> None:
        self.elf = elf
        self.word = 2 if elf.machine == AVR else 4
        """Bytes of a carillon_address and a carillon_value."""

    def mode_size(self) -> int:
        """Bytes of a struct carillon_mode."""
        return self.elf.padded(11 * self.elf.pointer + 10 * 2, self.elf.pointer)

    def modes(self, count: int) -> tuple[ModeTable, ...]:
        """carillon_modes."""
        symbol = self.elf.symbol("carillon_modes")
        if symbol.size != count * self.mode_size():
            raise UnreadableError(f"carillon_modes has {symbol.size} bytes, and {count} modes have {count * self.mode_size()}")
        return tuple(self.mode(symbol.address + k * self.mode_size()) for k in range(count))

    def mode(self, at: int) -> ModeTable:
        """The struct carillon_mode at an address."""
        reader = Reader(self.elf, at)
        vectors = reader.pointer()
        said = {name: reader.pointer() for name in _LISTS}
        control = reader.pointer()
        said["tasks"] = reader.pointer()
        counts = {name: reader.take(2) for name in _COUNTS}
        for name, pointer in said.items():
            if pointer and not counts[name]:
                raise UnreadableError(f"the list '{name}' at {pointer:#x} has no entries")
        if counts["waiting"] > counts["tasks"]:
            raise UnreadableError(f"of {counts['tasks']} sources, {counts['waiting']} are to be asked whether they wait")
        pointers = {name: self.elf.data(pointer) for name, pointer in said.items()}
        sizes = {"levels": 4, "tasks": 2} | dict.fromkeys(_STORES, 2 * self.word)
        for name, size in sizes.items():
            self.measure(pointers[name], counts[name] * size)
        return ModeTable(
            vectors=vectors,
            levels=tuple(self._pairs(pointers["levels"], counts["levels"])),
            multiplexes=tuple(self._multiplexes(pointers["multiplexes"], counts["multiplexes"])),
            **{name: self.stores(pointers[name], counts[name]) for name in _STORES},
            control=self._control(self.elf.data(control)) if control else None,
            tasks=tuple(self.elf.number(pointers["tasks"] + 2 * k, 2) for k in range(counts["tasks"])),
            waiting=counts["waiting"],
        )

    def measure(self, at: int, size: int) -> None:
        """UnreadableError if a list of so many bytes does not begin where a name stands, or is longer than what has the name."""
        symbol = self.elf.around(at) if size else None
        if size and (symbol is None or symbol.address != at or symbol.size < size):
            has = f"'{symbol.name}' has {symbol.size} bytes at {symbol.address:#x}" if symbol is not None else "no list is there"
            raise UnreadableError(f"a list of {size} bytes is said to be at {at:#x}, and {has}")

    def listed(self, at: int, count: int) -> tuple[Store, ...]:
        """A list of stores with a name of its own."""
        self.measure(at, count * 2 * self.word)
        return self.stores(at, count)

    def stores(self, at: int, count: int) -> tuple[Store, ...]:
        """A list of struct carillon_store, or of struct carillon_shift, which looks alike."""
        word = self.word
        return tuple(
            Store(self.elf.number(p, word), self.elf.number(p + word, word), p)
            for p in range(at, at + count * 2 * word, 2 * word)
        )

    def store(self, reader: Reader) -> Store:
        """A struct carillon_store within another struct."""
        address, value = reader.take(self.word), reader.take(self.word)
        return Store(address, value, reader.at)

    def _pairs(self, at: int, count: int) -> list[tuple[int, int]]:
        return [(self.elf.number(at + 4 * k, 2), self.elf.number(at + 4 * k + 2, 2)) for k in range(count)]

    def _control(self, at: int) -> ControlTable:
        reader = Reader(self.elf, at)
        counter, target = reader.take(self.word), reader.take(self.word)
        forget, enable = self.stores(reader.at, 2)
        return ControlTable(counter, target, forget, enable)

    def _multiplexes(self, at: int, count: int) -> list[MultiplexStart]:
        starts = []
        for _ in range(count):
            reader = Reader(self.elf, at)
            multiplex, first = self.elf.data(reader.pointer()), self.elf.data(reader.pointer())
            size = self.elf.padded(self.elf.pointer + self.word, self.elf.pointer)
            symbol = self.elf.around(multiplex)
            # Turns are counted in two bytes more, and a timekeeper takes the time and two bytes more.
            lapped = symbol is not None and self.elf.machine == AVR and symbol.size == size + 2
            timed = symbol is not None and symbol.size > size and not lapped
            laps = reader.take(2) if lapped else 0
            due = reader.take(self.word) if timed else None
            at += self.elf.padded(reader.at - at, self.elf.pointer)
            inside = Reader(self.elf, multiplex)
            inside.pointer()
            register = inside.take(self.word)
            if timed:
                inside.take(self.word)
            source = inside.take(2) if timed else None
            starts.append(MultiplexStart(multiplex, register, self.steps(first, lapped), first, laps, due, source))
        return starts

    def steps(self, first: int, lapped: bool) -> tuple[tuple[int, int], ...]:
        """The intervals of a circle of struct carillon_step, each with the turns before it."""
        intervals: list[tuple[int, int]] = []
        at, seen = first, set[int]()
        while at not in seen:
            if len(seen) == LONGEST:
                raise UnreadableError(f"the steps at {first:#x} have no end")
            seen.add(at)
            reader = Reader(self.elf, at)
            following = self.elf.data(reader.pointer())
            intervals.append((reader.take(self.word), reader.take(2) if lapped else 0))
            at = following
        if at != first:
            raise UnreadableError(f"the steps at {first:#x} do not lead back to the first")
        return tuple(intervals)

    def tick(self, step: int) -> tuple[Entry, ...]:
        """The entries of a table that are due in the tick whose first step is at an address."""
        entries: list[Entry] = []
        reader = Reader(self.elf, step)
        while len(entries) < LONGEST:
            begin = reader.at
            reader.pointer()
            reader.take(self.word)
            function = self.elf.code(reader.pointer())
            entry = Entry(function, reader.take(self.word), reader.take(2), reader.take(1))
            entries.append(entry)
            if not reader.take(1):
                return tuple(entries)
            reader.at = begin + self.elf.padded(reader.at - begin, self.elf.pointer)
        raise UnreadableError(f"the entries of the tick at {step:#x} have no end")

    def circle(self, first: int) -> tuple[int, ...]:
        """The addresses of a circle of struct carillon_step, from the first on."""
        circle: list[int] = []
        at = first
        while at not in circle[:1]:
            if len(circle) == LONGEST:
                raise UnreadableError(f"the steps at {first:#x} have no end")
            circle.append(at)
            at = self.elf.data(Reader(self.elf, at).pointer())
        return tuple(circle)

    def time_bases(self, count: int) -> tuple[tuple[int, int, int], ...] | None:
        """carillon_time_bases: counter, phase, length of each mode; None where nobody asks for the time."""
        symbol = self.elf.symbols.get("carillon_time_bases")
        if symbol is None:
            return None
        reader = Reader(self.elf, symbol.address)
        return tuple((reader.take(self.word), reader.take(self.word), reader.take(4)) for _ in range(count))

    def syncs(self, count: int) -> tuple[SyncTable, ...]:
        """carillon_syncs, of each mode; empty where there is none."""
        symbol = self.elf.symbols.get("carillon_syncs")
        if symbol is None:
            return ()
        tables: list[SyncTable] = []
        reader = Reader(self.elf, symbol.address)
        while len(tables) < count:
            lists = [self.elf.data(reader.pointer()) for _ in range(3)]
            counter, latest = reader.take(self.word), reader.take(self.word)
            length, at, lengthen, shorten, _ = (reader.take(4) for _ in range(5))
            counts = [reader.take(2) for _ in range(3)]
            source = reader.take(2)
            cells, hold, release = (self.listed(a, n) for a, n in zip(lists, counts, strict=True))
            tables.append(SyncTable(cells, hold, release, counter, latest, length, at, lengthen, shorten, source))
            reader.at = reader.begin + self.elf.padded(reader.at - reader.begin, self.elf.pointer)
        return tuple(tables)

    def vector(self, table: int, source: int, system_vectors: int) -> int:
        """The address of the function that a source's vector is."""
        if self.elf.machine == AVR:
            return self._jump(4 * source)
        size = self.elf.pointer
        return self.elf.code(self.elf.number(table + size * source, size))

    def _jump(self, at: int) -> int:
        first, second = self.elf.number(at, 2), self.elf.number(at + 2, 2)
        if first & 0xFE0E != 0x940C:
            raise UnreadableError(f"the vector at {at:#x} is no jump")
        return 2 * (((first & 0x1F0) >> 3 | first & 1) << 16 | second)
