# SPDX-License-Identifier: Apache-2.0
"""The meaning of stores into an interrupt controller, a file for each port with devices of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module

from carillon.model.board import Board
from carillon.verify.elf import Elf

Requests = tuple[str, frozenset[int]]
"""What a store does ("enable", "disable", "unpend", "pend") and to which sources."""


class Controller:
    """An interrupt controller's registers."""

    def __init__(self, board: Board, elf: Elf) -> None:
        self.board, self.elf = board, elf

    def store(self, address: int, value: int) -> Requests | None:
        """The effect of a store by a list or a handler; None if the address is no register of the controller."""
        raise NotImplementedError

    def bits(self, address: int, change: str, mask: int) -> Requests | None:
        """The effect of setting or clearing bits of a register (``change``: "set" or "clear")."""
        return None

    def mask(self, source: int) -> int:
        """The bit that stands for a source in an entry of a table that enables it."""
        return 1 << (source - self.board.request_base) % self.board.request_bits

    def call(self, name: str, arguments: Mapping[int, int]) -> Requests | None:
        """The effect of a call of a port's function."""
        return None


def words(first: int, word: int, value: int) -> frozenset[int]:
    """The sources of the bits of a request register of 32."""
    return frozenset(first + 32 * word + bit for bit in range(32) if value >> bit & 1)


def controller(board: Board, elf: Elf) -> Controller | None:
    """The model of the board's controller; None if there is none."""
    try:
        module = import_module(f"carillon.verify.controllers.{board.port}")
    except ModuleNotFoundError:
        return None
    try:
        model: Controller = module.Model(board, elf)
    except LookupError:  # a device that the file does not know
        return None
    return model


def named(requests: Iterable[int]) -> str:
    """Sources for a message."""
    found = sorted(requests)
    return ("source " if len(found) == 1 else "sources ") + ", ".join(map(str, found)) if found else "no source"
