# SPDX-License-Identifier: Apache-2.0
"""Aspeed timers (AST2600 data sheet, timer controller): eight 32-bit down counters.

TMR1 to TMR3 at 0x00, 0x10, 0x20 and TMR4 to TMR8 at 0x40 on: counter at +0, reload at +4.  Control at 0x30 has four bits a
timer: enable, external clock, interrupt at the end, pulse; a store sets bits, and one at 0x3C clears them.  Enabling
loads the counter from the reload register; at 0 it interrupts and is loaded again.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from carillon.verify.families import Cell, Family, signed

BASE = 0x7E78_2000
ALIGN_APART, REARM_APART = 2, 3  # ticks from load to store: of carillon_port_align, of aspeed_rearm and aspeed_postpone


class Model(Family):
    """See above."""

    def _at(self, address: int) -> tuple[Cell, int] | None:
        slot, register = divmod(address - BASE, 16)
        number = slot - (slot > 3)
        return (self.cells[number], register) if slot != 3 and number in self.cells else None

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        if address in (BASE + 0x30, BASE + 0x3C):
            for number, cell in self.cells.items():
                bits = value >> 4 * number & 15
                if address == BASE + 0x3C:
                    cell.started = None if bits & 1 else cell.started
                elif bits & 1 and cell.started is None:
                    cell.started, cell.lets = at, bits == 5
                    cell.first = cell.again = cell.registers.get("reload")
            return True
        found = self._at(address)
        if found is None or found[1] != 4:
            return False
        found[0].registers["reload"] = value
        if found[0].started is not None:
            found[0].again = value
        return True

    def shift(self, address: int, units: int) -> bool:
        found = self._at(address)
        if found is None or found[1] != 0 or found[0].first is None:
            return False
        found[0].first += signed(units + ALIGN_APART)
        return True

    def counter(self, address: int) -> Cell | None:
        found = self._at(address)
        return found[0] if found is not None and found[1] == 0 else None

    def rearmed(self, register: int) -> Cell | None:
        return self.counter(register)

    def following(self, cell: Cell, steps: Sequence[int], count: int) -> list[int]:
        return [(cell.again or 0) + signed(steps[k % len(steps)] + REARM_APART) for k in range(count)]

    def postponed(self, step: int) -> int:
        return signed(step + REARM_APART)
