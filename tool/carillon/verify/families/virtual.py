# SPDX-License-Identifier: Apache-2.0
"""Cells of the virtual controller (``emulators/host``): down counters, 16 bytes of registers each from 0x300000 on.

Counter at +0, reload at +4, a store at +8 stops the cell, prescaler at +12.  A store at 0x200000 starts every cell whose
reload is not 0, at its reload.  A cell's number and 1 is stored at 0x200004 to stop the cell, with what it has left, and at
0x200008 to let it go on.  0 is no cell's, and 2^32 - 1 stops all whose reload is 0.  Code takes no time, so what is added to a
counter moves its expiry by just that.
"""

from __future__ import annotations

from fractions import Fraction

from carillon.verify.families import AddedTo, Cell

CELLS, START, PAUSE, RESUME, ALL = 0x30_0000, 0x20_0000, 0x20_0004, 0x20_0008, 0xFFFF_FFFF


class Model(AddedTo):
    """See above."""

    def place(self, address: int) -> tuple[Cell, int] | None:
        number, register = divmod(address - CELLS, 16)
        return (self.cells[number], register) if number in self.cells else None

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        if address == START:
            for cell in self.cells.values():
                reload = cell.registers.get("reload", 0)
                if reload and cell.started is None:
                    cell.started, cell.first, cell.again = at, reload, reload
            return True
        if address in (PAUSE, RESUME) and (value in (0, ALL) or value - 1 in self.cells):
            for own in [cell for number, cell in self.cells.items() if value == number + 1 or (value == ALL and cell.again == 0)]:
                own.started = None if address == PAUSE else at if own.started is None else own.started
            return True
        return super().write(address, value, at)

    def stored(self, cell: Cell, register: int, value: int, at: Fraction | None) -> bool:
        if register == 4:
            cell.registers["reload"] = cell.again = value
        elif register == 12:
            cell.prescaler = value or 1
        elif register == 8:
            cell.started = None
            cell.registers["reload"] = 0
        return register in (4, 8, 12)

    def means(self, address: int, value: int) -> bool:
        found = self.place(address)
        return value == 1 if address == START or (found is not None and found[1] == 8) else True
