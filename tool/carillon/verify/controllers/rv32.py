# SPDX-License-Identifier: Apache-2.0
"""The software controller of the RISC-V port: stores to names in ``carillon_port_controller`` stand for mie and mip."""

from __future__ import annotations

from collections.abc import Mapping

from carillon.verify.controllers import Controller, Requests, words

CALLS = {"carillon_port_enable": "enable", "carillon_port_disarm": "disable"}
MEMBERS = ("enable", "disable", "unpend")
"""The first members of ``carillon_port_controller``, of 4 bytes each."""


class Model(Controller):
    """A source is its bit in mie."""

    def store(self, address: int, value: int) -> Requests | None:
        base = self.elf.symbols.get("carillon_port_controller")
        if base is None or not base.address <= address < base.address + 4 * len(MEMBERS):
            return None
        return MEMBERS[(address - base.address) // 4], words(0, 0, value)

    def mask(self, source: int) -> int:
        return 1 << source

    def call(self, name: str, arguments: Mapping[int, int]) -> Requests | None:
        kind = CALLS.get(name)
        if kind is not None and 1 in arguments:
            return kind, words(0, 0, arguments[1])
        return None
