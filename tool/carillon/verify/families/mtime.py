# SPDX-License-Identifier: Apache-2.0
"""RISC-V's machine timer (privileged specification, mtime and mtimecmp): a counter of 64 bits and a compare register.

It asks for an interrupt while mtime is not less than mtimecmp.  It has no reload: a handler adds the period, a variable
of the driver (``mtime_period``), or a re-armed cell's next interval, to mtimecmp.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from carillon.verify.families import Cell, Moved


class Model(Moved):
    """See above."""

    remembers = False

    def prepare(self) -> None:
        clint = self.defines.get("CARILLON_CLINT", 0)
        self._time = self.defines.get("CARILLON_MTIME", clint + 0xBFF8)
        self._compare = self.defines.get("CARILLON_MTIMECMP", clint + 0x4000)
        variable = self.elf.symbols.get("mtime_period")
        self._period = variable.address if variable is not None else -1

    def told(self, cell: Cell) -> Mapping[str, int]:
        return {"mtimecmp": self._compare, "mtime": self._time}

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        cell = self.cells[0]
        if address == self._period:
            cell.again = value
        elif address == self._compare:
            cell.registers["low"] = value
        elif address == self._compare + 4:
            cell.registers["high"] = value
            cell.started = None if value == 0xFFFF_FFFF else cell.started
        elif address == self._time + 4:
            cell.registers["time"] = value
        elif address == self._time:
            if value == 0 and cell.registers.get("time") == 0:
                cell.started = at
                cell.first = cell.registers.get("high", 0) << 32 | cell.registers.get("low", 0)
        else:
            return False
        return True

    def means(self, address: int, value: int) -> bool:
        return value == 0 if address in (self._time, self._time + 4) else True

    def rearmed(self, register: int) -> Cell | None:
        return self.cells[0] if register == self._compare else None

    def access(self, address: int, value: int | None) -> tuple[str, Cell] | None:
        return ("set", self.cells[0]) if address in (self._compare, self._compare + 4) else None
