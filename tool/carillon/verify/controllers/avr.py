# SPDX-License-Identifier: Apache-2.0
"""The enable and flag registers of AVR's timers and external interrupts (data sheets, register summary).

The vectors' numbers and bits come from the device's header in the C library.  Writing 1 to a flag clears it.
"""

from __future__ import annotations

from carillon.model.board import Board
from carillon.verify.avr_device import device
from carillon.verify.controllers import Controller, Requests
from carillon.verify.elf import Elf

SET, CLEAR, REGISTER = 0x4000, 0x2000, 0x0FFF


class Model(Controller):
    """A source is the number of its vector."""

    def __init__(self, board: Board, elf: Elf) -> None:
        super().__init__(board, elf)
        device_found = device(board)
        if device_found is None:
            raise LookupError(f"the compiler knows no device of board '{board.name}'")
        self._registers = device_found.requests

    def _sources(self, register: int, which: int, mask: int) -> frozenset[int] | None:
        for pair, bits in self._registers.items():
            if pair[which] == register and not mask & ~sum(bits):
                return frozenset(source for bit, source in bits.items() if mask & bit)
        return None

    def store(self, address: int, value: int) -> Requests | None:
        register = address & REGISTER
        if address & ~REGISTER in (SET, CLEAR):
            sources = self._sources(register, 0, value)
            return ("enable" if address & SET else "disable", sources) if sources is not None else None
        forgotten = self._sources(register, 1, value) if not address & ~REGISTER else None
        return ("unpend", forgotten) if forgotten is not None else None

    def bits(self, address: int, change: str, mask: int) -> Requests | None:
        sources = self._sources(address, 0, mask)
        return ("enable" if change == "set" else "disable", sources) if sources is not None else None
