# SPDX-License-Identifier: Apache-2.0
"""The enable and flag registers of AVR's timers and external interrupts (data sheets, register summary).

The vectors' numbers and bits are those of the table "Reset and Interrupt Vectors" and of EIMSK, TIMSK, ETIMSK, or EIMSK and
TIMSKn.  A flag is forgotten by writing 1 to it.
"""

from __future__ import annotations

from carillon.model.board import Board
from carillon.verify.controllers import Controller, Requests
from carillon.verify.elf import Elf

_DEVICES_64, _DEVICES_2560 = ("atmega128", "atmega64"), ("atmega2560", "atmega1280")
SET, CLEAR, REGISTER = 0x4000, 0x2000, 0x0FFF
_EXTERNAL = {1 << k: k + 1 for k in range(8)}
_64 = {  # enable register, flag register: bit -> source
    (0x59, 0x58): _EXTERNAL,
    (0x57, 0x56): {0x80: 9, 0x40: 10, 0x20: 11, 0x10: 12, 0x08: 13, 0x04: 14, 0x02: 15, 0x01: 16},
    (0x7D, 0x7C): {0x01: 24, 0x20: 25, 0x10: 26, 0x08: 27, 0x02: 28, 0x04: 29},
}
_2560 = {
    (0x3D, 0x3C): _EXTERNAL,
    **{
        registers: {0x20: first, 0x02: first + 1, 0x04: first + 2, 0x08: first + 3, 0x01: first + 4}
        for registers, first in (((0x6F, 0x36), 16), ((0x71, 0x38), 31), ((0x72, 0x39), 41), ((0x73, 0x3A), 46))
    },
}


class Model(Controller):
    """A source is the number of its vector."""

    def __init__(self, board: Board, elf: Elf) -> None:
        super().__init__(board, elf)
        devices = {f.removeprefix("-mmcu=") for f in board.build.cflags if f.startswith("-mmcu=")}
        if not devices & {*_DEVICES_64, *_DEVICES_2560}:
            raise LookupError(f"no rule for {', '.join(devices) or 'the device'}")
        self._registers = _2560 if devices & {*_DEVICES_2560} else _64

    def _sources(self, register: int, which: int, mask: int) -> frozenset[int] | None:
        for pair, bits in self._registers.items():
            if pair[which] == register:
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
