# SPDX-License-Identifier: Apache-2.0
"""What stores into a cell's registers make it do, a file for each family of ``cells/``.

Each file is written from the device's manual and the family's documentation, and shares nothing with the macros that
wrote the stores.  A family that has no file here is not verified, and ``verify`` says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from typing import ClassVar, NamedTuple

from carillon.model.board import Board, Cells
from carillon.verify.elf import Elf

BEFORE = None
"""The time of a store that is made before the first start store, while cells stand still."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell of the board: ``number`` counts its family's, ``rate`` is its clock's units (not prescaled) in a tick.

    ``registers``: where the board has those that the family's manual cannot know.
    """

    number: int
    name: str
    source: int
    array: Cells
    rate: Fraction
    registers: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Cell:
    """A cell as the stores so far have left it.

    ``started`` in ticks since the first start store, None while it stands still.  ``first`` and ``again`` in units: from
    the start to the first expiry, and from each to the next.  ``lets``: whether its own mask lets it interrupt.  ``arms``: the
    sources of cells that its expiry lets interrupt.  ``told``: a store says which.
    """

    place: Place
    started: Fraction | None = None
    first: int | None = None
    again: int | None = None
    prescaler: int = 1
    lets: bool = True
    arms: frozenset[int] = frozenset()
    told: bool = False
    registers: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.place.name} (source {self.place.source})"

    def ticks(self, units: int) -> Fraction:
        """Units of the cell in ticks."""
        return Fraction(units * self.prescaler) / self.place.rate

    @property
    def mute(self) -> bool:
        """Whether its own mask keeps it from asking for a source that only the controller lets in and holds back."""
        return self.place.array.request_enable == "controller" and not self.lets

    @property
    def begins(self) -> Fraction | None:
        """The first expiry, in ticks since the first start store; None if the cell does not run."""
        if self.started is None or self.first is None:
            return None
        return self.started + self.ticks(self.first)


class Match(NamedTuple):
    """A match that keeps budgets, and its free counter: their registers, which have so many ``bits``.

    ``further``: how much further ahead it is set than it is asked for.  ``again``: the counter is read again, and the match set
    again if that has ticked.  ``forgets``: what the cell has asked for is forgotten then.
    """

    counter: int
    register: int
    bits: int = 32
    further: int = 0
    again: bool = True
    forgets: bool = False


def counted(value: int) -> int:
    """What a counter of 32 bits holds after an addition: sums wrap, so an interval of any length fits."""
    return value & 0xFFFF_FFFF


class Family:
    """All cells of one family on a board."""

    actions: ClassVar[Mapping[tuple[int, int], str]] = {}
    """What a handler's store of a value to one of a cell's own registers does, of a family that has them; "other": any other."""
    values: ClassVar[Mapping[int, Sequence[int]]] = {}
    """Of such registers, the values that the documents give a meaning for what cells are for; any, of the others."""
    remembers = False
    """Whether a cell whose interrupt is disabled asks for it once that is enabled, if it has expired meanwhile."""
    resets = False
    """Whether each handler must set the next expiry, because the device has no reload."""

    steps = False
    """Whether a handler re-arms a cell by a store of what a step adds, and of those that it skips, to the re-arming register."""

    def __init__(self, places: Sequence[Place], elf: Elf, board: Board, defines: Mapping[str, int]) -> None:
        self.elf, self.board, self.defines = elf, board, defines
        self.cells = {p.number: Cell(p) for p in places}
        self.prepare()

    bank: tuple[str, int] | None = None
    """The name of the register at which a cell's own begin, and their bytes, of a family that has them for each cell."""

    def prepare(self) -> None:
        """What a subclass works out once."""

    @property
    def triggered(self) -> tuple[str, int] | None:
        """Where a timer of the application starts the cells: it, and ticks from its trigger to there; None: a store does."""
        return None

    def place(self, address: int) -> tuple[Cell, int] | None:
        """The cell with a register at ``address``, and the register's offset from the cell's first register."""
        name, size = self.bank or ("", 0)
        return next(((c, r) for c in self.cells.values() if size and 0 <= (r := address - c.place.registers[name]) < size), None)

    def cell_at(self, address: int, register: int) -> Cell | None:
        """The cell whose register with this offset is at ``address``."""
        found = self.place(address)
        return found[0] if found is not None and found[1] == register else None

    def told(self, cell: Cell) -> Mapping[str, int]:
        """The registers that the board's file gives for a cell; empty where a manual, or another document, gives them."""
        return cell.place.registers

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        """A store at a time since the first start store, or BEFORE; False: it is no register of these cells."""
        found = self.place(address)
        return found is not None and self.stored(*found, value, at)

    def stored(self, cell: Cell, register: int, value: int, at: Fraction | None) -> bool:
        """The same, to one of a cell's own registers."""
        raise NotImplementedError

    def means(self, address: int, value: int) -> bool:
        """Whether a store to a cell's register has a value that makes sense for the use of cells."""
        found = self.place(address) if self.values else None
        return found is None or value in self.values.get(found[1], (value,))

    def replaced(self, address: int) -> dict[int, int]:
        """By number, the bits of cells that a store to a register overwrites; empty if a store changes one cell."""
        return {}

    def holds(self, address: int) -> int:
        """What a register with the bits of several cells reads; 0 for another."""
        return 0

    def shift(self, address: int, units: int) -> bool:
        """An addition to a running counter, by the port's list of shifts; False: no counter of these cells."""
        return False

    def counter(self, address: int) -> Cell | None:
        """The cell whose down counter a register is."""
        return None

    def match_of(self, cell: Cell) -> Match | None:
        """Of a cell whose match keeps budgets, the registers of both; None of others."""
        return None

    def turn(self, address: int) -> tuple[list[Cell], int]:
        """The cells of the timer whose turn a register says, and what the register holds; no cells: it is another register."""
        return [], 0

    def bit_of(self, cell: Cell) -> int:
        """By which a handler knows a cell of a round that follows a global time; 0 of families whose handlers need not."""
        return 0

    def length(self, address: int) -> Cell | None:
        """The cell whose length register it is, of those that can be the sync cell of a round of matches."""
        return None

    def begins_anew(self, cell: Cell) -> Fraction | None:
        """When a channel's timer first begins its turn anew, in ticks since the first start store; None: it is no channel."""
        return None

    def rearmed(self, register: int) -> Cell | None:
        """The cell whose re-arming register it is."""
        return None

    def reload(self, cell: Cell) -> int:
        """Where a handler that re-arms a cell by steps reads the cell's period."""
        raise NotImplementedError

    def following(self, cell: Cell, steps: Sequence[int], count: int) -> list[int]:
        """The ``count`` intervals of a re-armed cell after its first expiry, in units; 0 if it must not be re-armed."""
        return [0] * count

    def postponed(self, step: int) -> int:
        """The units by which a step moves a counter that has not expired; 0 where the family cannot do this."""
        return 0

    def flag(self, address: int) -> Cell | None:
        """The cell whose pending and enabled interrupt a register shows; None if the register shows none."""
        return None

    def bit(self, address: int, mask: int) -> Cell | None:
        """The same of some bits of a register that shows the interrupts of several cells."""
        return None

    @staticmethod
    def armed_later(cell: Cell, match: int, turn: int) -> int:
        """The first expiry; of a match that a handler moves on when it lets the cell interrupt, perhaps one before the start."""
        return match - turn if not cell.lets and turn - (cell.again or 0) <= match < turn else match

    def settles(self, address: int) -> bool:
        """Whether a load of this register makes sure that stores to the device have arrived."""
        return False

    def access(self, address: int, value: int | None) -> tuple[str, Cell] | None:
        """The effect of a handler's store: "acknowledge", "arm", "disarm", "set" (the next expiry); None: no cell's."""
        found = self.place(address) if self.actions else None
        return (self.actions.get((found[1], -1 if value is None else value), "other"), found[0]) if found is not None else None


