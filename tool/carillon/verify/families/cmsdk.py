# SPDX-License-Identifier: Apache-2.0
"""CMSDK APB timers (Arm DDI 0479, section 4.3): 32-bit down counters, at the addresses that the board says.

Control at +0 (bit 0 enable, bit 3 interrupt), counter at +4, reload at +8, which a store also puts into the counter, and
interrupt clear at +12.  The counter expires as it reaches 0 and is loaded a unit later, so its period is reload + 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from carillon.verify.families import Cell, Family


class Model(Family):
    """See above."""

    bank = "base", 0xD  # to the last of the four
    values: ClassVar = {0: (0, 1, 9), 12: (1,)}
    actions: ClassVar = {(0, 9): "arm", (0, 1): "disarm", (12, 1): "acknowledge"}

    def stored(self, cell: Cell, register: int, value: int, at: Fraction | None) -> bool:
        if register == 0:
            cell.lets = bool(value & 8)
            if not value & 1:
                cell.started = None
            elif cell.started is None:
                cell.started, cell.first = at, cell.registers.get("counter")
                cell.again = cell.registers.get("reload", 0) + 1
        elif register == 4:
            cell.registers["counter"] = value
        elif register == 8:
            cell.registers["counter"] = cell.registers["reload"] = value
        return True

    def counter(self, address: int) -> Cell | None:
        return self.cell_at(address, 4)
