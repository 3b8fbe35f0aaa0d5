# SPDX-License-Identifier: Apache-2.0
"""STM32 timers 1 to 5 and 8 (ST, RM0090, chapters 17 and 18): counters of 16 or 32 bits, with a prescaler.

CR1 at 0 (bit 0 enable, 2 URS, 4 DIR: down, 7 ARPE).  CR2 at 4 (MMS 4 in bits 6 to 4: the reference of channel 1 is the trigger
output).  SMCR at 8 (mode 6: a trigger starts the counter; bits 6 to 4: which internal trigger).  DIER at 0xC and SR at 0x10 (bit
0: update; a 0 clears it).  EGR at 0x14 (bit 0: update now).  CCMR1 at 0x18 (OC1M 4 and 5: the reference is forced low and high).
Counter at 0x24, prescaler at 0x28 (it divides by one more), reload at 0x2C.  A counter reads its reload value, down to 0, and the
update event is a unit after that.  It takes over the prescaler, and with ARPE the reload value.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from carillon.verify.families import Cell, Family

ANSWERED = 0xFFFF_FFFE
DOWN, TRIGGERED, INTERNAL_TRIGGER, OUTPUT_REFERENCE, LOW, HIGH = 0x94, 6, 0x70, 0x40, 0x40, 0x50
SLAVES = {0x4001_0000: 1, 0x4000_0400: 1, 0x4000_0800: 1, 0x4000_0C00: 0, 0x4001_0400: 1}
"""Which internal trigger TIM2 is of TIM1, TIM3, TIM4, TIM5 and TIM8 (RM0090, tables 93 and 97)."""
TIM2 = 0x4000_0000


class Model(Family):
    """See above.  An expiry is remembered while the interrupt is disabled."""

    bank = "base", 0x34
    values: ClassVar = {0: (0, DOWN), 0x0C: (0, 1), 0x10: (0, ANSWERED), 0x14: (1,)}
    actions: ClassVar = {(0x0C, 1): "arm", (0x0C, 0): "disarm", (0x10, ANSWERED): "acknowledge"}
    remembers = True

    def prepare(self) -> None:
        self._starter: dict[int, int] = {}

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        register = address - TIM2
        if register not in (4, 0x18) or any(cell.place.registers["starter"] != TIM2 for cell in self.cells.values()):
            return super().write(address, value, at)
        rises = register == 0x18 and self._starter.get(0x18) == LOW and value == HIGH and self._starter.get(4) == OUTPUT_REFERENCE
        self._starter[register] = value
        for cell in self.cells.values() if rises else ():
            slave = cell.registers.get("slave", 0)
            selected = SLAVES.get(cell.place.registers["base"])
            if slave & 7 == TRIGGERED and (slave & INTERNAL_TRIGGER) >> 4 == selected and cell.started is None:
                cell.started = at
                cell.first = cell.registers.get("reload", 0) + 1
                cell.again = cell.registers.get("preload", 0) + 1
        return True

    def means(self, address: int, value: int) -> bool:
        if address == TIM2 + 4:
            return value == OUTPUT_REFERENCE
        return value in (LOW, HIGH) if address == TIM2 + 0x18 else super().means(address, value)

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
            cell.prescaler = registers.get("prescaler", 0) + 1
        elif register == 0x28:
            registers["prescaler"] = value & 0xFFFF
        elif register == 0x2C:
            registers["preload"] = value & most
            if not registers.get("control", 0) & 0x80:
                registers["reload"] = value & most
        return register in (0, 8, 0x0C, 0x10, 0x14, 0x28, 0x2C)

    def counter(self, address: int) -> Cell | None:
        return self.cell_at(address, 0x24)
