# SPDX-License-Identifier: Apache-2.0
"""The alarms of RP2040's TIMER (RP2040 datasheet, section 4.6): four matches of a counter of microseconds.

ALARMn at 0x10 + 4 n; a store arms it.  ARMED at 0x20 (a 1 disarms).  TIMERAWL, the counter, at 0x28.  INTR at 0x34 (a 1 clears),
INTE at 0x38, INTF at 0x3C, INTS at 0x40, a bit for each alarm.  A store 0x2000 above a register sets bits, and 0x3000 above it
clears them.  There is no reload: a handler adds the period, a variable of the driver (``rp2040alarm_periods``), or a re-armed
cell's next interval.  The port's list of shifts sets each alarm to so many units after the counter's value at the start.
"""

from __future__ import annotations

from fractions import Fraction

from carillon.verify.families import Cell, Match, Moved

TIMER = 0x4005_4000
SET, CLEAR = 0x2000, 0x3000
ALARM, ARMED, RAW, ENABLE, FORCE, ASKS = TIMER + 0x10, TIMER + 0x20, TIMER + 0x34, TIMER + 0x38, TIMER + 0x3C, TIMER + 0x40
NOW = TIMER + 0x28
COMMON = (ARMED, RAW, ENABLE + SET, ENABLE + CLEAR, FORCE + CLEAR)


class Model(Moved):
    """See above.  An expiry is remembered while the interrupt is disabled."""

    def prepare(self) -> None:
        super().prepare()
        self._start: Fraction | None = None

    def bit_of(self, cell: Cell) -> int:
        return 1 << (cell.place.registers["alarm"] - ALARM) // 4

    def _named(self, value: int | None) -> list[Cell]:
        return [c for c in self.cells.values() if value is not None and value & self.bit_of(c)]

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        if self.period(address, value or 1 << 32):
            return True
        for cell in self._named(value) if address in COMMON else ():
            if address in (ENABLE + SET, ENABLE + CLEAR):
                cell.lets = address == ENABLE + SET
            elif address == ARMED:
                cell.started = None
            elif address == FORCE + CLEAR:
                self._start = at
        return address in COMMON

    def shift(self, address: int, units: int) -> bool:
        cell = self.rearmed(address)
        if cell is None:
            return False
        cell.started, cell.first = self._start, self.armed_later(cell, units, 1 << 32)
        return True

    def means(self, address: int, value: int) -> bool:
        if address not in COMMON:
            return 0 <= value < 1 << 32  # a period; 0 of a clock, whose next expiry is anything
        bits = [self.bit_of(c) for c in self.cells.values()]
        return value in bits or (address == FORCE + CLEAR and 0 < value <= sum(bits))

    def rearmed(self, register: int) -> Cell | None:
        return next((c for c in self.cells.values() if c.place.registers["alarm"] == register), None)

    def match_of(self, cell: Cell) -> Match | None:
        return Match(NOW, cell.place.registers["alarm"])

    def bit(self, address: int, mask: int) -> Cell | None:
        return next((c for c in self.cells.values() if mask == self.bit_of(c)), None) if address == ASKS else None

    def settles(self, address: int) -> bool:
        return address == NOW

    def access(self, address: int, value: int | None) -> tuple[str, Cell] | None:
        cell = self.rearmed(address)
        if cell is not None:
            return "set", cell
        if address not in COMMON or (address == RAW and value is None):  # of a re-armed cell, which its variable says
            return None
        does = {RAW: "acknowledge", ENABLE + SET: "arm", ENABLE + CLEAR: "disarm"}.get(address, "other")
        named = [c for c in self._named(value) if value == self.bit_of(c)]
        return (does, named[0]) if named else ("other", next(iter(self.cells.values())))
