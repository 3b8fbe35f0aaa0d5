# SPDX-License-Identifier: Apache-2.0
"""Timers of nRF51 (Nordic, nRF51 Series Reference Manual, chapter 18): four compare channels of one counter of 16 bits.

Tasks: START at 0, STOP at 4, CLEAR at 0xC, CAPTURE of channel n at 0x40 + 4 n (a 1 triggers each).  Event of channel
n at 0x140 + 4 n (a 0 clears it).  INTENSET at 0x304 and INTENCLR at 0x308 (bit 16 + n).  MODE at 0x504 (0: timer),
BITMODE at 0x508 (0: 16 bits), PRESCALER at 0x510 (16 MHz by 2 to the power of it), match of channel n at 0x540 + 4 n.
A match comes when the counter gets to it.  There is no reload: a handler adds the period, a variable of the driver
(``nrftimer_periods``), or a re-armed cell's next interval.  Channel 3 is what the counter is captured with.
"""

from __future__ import annotations

from fractions import Fraction

from carillon.verify.families import Cell, Moved

START, STOP, CLEAR, CAPTURE, ENABLE, DISABLE, MODE, WIDTH, PRESCALER = 0, 4, 0xC, 0x4C, 0x304, 0x308, 0x504, 0x508, 0x510
EVENT, MATCH, CAPTURED, BANK = 0x140, 0x540, 0x54C, 0x1000
OF_TIMER = (START, STOP, CLEAR, CAPTURE, ENABLE, DISABLE, MODE, WIDTH, PRESCALER)
REGISTERS = {MODE: "mode", WIDTH: "width", PRESCALER: "prescaler"}


class Model(Moved):
    """See above.  An event is remembered while its interrupt is disabled."""

    own = "timer", BANK

    def _channel(self, address: int, first: int) -> Cell | None:
        """The cell whose own register it is: of those that begin at ``first``."""
        cells, register = self.timer(address)
        return next((c for c in cells if register == first + 4 * c.place.registers["channel"]), None)

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        if self.period(address, value):
            return True
        cells, register = self.timer(address)
        matched = self._channel(address, MATCH)
        if matched is not None:
            matched.registers["match"] = value
        elif self._channel(address, EVENT) is None and (not cells or register not in OF_TIMER):
            return False
        for cell in cells:
            bit = 1 << 16 + cell.place.registers["channel"]
            if register in (ENABLE, DISABLE) and value & bit:
                cell.lets = register == ENABLE
            elif register == STOP:
                cell.started = None
            elif register == CLEAR:
                cell.registers["clear"] = 1
            elif register in REGISTERS:
                cell.registers[REGISTERS[register]] = value
            elif register == START and cell.started is None and "match" in cell.registers and self._is_set_up(cell):
                cell.started, cell.first = at, self.armed_later(cell, cell.registers["match"] or 0x10000, 0x10000)
        return True

    def _is_set_up(self, cell: Cell) -> bool:
        chosen = self.defines.get("CARILLON_CLOCK_SELECT")
        has = cell.registers
        return has.get("clear") == 1 and has.get("mode") == has.get("width") == 0 and has.get("prescaler") == chosen

    def means(self, address: int, value: int) -> bool:
        cells, register = self.timer(address)
        if self._channel(address, EVENT) is not None:
            return value == 0
        if self._channel(address, MATCH) is not None:
            return value <= 0xFFFF
        if not cells:
            return 0 < value <= 0x10000  # a period
        if register in (ENABLE, DISABLE):
            return value in [1 << 16 + c.place.registers["channel"] for c in cells]
        allowed = {MODE: 0, WIDTH: 0, PRESCALER: self.defines.get("CARILLON_CLOCK_SELECT")}
        return value == allowed.get(register, 1)

    def rearmed(self, register: int) -> Cell | None:
        return self._channel(register, MATCH)

    def flag(self, address: int) -> Cell | None:
        return self._channel(address, EVENT)

    def settles(self, address: int) -> bool:
        cells, register = self.timer(address)
        return bool(cells) and register == CAPTURED

    def access(self, address: int, value: int | None) -> tuple[str, Cell] | None:
        cells, register = self.timer(address)
        for first, does in ((EVENT, "acknowledge" if value == 0 else "other"), (MATCH, "set")):
            cell = self._channel(address, first)
            if cell is not None:
                return does, cell
        if not cells or register == CAPTURE:
            return None
        if register in (ENABLE, DISABLE):
            named = [c for c in cells if value == 1 << 16 + c.place.registers["channel"]]
            if named:
                return ("arm" if register == ENABLE else "disarm"), named[0]
        return "other", cells[0]
