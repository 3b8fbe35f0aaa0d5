# SPDX-License-Identifier: Apache-2.0
"""The PWM of RP2040 (RP2040 datasheet, section 4.5): eight slices, counters of 16 bits with a divider each.

Of a slice, 0x14 bytes: CSR at 0 (bit 0 EN), DIV at 4 (an integer in bits 11 to 4, sixteenths in bits 3 to 0).  CTR at 8, CC at
0xC, TOP at 0x10.  EN at 0xA0, INTR at 0xA4 (a 1 clears), INTE at 0xA8, INTF at 0xAC, INTS at 0xB0, a bit for each slice.  A store
0x2000 above a register sets bits, and 0x3000 above it clears them.  A slice counts up from CTR and wraps a unit after TOP.  What
TOP gets while the slice runs holds from the next wrap on.
"""

from __future__ import annotations

from fractions import Fraction

from carillon.verify.families import Cell, Family

BASE, SLICE = 0x4005_0000, 0x14
CSR, DIV, CTR, TOP = 0, 4, 8, 0x10
SET, CLEAR = 0x2000, 0x3000
RUN, RAW, ENABLE, ASKS = BASE + 0xA0, BASE + 0xA4, BASE + 0xA8, BASE + 0xB0
COMMON = (RUN + SET, RUN + CLEAR, RAW, ENABLE + SET, ENABLE + CLEAR)


class Model(Family):
    """See above.  A wrap is remembered while the interrupt is disabled."""

    remembers = True

    def prepare(self) -> None:
        for cell in self.cells.values():
            cell.lets = False

    def _bit(self, cell: Cell) -> int:
        return 1 << (cell.place.registers["slice"] - BASE) // SLICE

    def place(self, address: int) -> tuple[Cell, int] | None:
        return next(((c, r) for c in self.cells.values() if 0 <= (r := address - c.place.registers["slice"]) < SLICE), None)

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        if address not in COMMON:
            return super().write(address, value, at)
        for cell in (c for c in self.cells.values() if value & self._bit(c)):
            if address in (ENABLE + SET, ENABLE + CLEAR):
                cell.lets = address == ENABLE + SET
            elif address == RUN + CLEAR:
                cell.started = None
            elif address == RUN + SET and cell.started is None and cell.registers.get("count") == 0 and "top" in cell.registers:
                cell.started, cell.first, cell.again = at, cell.registers["top"] + 1, cell.registers["top"] + 1
        return True

    def stored(self, cell: Cell, register: int, value: int, at: Fraction | None) -> bool:
        if register == CSR:
            cell.started = cell.started if value & 1 else None
        elif register == DIV:
            cell.prescaler = value >> 4 or 256
        elif register == CTR:
            cell.registers["count"] = value
        elif register == TOP:
            cell.registers["top"] = value & 0xFFFF
            if cell.started is not None:
                cell.again = (value & 0xFFFF) + 1
        return register in (CSR, DIV, CTR, TOP)

    def means(self, address: int, value: int) -> bool:
        if address in COMMON:
            bits = [self._bit(c) for c in self.cells.values()]
            return value in bits or (address == RUN + SET and 0 < value <= sum(bits))
        found = self.place(address)
        if found is None:
            return True
        return {CSR: value == 0, CTR: value == 0, DIV: not value & 0xF and 0 < value <= 0xFFF, TOP: value <= 0xFFFF}[found[1]]

    def bit(self, address: int, mask: int) -> Cell | None:
        return next((c for c in self.cells.values() if mask == self._bit(c)), None) if address == ASKS else None

    def access(self, address: int, value: int | None) -> tuple[str, Cell] | None:
        does = {RAW: "acknowledge", ENABLE + SET: "arm", ENABLE + CLEAR: "disarm"}.get(address)
        if does is not None:
            named = [c for c in self.cells.values() if value == self._bit(c)]
            return (does, named[0]) if named else ("other", next(iter(self.cells.values())))
        if address in COMMON:
            return "other", next(iter(self.cells.values()))
        found = self.place(address)
        return ("other", found[0]) if found is not None else None
