# SPDX-License-Identifier: Apache-2.0
"""STM32 timers 1 to 5 and 8 (ST, RM0090, chapters 17 and 18): counters of 16 or 32 bits, with a prescaler.

CR1 at 0 (bit 0 enable, 2 URS, 4 DIR: down, 7 ARPE).  SMCR at 8 (mode 6: a trigger starts the counter; bits 6 to 4: which
internal trigger).  DIER at 0xC and SR at 0x10 (bit 0: update; a 0 clears it).  EGR at 0x14 (bit 0: update now).  Counter at 0x24,
prescaler at 0x28 (it divides by one more), reload at 0x2C.  A counter reads its reload value, down to 0, and the update event
is a unit after that.  It takes over the prescaler, and with ARPE the reload value.  Without DIR it counts from 0 up to the
reload value; the counter of such a cell, the sync cell of a round of matches, is set after EGR.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from carillon.verify.families import Cell, Family
from carillon.verify.stm32_starter import INTERNAL_TRIGGER, TIM2, TRIGGERED, Starter, is_its, means

ANSWERED = 0xFFFF_FFFE
UP, DOWN = 0x04, 0x94
SLAVES = {0x4001_0000: 1, 0x4000_0400: 1, 0x4000_0800: 1, 0x4000_0C00: 0, 0x4001_0400: 1}
"""Which internal trigger TIM2 is of TIM1, TIM3, TIM4, TIM5 and TIM8 (RM0090, tables 93 and 97)."""


class Model(Family):
    """See above.  An expiry is remembered while the interrupt is disabled."""

    bank = "base", 0x34
    values: ClassVar = {0: (0, DOWN, UP), 0x0C: (0, 1), 0x10: (0, ANSWERED), 0x14: (1,)}
    actions: ClassVar = {(0x0C, 1): "arm", (0x0C, 0): "disarm", (0x10, ANSWERED): "acknowledge"}
    remembers = True

    def prepare(self) -> None:
        self._starter = Starter()

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        if not is_its(address) or any(cell.place.registers["starter"] != TIM2 for cell in self.cells.values()):
            return super().write(address, value, at)
        for cell in self.cells.values() if self._starter.write(address, value) else ():
            slave = cell.registers.get("slave", 0)
            selected = SLAVES.get(cell.place.registers["base"])
            if slave & 7 == TRIGGERED and (slave & INTERNAL_TRIGGER) >> 4 == selected and cell.started is None:
                cell.started = at
                cell.first = cell.registers.get("reload", 0) + 1 - cell.registers.get("count", 0)
                cell.again = cell.registers.get("preload", 0) + 1
        return True

    def means(self, address: int, value: int) -> bool:
        return means(address, value) if is_its(address) else super().means(address, value)

    @property
    def triggered(self) -> tuple[str, int] | None:
        if self._starter.waits is None:
            return None
        base, delay = self._starter.waits
        return next((c.place.name for c in self.cells.values() if c.place.registers["base"] == base), ""), delay

    def stored(self, cell: Cell, register: int, value: int, at: Fraction | None) -> bool:
        registers, most = cell.registers, (1 << cell.place.array.width) - 1
        if register == 0:
            registers["control"] = value
            cell.started = cell.started if value & 1 else None
        elif register == 8:
            registers["slave"] = value
        elif register == 0x0C:
            cell.lets = bool(value & 1)
        elif register == 0x14 and value & 1:
            registers["reload"] = registers.get("preload", 0)
            registers["count"] = 0
            cell.prescaler = registers.get("prescaler", 0) + 1
        elif register == 0x24 and registers.get("control") == UP:
            registers["count"] = value
        elif register == 0x28:
            registers["prescaler"] = value & 0xFFFF
        elif register == 0x2C:
            registers["preload"] = value & most
            if not registers.get("control", 0) & 0x80:
                registers["reload"] = value & most
        return register in (0, 8, 0x0C, 0x10, 0x14, 0x28, 0x2C) or (register == 0x24 and registers.get("control") == UP)

    def length(self, address: int) -> Cell | None:
        cell = self.cell_at(address, 0x2C)
        return cell if cell is not None and cell.registers.get("control") == UP else None

    def counter(self, address: int) -> Cell | None:
        return self.cell_at(address, 0x24)
