# SPDX-License-Identifier: Apache-2.0
"""What the tables of ``kernel/contract`` say of modes: lists of stores, circles of steps, entries of a round's table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from carillon.elf import AVR, UnreadableError
from carillon.verify.elf import Elf
from carillon.verify.layout import STRUCTURE, Row

LONGEST = 1 << 16
"""No list is longer: a pointer that goes elsewhere is told from a list."""


@dataclass(frozen=True, slots=True)
class Store:
    """A write of ``value``, or an addition of it; ``place`` is where the store itself stands in the image."""

    address: int
    value: int
    place: int


def store(row: Row) -> Store:
    """A ``struct carillon_store``, or a ``struct carillon_shift``."""
    address, value = row.values()
    return Store(address, value, row.address)


def stores(rows: Iterable[Row]) -> tuple[Store, ...]:
    """A list of them."""
    return tuple(map(store, rows))


@dataclass(frozen=True, slots=True)
class MultiplexStart:
    """``steps`` are the intervals from the first step on, around the circle once, each with the turns before it.

    ``laps``: turns before the first point.
    """

    multiplex: int
    register: int
    steps: tuple[tuple[int, int], ...]
    first: Row
    laps: int
    due: int | None
    source: int | None

    @property
    def waits(self) -> bool:
        """Whether the cell also expires at other times than its points."""
        return self.laps > 0 or any(laps for _, laps in self.steps)


_LISTS = {"levels": "level", "multiplexes": "multiplex", "tasks": "task"}
"""The lists of a mode that their count calls otherwise."""


@dataclass(frozen=True, slots=True)
class ModeTable:
    """A ``struct carillon_mode``, of the rounds or of the event-triggered system, and the lists that it leads to."""

    row: Row
    levels: tuple[tuple[int, int], ...]
    multiplexes: tuple[MultiplexStart, ...]
    tasks: tuple[int, ...]

    @staticmethod
    def read(row: Row) -> ModeTable:
        """All of it; UnreadableError if a list is not as long as is said."""
        for name in ("prepare", "restart", "start", "align", "finish", "stop", *_LISTS):
            if row[name] and not row[f"{_LISTS.get(name, name)}_count"]:
                raise UnreadableError(f"the list '{name}' at {row[name]:#x} has no entries")
        if row["waiting_count"] > row["task_count"]:
            raise UnreadableError(f"of {row['task_count']} sources, {row['waiting_count']} are to be asked whether they wait")
        levels = tuple((it["source"], it["level"]) for it in row.listed("levels", row["level_count"]))
        multiplexes = tuple(map(_multiplex, row.listed("multiplexes", row["multiplex_count"])))
        return ModeTable(row, levels, multiplexes, tuple(row.numbers("tasks", row["task_count"])))

    def stores(self, name: str) -> tuple[Store, ...]:
        """A list of stores: "prepare", "restart", "start", "align", "finish" or "stop"."""
        return stores(self.row.listed(name, self.row[f"{name}_count"]))

    @property
    def waiting(self) -> tuple[int, ...]:
        """The first of ``tasks``, which are asked whether they wait."""
        return self.tasks[: self.row["waiting_count"]]


def _multiplex(row: Row) -> MultiplexStart:
    multiplex, first = row.to("multiplex"), row.to("first")
    steps = tuple((step["interval"], step.get("laps")) for step in circle(first))
    due, source = (row["due"], multiplex["source"]) if "due" in row else (None, None)
    return MultiplexStart(multiplex.address, multiplex["reg"], steps, first, row.get("laps"), due, source)


def circle(first: Row) -> list[Row]:
    """A circle of steps, from the first on."""
    found, seen, at = [first], {first.address}, first.to("next")
    while at.address not in seen:
        if len(found) == LONGEST:
            raise UnreadableError(f"the steps at {first.address:#x} have no end")
        found.append(at)
        seen.add(at.address)
        at = at.to("next")
    if at.address != first.address:
        raise UnreadableError(f"the steps at {first.address:#x} do not lead back to the first")
    return found


def tick(step: Row) -> list[Row]:
    """The entries of a round's table that are due in the tick whose first step is this one (``kernel/contract/table.h``)."""
    of = step.elf.layouts.named(STRUCTURE, "carillon_entry")
    entries = [Row(step.elf, of, step.address)]
    while entries[-1]["more"]:
        if len(entries) == LONGEST:
            raise UnreadableError(f"the entries of the tick at {step.address:#x} have no end")
        entries.append(Row(step.elf, of, entries[-1].address + of.size))
    return entries


def otherwise(row: Row, expected: Mapping[str, int]) -> str:
    """The members of a row that differ from the expected values; empty if all are equal."""
    wrong = ((name, row[name], value) for name, value in expected.items() if row[name] != value)
    return "; ".join(f"{name} {found}, and the schedule says {value:d}" for name, found, value in wrong)


def vector(elf: Elf, table: int, source: int) -> int:
    """The address of the function that a source's vector is."""
    if elf.machine == AVR:
        return _jump(elf, 4 * source)
    return elf.code(elf.number(table + elf.pointer * source, elf.pointer))


def _jump(elf: Elf, at: int) -> int:
    first, second = elf.number(at, 2), elf.number(at + 2, 2)
    if first & 0xFE0E != 0x940C:
        raise UnreadableError(f"the vector at {at:#x} is no jump")
    return 2 * (((first & 0x1F0) >> 3 | first & 1) << 16 | second)
