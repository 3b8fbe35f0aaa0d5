# SPDX-License-Identifier: Apache-2.0
"""The hardware as the image's lists of stores leave it: cells that run, requests that are enabled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from carillon.elf import UnreadableError
from carillon.model import System
from carillon.verify.contract import ModeTable, MultiplexStart, Store, stores
from carillon.verify.controllers import Controller, controller
from carillon.verify.elf import Elf
from carillon.verify.families import BEFORE, Cell, Family, Match, Place, families


@dataclass(frozen=True, slots=True)
class Running:
    """A cell that a list has started: when it expires.

    ``times`` are ticks of the round, from 0 or before it to twice the round's length, ascending; ``period`` is that of its whole
    pattern.  ``odd``: an expiry that is between two ticks, None if there is none.  ``armed``: nothing holds its request back.
    """

    cell: Cell
    family: Family
    times: tuple[int, ...]
    period: Fraction
    odd: Fraction | None
    armed: bool
    multiplex: MultiplexStart | None

    @property
    def source(self) -> int:
        """Its interrupt source."""
        return self.cell.place.source

    def __str__(self) -> str:
        return str(self.cell)


def _state(cell: Cell) -> tuple[object, ...]:
    """What stores change of a cell."""
    return (cell.started, cell.first, cell.again, cell.prescaler, tuple(cell.registers.items()))


def _kept(elf: Elf) -> dict[int, int]:
    """Per register that starts store to, the bits that the kernel leaves unchanged."""
    kept: dict[int, int] = {}
    for store in stores(elf.rows("carillon_kept")):
        kept[store.address] = kept.get(store.address, 0) | store.value
    return kept


class Hardware:
    """A board's cells and its interrupt controller."""

    def __init__(self, system: System, elf: Elf) -> None:
        self.system, self.elf = system, elf
        board = system.board
        model = controller(board, elf)
        if model is None:
            raise UnreadableError(f"no rule reads the stores of port '{board.port}'")
        self.controller: Controller = model
        places: dict[str, list[Place]] = {}
        for array in board.cells:
            placed = places.setdefault(array.family.name, [])
            rate = Fraction(array.hz or system.clock_hz, system.clock_hz)
            for k, (name, source) in enumerate(zip(array.names, array.sources, strict=True)):
                placed.append(Place(len(placed), name, source, array, rate, {key: v[k] for key, v in array.registers.items()}))
        defines = {**board.defines, **board.clock(system.clock_hz).defines}
        self.families, self.unknown = families(places, elf, board, defines)
        self.kept = _kept(elf)
        self.reserved = [(cell, _state(cell)) for _, cell in self.cells if cell.place.name in board.reserved]
        self.aligned = elf.pointer != 2
        """Whether stores are of 32 bits, which have addresses for them."""
        self.enabled: set[int] = set()
        self.cleared: set[int] = set()
        self.named: set[int] = set()
        """All that stores have named."""
        self.strange: list[str] = []
        """Stores of what a register has no meaning for."""
        self.since_enabled: dict[int, bool] = {}

    @property
    def cells(self) -> list[tuple[Family, Cell]]:
        """All cells of known families."""
        return [(family, cell) for family in self.families.values() for cell in family.cells.values()]

    def counter(self, address: int) -> Cell | None:
        """The cell whose down counter a register is."""
        return next((c for family in self.families.values() if (c := family.counter(address)) is not None), None)

    def match_of(self, cell: Cell) -> Match | None:
        """Of a cell whose match keeps budgets, the registers of both; None of others."""
        return next((family.match_of(cell) for family, own in self.cells if own is cell), None)

    def rearmed(self, register: int) -> Cell | None:
        """The cell whose re-arming register it is."""
        return next((c for family in self.families.values() if (c := family.rearmed(register)) is not None), None)

    @contextmanager
    def tried(self) -> Iterator[None]:
        """Undo at the end the effects of stores on cells within this context."""
        before = [(c, c.started, c.first, c.again, c.lets, dict(c.registers)) for _, c in self.cells]
        try:
            yield
        finally:
            for cell, started, first, again, lets, registers in before:
                cell.started, cell.first, cell.again, cell.lets, cell.registers = started, first, again, lets, registers

    def add(self, store: Store, at: Fraction | None) -> None:
        """A store whose bits are added to the register's bits."""
        held = sum(family.holds(store.address) for family in self.families.values())
        self.carry_out([Store(store.address, store.value | held, store.place)], at, whole=False)

    def strays(self, stores: Sequence[Store], stopped: Sequence[Cell]) -> str:
        """The fault of stores that are to stop cells: they go to registers of other ones, or twice to one; else empty."""
        made: set[int] = set()
        for store in stores:
            for family in self.families.values():
                found = family.access(store.address, store.value)
                if found is not None and not any(found[1] is cell for cell in stopped):
                    return f"stores {store.value:#x} to {store.address:#x}, of {found[1].place.name}, which it does not stop"
                if found is not None and store.address in made:
                    return f"stores twice to {store.address:#x}"
            made.add(store.address)
        return ""

    def carry_out(self, stores: Iterable[Store], at: Fraction | None, *, whole: bool = True) -> None:
        """Stores, one after the other; UnreadableError if one goes where no rule knows a register.

        ``whole``: what a store replaces, it replaces whatever it was.
        """
        for store in stores:
            if self.aligned and store.address % 4:
                raise UnreadableError(f"a store of {store.value:#x} to {store.address:#x}, where no register of 32 bits is")
            written = next((f for f in self.families.values() if f.write(store.address, store.value, at)), None)
            if written is not None:
                if not written.means(store.address, store.value):
                    self.strange.append(f"a store of {store.value:#x} to {store.address:#x}, which is no value for this register")
                touched = next(
                    (c for c, state in self.reserved if _state(c) != state or (whole and self._replaced(c, store.address))), None
                )
                if touched is not None:
                    raise UnreadableError(
                        f"a store of {store.value:#x} to {store.address:#x}, which changes {touched.place.name}; "
                        "the schedule reserves it"
                    )
                continue
            requests = self.controller.store(store.address, store.value)
            if requests is None:
                raise UnreadableError(
                    f"a store of {store.value:#x} to {store.address:#x}, which is no register that a rule reads"
                )
            kind, sources = requests
            if any(source >= self.system.board.sources for source in sources):
                raise UnreadableError(f"a store of {store.value:#x} to {store.address:#x}, where no source of the board is")
            self.named |= sources
            if kind == "enable":
                for source in sources:
                    self.since_enabled[source] = source in self.cleared
                self.enabled |= sources
            elif kind == "disable":
                self.enabled -= sources
            elif kind == "unpend":
                self.cleared |= sources
                for family in self.families.values() if at is not BEFORE else ():
                    for source in sources:
                        getattr(family, "forgotten", lambda _: None)(source)
            elif sources or kind == "other":
                raise UnreadableError(f"a store of {store.value:#x} to {store.address:#x}, which requests an interrupt")

    def _replaced(self, cell: Cell, address: int) -> bool:
        """Whether a store overwrites bits of a cell that the kernel does not keep."""
        bits = self.families[cell.place.array.family.name].replaced(address).get(cell.place.number, 0)
        return bool(bits & ~self.kept.get(address, 0))

    def start(self, table: ModeTable) -> list[tuple[Family, Cell]]:
        """Begin a mode; the cells that the mode has started."""
        before = {id(cell) for _, cell in self.cells if cell.started is not None}
        spacing = self.system.board.start_spacing
        self.cleared, self.since_enabled = set(), {}
        self.carry_out(table.stores("prepare"), BEFORE)
        self.carry_out(table.stores("restart"), BEFORE)
        for position, store in enumerate(starts := table.stores("start")):
            self.carry_out([store], Fraction(position * spacing))
        for shift in table.stores("align"):
            if not any(family.shift(shift.address, shift.value) for family in self.families.values()):
                raise UnreadableError(f"an addition to {shift.address:#x}, which is no running counter that a rule reads")
        self.carry_out(table.stores("finish"), Fraction(len(starts) * spacing))
        started = [(f, c) for f, c in self.cells if c.started is not None and id(c) not in before]
        stand = any(cell.again == 0 for _, cell in self.cells)  # software starts them
        if table.row["prepare"] and starts and not started and not stand:
            raise UnreadableError("the stores that are to start cells start none")
        return started

    def running(
        self, started: Sequence[tuple[Family, Cell]], table: ModeTable, lead: int, length: int, postponed: frozenset[int]
    ) -> list[Running]:
        """When the started cells expire; ``postponed``: multiplexes that a task's end moves before they expire."""
        multiplexes: dict[int, MultiplexStart] = {}
        for multiplex in table.multiplexes:
            cell = self.rearmed(multiplex.register)
            if cell is None:
                raise UnreadableError(f"a re-armed cell's register {multiplex.register:#x}, which no rule reads")
            multiplexes[id(cell)] = multiplex
        return [self._running(family, cell, lead, length, multiplexes.get(id(cell)), postponed) for family, cell in started]

    def _running(
        self, family: Family, cell: Cell, lead: int, length: int, multiplex: MultiplexStart | None, postponed: frozenset[int]
    ) -> Running:
        begins = cell.begins
        if begins is None or cell.again is None:
            raise UnreadableError(f"{cell.place.name} is started without an interval")
        source = cell.place.source
        armed = cell.lets and (source < self.system.board.request_base or source in self.enabled)
        first = begins - lead
        end = 2 * length
        if multiplex is None:
            period = cell.ticks(cell.again)
            if period <= 0:
                raise UnreadableError(f"{cell.place.name} is started with an interval of {period} ticks")
            if first.denominator == period.denominator == 1:
                times = tuple(range(int(first), end + 1, int(period)))
                return Running(cell, family, times, period, None, armed, None)
            count = int((end - first) / period) + 1
            exact = [first + k * period for k in range(max(count, 0))]
        else:
            exact, period = self._steps(family, cell, first, end, multiplex, postponed)
        odd = next((t for t in exact if t.denominator != 1), None)
        return Running(cell, family, tuple(int(t) for t in exact), period, odd, armed, multiplex)

    @staticmethod
    def _steps(
        family: Family, cell: Cell, first: Fraction, end: int, multiplex: MultiplexStart, postponed: frozenset[int]
    ) -> tuple[list[Fraction], Fraction]:
        """The times of a re-armed cell's expiries, and the period of its whole pattern."""
        assert cell.again is not None
        steps, moved = [interval for interval, _ in multiplex.steps], multiplex.multiplex in postponed
        turn = cell.again
        first += cell.ticks(multiplex.laps * turn)

        def following(turns: int) -> list[int]:
            if moved:
                return [family.postponed(s) for s in steps] * turns
            laps = [laps for _, laps in multiplex.steps] * turns
            return [n + turn * more for n, more in zip(family.following(cell, steps, turns * len(steps)), laps, strict=True)]

        period = cell.ticks(sum(following(2)[len(steps) :]))
        sequence = following(3 + int(end // period) if period > 0 else 3)  # steps that recur are in the image once
        exact = [first]
        for units in sequence:
            exact.append(exact[-1] + cell.ticks(units))
            if exact[-1] > end or units <= 0:
                break
        return [t for t in exact if t <= end], period
