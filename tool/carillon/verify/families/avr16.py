# SPDX-License-Identifier: Apache-2.0
"""The 16-bit timers of AVR (ATmega128 and ATmega2560 data sheets, 16-bit Timer/Counter): three compare channels each.

In waveform mode 14 a timer counts from 0 to ICR and begins anew, and a channel asks for an interrupt a unit after the
counter has equalled its compare register.  In mode 0 it counts through all 16 bits.  A store's address has, above the
register, what the port does with it: a word, bits to set or to clear, or a counter to wait for.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from carillon.verify.families import Cell, Family

WORD, AWAIT, REGISTER = 0x8000, 0x1000, 0x0FFF
_64 = {  # by timer: control A, control B, counter, ICR, compare registers
    0: (0x4F, 0x4E, 0x4C, 0x46, (0x4A, 0x48, 0x78)),
    1: (0x8B, 0x8A, 0x88, 0x80, (0x86, 0x84, 0x82)),
}
_2560 = {
    k: (base, base + 1, base + 4, base + 6, (base + 8, base + 10, base + 12)) for k, base in enumerate((0x80, 0x90, 0xA0, 0x120))
}
SELECT = 0x07


class Model(Family):
    """See above."""

    def prepare(self) -> None:
        self._timers = _2560 if max(self.cells) > 5 else _64
        self._waits: dict[int, int] = {}

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        register = address & REGISTER
        for timer, (a, b, count, top, matches) in self._timers.items():
            own = [self.cells[3 * timer + k] for k in range(3) if 3 * timer + k in self.cells]
            if not own or register not in (a, b, count, top, *matches):
                continue
            registers = own[0].registers
            if address & AWAIT:
                self._waits[timer] = value
            elif register == a:
                registers["a"] = value
            elif register == b:
                self._control(own, value, at, registers)
            elif register == count:
                registers["count"] = value
            elif register == top:
                registers["top"] = value
            else:
                channel = matches.index(register)
                cell = next((c for c in own if c.place.number % 3 == channel), None)
                if cell is not None:
                    cell.registers["match"] = value
            return True
        return False

    def _control(self, own: list[Cell], value: int, at: Fraction | None, registers: dict[str, int]) -> None:
        chosen = self.defines.get("CARILLON_CLOCK_SELECT")
        mode = value >> 3 & 3, registers.get("a", 0) & 3
        for cell in own:
            if not value & SELECT:
                cell.started = None
                if mode == (0, 0):
                    cell.registers.pop("match", None)  # a match that is stored from now on counts
            elif cell.started is None and "match" in cell.registers and value & SELECT == chosen and registers.get("count") == 0:
                period = {(3, 2): registers.get("top", 0) + 1, (0, 0): 1 << 16}.get(mode)
                if period is not None and cell.registers["match"] < period:
                    cell.started, cell.again, cell.first = at, period, cell.registers["match"] + 1

    def forgotten(self, source: int) -> None:
        """A request was forgotten after a wait for the counter: an expiry before it is no interrupt."""
        for cell in self.cells.values():
            if cell.place.source == source and cell.place.number // 3 in self._waits and cell.started is not None:
                reached = self._waits[cell.place.number // 3]
                if cell.first is not None and cell.again is not None and reached == cell.first % cell.again:
                    cell.first += cell.again

    def rearmed(self, register: int) -> Cell | None:
        for timer, (*_, matches) in self._timers.items():
            if register & REGISTER in matches and register & WORD:
                return self.cells.get(3 * timer + matches.index(register & REGISTER))
        return None

    def following(self, cell: Cell, steps: Sequence[int], count: int) -> list[int]:
        return [steps[k % len(steps)] for k in range(count)]
