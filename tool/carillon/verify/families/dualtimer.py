# SPDX-License-Identifier: Apache-2.0
"""The CMSDK's dual timer, like Arm's SP804 (Arm DDI 0479, section 4.4; DDI 0271): 32-bit down counters, 0x20 apart.

Load at +0 sets the counter and the background load.  Counter at +4, control at +8 (0x80 enable, 0x40 periodic, 0x20 interrupt,
0x02 32 bits).  Interrupt clear at +12, masked status at +0x14, background load at +0x18.  It expires at 0 and takes the
background load over a unit later, so the interval after the running one is background load + 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from carillon.verify.families import Cell, Family

SETTING, ENABLE, INTERRUPT = 0x42, 0x80, 0x20


class Model(Family):
    """See above.  An expiry is remembered while the interrupt is disabled."""

    bank = "base", 0x20
    values: ClassVar = {8: (0, SETTING, SETTING | ENABLE, SETTING | ENABLE | INTERRUPT), 12: (1,)}
    actions: ClassVar = {(8, SETTING | ENABLE | INTERRUPT): "arm", (8, SETTING | ENABLE): "disarm", (12, 1): "acknowledge"}
    remembers = True

    def stored(self, cell: Cell, register: int, value: int, at: Fraction | None) -> bool:
        if register == 0:
            cell.registers["load"] = cell.registers["background"] = value
        elif register == 0x18:
            cell.registers["background"] = value
            if cell.started is not None:
                cell.again = value + 1
        elif register == 8:
            cell.lets = bool(value & INTERRUPT)
            if not value & ENABLE:
                cell.started = None
            elif cell.started is None and value & ~INTERRUPT == SETTING | ENABLE:
                cell.started, cell.first = at, cell.registers.get("load")
                cell.again = cell.registers.get("background", 0) + 1
        return register in (0, 8, 12, 0x18)

    def counter(self, address: int) -> Cell | None:
        return self.cell_at(address, 4)

    def flag(self, address: int) -> Cell | None:
        return self.cell_at(address, 0x14)

    def rearmed(self, register: int) -> Cell | None:
        return self.cell_at(register, 0x18)

    def following(self, cell: Cell, steps: Sequence[int], count: int) -> list[int]:
        # The handler of expiry k writes step k + 1, which takes effect after the next expiry.
        return [(cell.again or 0) if k == 0 else steps[k % len(steps)] for k in range(count)]
