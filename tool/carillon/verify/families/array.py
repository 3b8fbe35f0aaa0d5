# SPDX-License-Identifier: Apache-2.0
"""The timer array (``hardware/timer_array/README.md``): down counters, and four registers whose bits are the cells'.

START at +0x800 and STOP at +0x804, the requests' ENABLE and DISABLE at +0x808 and +0x80C, RESTART at +0x814, DONE at +0x818,
MOVE at +0x81C.  From +0xC00 on, each cell has its count, its reload value, what is added to the count, the cells whose requests
its expiry enables, and the count with which RESTART begins.  Such requests are enabled until DONE has the number of the cell's
source.  An addition takes no time: what is stored to ADJUST moves the expiry by just that.  What is stored to MOVE moves those of
all cells of the last store to RESTART.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from carillon.verify.families import AddedTo, Cell, counted

BITS, REGISTERS, RESTART, MOVE, CELLS = ("start", "stop", "enable", "disable"), 0x800, 0x814, 0x81C, 0xC00


class Model(AddedTo):
    """See above."""

    steps = True

    def prepare(self) -> None:
        self._together: tuple[Cell, ...] = ()  # of the last store to RESTART
        for cell in self.cells.values():
            cell.lets = False

    def told(self, cell: Cell) -> Mapping[str, int]:
        return {**cell.place.registers, "number": cell.place.number}  # by its number a cell has its bits and its registers

    def place(self, address: int) -> tuple[Cell, int] | None:
        number, register = divmod(address - self.base - CELLS, 32)
        return (self.cells[number], register) if number in self.cells else None

    @property
    def base(self) -> int:
        """Where the array is."""
        return next(iter(self.cells.values())).place.registers["base"]

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        if address - self.base == RESTART:
            self._together = tuple(cell for number, cell in self.cells.items() if value >> number & 1)
            for cell in self._together:
                cell.started, cell.first = at, cell.registers.get("first")
            return True
        if address - self.base == MOVE:
            for cell in self._together:
                cell.first = counted(cell.first + value) if cell.first is not None else None
            return True
        if address - self.base not in range(REGISTERS, REGISTERS + 16, 4):
            return super().write(address, value, at)
        for number, cell in self.cells.items():
            if not value >> number & 1:
                continue
            match BITS[(address - self.base - REGISTERS) // 4]:
                case "start":
                    cell.started = at if cell.started is None else cell.started
                case "stop":  # the count is what is left, which depends on when it was
                    cell.first = cell.first if cell.started is None else None
                    cell.started = None
                case change:
                    cell.lets = change == "enable"
        return True

    def stored(self, cell: Cell, register: int, value: int, at: Fraction | None) -> bool:
        if register == 0:
            cell.first = value
        elif register == 4:
            cell.again = value
        elif register == 12:
            cell.told = True
            cell.arms = frozenset(other.place.source for number, other in self.cells.items() if value >> number & 1)
        elif register == 16:
            cell.registers["first"] = value
        return register in (0, 4, 12, 16)

    def counter(self, address: int) -> Cell | None:
        return self.cell_at(address, 0) or self.cell_at(address, 8)  # both read what is left

    def shift(self, address: int, units: int) -> bool:
        return self.cell_at(address, 8) is not None and super().shift(address, units)

    def rearmed(self, register: int) -> Cell | None:
        return self.cell_at(register, 8)

    def reload(self, cell: Cell) -> int:
        return self.base + CELLS + 32 * cell.place.number + 4
