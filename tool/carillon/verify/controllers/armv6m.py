# SPDX-License-Identifier: Apache-2.0
"""The NVIC of ARMv6-M (ARMv6-M Architecture Reference Manual, B3.4), which is that of ARMv7-M with one word of each register.

What masks hold back is enabled by a variable of the port, ``carillon_port_admitted``: the store that gives the masks back
enables what it has, but for what is still masked.
"""

from __future__ import annotations

from collections.abc import Mapping

from carillon.model.board import Board
from carillon.verify.controllers import Requests, armv7m, words
from carillon.verify.elf import Elf

CALLS = {"carillon_port_let": "enable", "carillon_port_withhold": "disable"}
"""Functions of the port that change both."""
LEVELS = 3
"""That can be masked."""


class Model(armv7m.Model):
    """Sources are exception numbers: interrupt 0 is 16."""

    def __init__(self, board: Board, elf: Elf) -> None:
        super().__init__(board, elf)
        variable = elf.symbols.get("carillon_port_admitted")
        self._admitted = variable.address if variable is not None else None
        first = board.defines.get("CARILLON_MASK_INTERRUPT", 0)
        self._masks = ((1 << LEVELS) - 1) << int(first)

    def store(self, address: int, value: int) -> Requests | None:
        if address == self._admitted:
            return "enable", words(16, 0, value & ~self._masks) if value & self._masks == self._masks else frozenset()
        return super().store(address, value) if address & 0x1F == 0 or address == armv7m.ICSR else None

    def call(self, name: str, arguments: Mapping[int, int]) -> Requests | None:
        mask = arguments.get(0)
        return (CALLS[name], words(16, 0, mask)) if name in CALLS and mask is not None else None