class AddedTo(Family):
    """Down counters, the first of a cell's own registers, to which the kernel adds while they run."""

    align_apart = rearm_apart = 0
    """Units from the load of a counter to the store of the sum: of a mode's start, and of a handler that re-arms the cell."""

    def shift(self, address: int, units: int) -> bool:
        cell = self.counter(address)
        if cell is None or cell.first is None:
            return False
        cell.first = counted(cell.first + units + self.align_apart)
        return True

    def counter(self, address: int) -> Cell | None:
        return self.cell_at(address, 0)

    def rearmed(self, register: int) -> Cell | None:
        return self.counter(register)

    def following(self, cell: Cell, steps: Sequence[int], count: int) -> list[int]:
        return [counted((cell.again or 0) + steps[k % len(steps)] + self.rearm_apart) for k in range(count)]

    def postponed(self, step: int) -> int:
        return counted(step + self.rearm_apart)


class Moved(Family):
    """Matches of a counter without a reload: a handler adds the period, a variable of the driver, or the next interval."""

    remembers = True
    resets = True
    own: tuple[str, int] = "", 0
    """The name of the register at which a timer of several cells begins, and how many bytes it has."""

    def prepare(self) -> None:
        family = next(iter(self.cells.values())).place.array.family.name
        variable = self.elf.symbols.get(f"{family}_periods")
        self._periods = variable.address if variable is not None else -1
        for cell in self.cells.values():
            cell.lets = False

    def timer(self, address: int) -> tuple[list[Cell], int]:
        """The cells of the timer that has the address, and the register's offset."""
        name, size = self.own
        base = address & ~(size - 1)
        return [c for c in self.cells.values() if c.place.registers[name] == base], address - base

    def period(self, address: int, value: int) -> bool:
        """A store of a period to the driver's variable; False: it is another one."""
        index = (address - self._periods) // 4
        if self._periods < 0 or address != self._periods + 4 * index or index not in self.cells:
            return False
        self.cells[index].again = value
        return True

    def following(self, cell: Cell, steps: Sequence[int], count: int) -> list[int]:
        return [steps[k % len(steps)] for k in range(count)]


def families(
    places: Mapping[str, Sequence[Place]], elf: Elf, board: Board, defines: Mapping[str, int]
) -> tuple[dict[str, Family], list[str]]:
    """The models of a board's families, and the families that have none."""
    models: dict[str, Family] = {}
    unknown = []
    for name, family_places in places.items():
        try:
            module = import_module(f"carillon.verify.families.{name}")
        except ModuleNotFoundError:
            unknown.append(name)
            continue
        models[name] = module.Model(family_places, elf, board, defines)
    return models, unknown
