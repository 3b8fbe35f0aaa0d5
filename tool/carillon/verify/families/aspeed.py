# SPDX-License-Identifier: Apache-2.0
"""Aspeed timers (AST2600 data sheet, timer controller): eight 32-bit down counters.

The board says where each has its counter, and where their control register is; reload at +4 of a counter.  Control has four
bits a timer: enable, external clock, interrupt at the end, pulse; a store replaces all of them, and one at +12 clears bits.
Enabling loads the counter from the reload register; at 0 it interrupts and is loaded again.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from carillon.verify.families import AddedTo, Cell


class Model(AddedTo):
    """See above."""

    align_apart, rearm_apart = 2, 3  # ticks from load to store: of carillon_port_align, of aspeed_rearm and aspeed_postpone
    bank = "counter", 16

    def told(self, cell: Cell) -> Mapping[str, int]:
        return {**cell.place.registers, "number": cell.place.number}  # by its number a cell has its control bits

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        control = self.cells[0].place.registers["control"]
        if address in (control, control + 0xC):
            for number, cell in self.cells.items():
                bits = value >> 4 * number & 15
                if address == control + 0xC:
                    cell.started = None if bits & 1 else cell.started
                elif not bits & 1:
                    cell.started = None
                else:
                    cell.lets = bits == 5
                    if cell.started is None:
                        cell.started = at
                        cell.first = cell.again = cell.registers.get("reload")
            return True
        counting = self.cell_at(address, 4)
        if counting is None:
            return False
        counting.registers["reload"] = value
        if counting.started is not None:
            counting.again = value
        return True

    def means(self, address: int, value: int) -> bool:
        control = self.cells[0].place.registers["control"]
        if address not in (control, control + 0xC):
            return True
        known = (0, 1, 5) if address == control else (0, 5)
        return all(value >> 4 * n & 15 in known for n in self.cells) and value < 1 << 4 * (max(self.cells) + 1)

    def replaced(self, address: int) -> dict[int, int]:
        return {n: 15 << 4 * n for n in self.cells} if address == self.cells[0].place.registers["control"] else {}

    def holds(self, address: int) -> int:
        running = [n for n, cell in self.cells.items() if cell.started is not None]
        return sum(5 << 4 * n for n in running) if address == self.cells[0].place.registers["control"] else 0
