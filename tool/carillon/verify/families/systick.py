# SPDX-License-Identifier: Apache-2.0
"""SysTick (ARMv7-M Architecture Reference Manual, B3.3): a 24-bit down counter.

Control at 0xE000E010 (7: processor clock, interrupt, enable), reload at +4, counter at +8, which any store clears.  From 0
it loads the reload value, so an interval is reload + 1 units; a reload that is stored while it counts holds after that.
"""

from __future__ import annotations

from fractions import Fraction

from carillon.verify.families import Family

CONTROL, RELOAD, VALUE = 0xE000_E010, 0xE000_E014, 0xE000_E018


class Model(Family):
    """See above."""

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        if address not in (CONTROL, RELOAD, VALUE) or not self.cells:
            return False
        cell = self.cells[0]
        if address == CONTROL:
            cell.lets = bool(value & 2)
            if not value & 1:
                cell.started = None
            elif cell.started is None and value & 4 and "cleared" in cell.registers:
                cell.started = at
                cell.first = cell.again = (cell.registers.get("reload", 0) & 0xFF_FFFF) + 1
        elif address == RELOAD:
            cell.registers["reload"] = value
            if cell.started is not None:
                cell.again = (value & 0xFF_FFFF) + 1
        else:
            cell.registers["cleared"] = 1
        return True

    def means(self, address: int, value: int) -> bool:
        return {CONTROL: value in (0, 7), VALUE: value == 0}.get(address, value < 1 << 24)
