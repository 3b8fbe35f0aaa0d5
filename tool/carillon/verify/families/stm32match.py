# SPDX-License-Identifier: Apache-2.0
"""Compare channels of STM32's timers 2 and 5 (ST, RM0090, chapter 18): four matches of a counter of 32 bits.

Registers as in ``stm32tim``; CCMR1 and CCMR2 at 0x18 and 0x1C (0: compare, and drive nothing), CCR of channel n, from
0, at 0x34 + 4 n.  In SR and DIER, channel n has bit n + 1.  Without DIR the counter counts up.  A bit of a register
may be stored, and loaded, through its alias (Cortex-M4 manual, bit-banding): 0x42000000 + 32 (address - 0x40000000) +
4 bit.  There is no reload: a handler adds the period, a variable of the driver (``stm32match_periods``), or a re-
armed cell's next interval.
"""

from __future__ import annotations

from fractions import Fraction

from carillon.verify.families import Cell, Moved
from carillon.verify.stm32_starter import INTERNAL_TRIGGER, TIM2, TRIGGERED, Starter, is_its

CR1, SMCR, DIER, SR, EGR, CCMR1, CCMR2, PSC, ARR, CCR = 0, 8, 0x0C, 0x10, 0x14, 0x18, 0x1C, 0x28, 0x2C, 0x34
BANK, ALIAS, DEVICES = 0x400, 0x4200_0000, 0x4000_0000
FIXED = {CCMR1: 0, CCMR2: 0, PSC: 0, ARR: 0xFFFF_FFFF, EGR: 1}
URS = 4
SLAVES = {0x4000_0C00: 0}
"""Which internal trigger TIM2 is of TIM5 (RM0090, table 97)."""
TURN = 1 << 32


class Model(Moved):
    """See above.  A match is remembered while the interrupt is disabled."""

    own = "base", BANK

    def prepare(self) -> None:
        super().prepare()
        self._starter = Starter()
        self._timers: dict[int, dict[int, int]] = {}

    def bit_of(self, cell: Cell) -> int:
        return 1 << cell.place.number

    def _bit(self, address: int) -> tuple[Cell, int] | None:
        """The cell whose bit of a register, and of which register, a word of the alias is."""
        if not ALIAS <= address < ALIAS + 32 * 0x10_0000:
            return None
        register, place = DEVICES + (address - ALIAS) // 32 & ~3, (address - ALIAS) // 4 % 32
        cells, offset = self.timer(register)
        return next(((c, offset) for c in cells if c.place.registers["channel"] + 1 == place), None)

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        if self.period(address, value or TURN):
            return True
        if is_its(address):
            self._start(address, value, at)
            return False  # it starts the other family's cells, too
        found = self._bit(address)
        if found is not None and found[1] == DIER:
            found[0].lets = bool(value & 1)
            return True
        matched = self.rearmed(address)
        if matched is not None:
            matched.registers["match"] = value
            return True
        cells, register = self.timer(address)
        if not cells or register not in (CR1, SMCR, SR, *FIXED):
            return False
        self._timers.setdefault(address & ~(BANK - 1), {})[register] = value
        for cell in cells if register == CR1 else ():
            cell.started = cell.started if value & 1 else None
        return True

    def _start(self, address: int, value: int, at: Fraction | None) -> None:
        for cell in self.cells.values() if self._starter.write(address, value) else ():
            base = cell.place.registers["base"]
            has = self._timers.get(base, {})
            slave = has.get(SMCR, 0)
            selected = slave & 7 == TRIGGERED and (slave & INTERNAL_TRIGGER) >> 4 == SLAVES.get(base)
            set_up = all(has.get(register) == fixed for register, fixed in FIXED.items()) and has.get(CR1) == URS
            if (
                selected
                and set_up
                and cell.started is None
                and "match" in cell.registers
                and cell.place.registers["starter"] == TIM2
            ):
                cell.started, cell.first = at, self.armed_later(cell, cell.registers["match"] or TURN, TURN)

    def means(self, address: int, value: int) -> bool:
        if self._bit(address) is not None:
            return value in (0, 1)
        cells, register = self.timer(address)
        if not cells or self.rearmed(address) is not None:
            return True
        allowed = {CR1: (0, URS), SR: (0,), EGR: (1,)} | {r: (v,) for r, v in FIXED.items()}
        return value in allowed.get(register, (value,))

    def rearmed(self, register: int) -> Cell | None:
        cells, offset = self.timer(register)
        return next((c for c in cells if offset == CCR + 4 * c.place.registers["channel"]), None)

    def flag(self, address: int) -> Cell | None:
        found = self._bit(address)
        return found[0] if found is not None and found[1] == SR else None

    def settles(self, address: int) -> bool:
        cells, register = self.timer(address)
        return bool(cells) and register == 0x24

    def access(self, address: int, value: int | None) -> tuple[str, Cell] | None:
        found = self._bit(address)
        if found is not None:
            cell, register = found
            return ({1: "arm", 0: "disarm"}.get(-1 if value is None else value, "other") if register == DIER else "other"), cell
        matched = self.rearmed(address)
        if matched is not None:
            return "set", matched
        cells, register = self.timer(address)
        if not cells or (register == SR and value is None):  # of a re-armed cell, which its variable says
            return None
        if register == SR:
            named = [c for c in cells if value == 0xFFFF_FFFF & ~(2 << c.place.registers["channel"])]
            if named:
                return "acknowledge", named[0]
        return "other", cells[0]
