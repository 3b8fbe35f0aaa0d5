# SPDX-License-Identifier: Apache-2.0
"""The virtual controller's request registers (``emulators/host``), of 32 sources each."""

from __future__ import annotations

from carillon.verify.controllers import Controller, Requests, words

KINDS = {1: "enable", 2: "disable", 3: "unpend", 4: "pend"}


class Model(Controller):
    """Handlers reach devices by calling ``carillon_port_write``."""

    def store(self, address: int, value: int) -> Requests | None:
        kind = KINDS.get((address - 0x10_0000) >> 12)
        return (kind, words(0, (address & 0xFFF) // 4, value)) if kind is not None and not address & 3 else None
