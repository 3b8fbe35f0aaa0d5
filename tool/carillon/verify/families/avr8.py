# SPDX-License-Identifier: Apache-2.0
"""The 8-bit timers of AVR (ATmega328P and ATmega32U4 data sheets, 8-bit Timer/Counter): compare channel B.

In waveform mode 2 a timer counts from 0 to OCRA and begins anew.  In mode 0 it counts through all 8 bits.  In all else it
works as a 16-bit timer does, and no store is a word.
"""

from __future__ import annotations

from carillon.verify.avr_device import Device, Timer
from carillon.verify.families import Cell, Match
from carillon.verify.families.avr16 import Model as Sixteen


class Model(Sixteen):
    """See above."""

    wide, waits, rounds = 0, 0x5000, (0, 2)

    def match_of(self, cell: Cell) -> Match | None:
        return None

    def timers(self, found: Device) -> tuple[Timer, ...]:
        return found.small

    def period(self, control: int, registers: dict[str, int]) -> int | None:
        mode = control >> 3 & 1, registers.get("a", 0) & 3
        return {(0, 2): registers.get("top", 0) + 1, (0, 0): 1 << 8}.get(mode)
