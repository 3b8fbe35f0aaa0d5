# SPDX-License-Identifier: Apache-2.0
"""The NVIC (ARMv7-M Architecture Reference Manual, B3.4): set-enable, clear-enable, set-pending, clear-pending."""

from __future__ import annotations

from carillon.verify.controllers import Controller, Requests, words

KINDS = {0xE000_E100: "enable", 0xE000_E180: "disable", 0xE000_E200: "pend", 0xE000_E280: "unpend"}
ICSR, SYSTICK, PENDSV = 0xE000_ED04, 15, 14


class Model(Controller):
    """Sources are exception numbers: interrupt 0 is 16."""

    def store(self, address: int, value: int) -> Requests | None:
        if address == ICSR:
            if value == 1 << 25:
                return "unpend", frozenset({SYSTICK})
            if value == 1 << 26:
                return "pend", frozenset({SYSTICK})
            return ("pend", frozenset({PENDSV})) if value == 1 << 28 else ("other", frozenset())
        kind = KINDS.get(address & ~0x1F)
        if kind is None or address & 3:
            return None
        return kind, words(16, (address & 0x1F) // 4, value)
