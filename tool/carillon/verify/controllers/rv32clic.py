# SPDX-License-Identifier: Apache-2.0
"""The controller of ``hardware/clic`` (its README): words that set and clear the bits of 32 sources, at 0x40010000.

0x00: pending is set, 0x10: cleared; 0x20: enabled is set, 0x30: cleared.  Each source has a word of its own at 0x1000, which no
list stores to.
"""

from __future__ import annotations

from carillon.verify.controllers import Controller, Requests, words

BASE = 0x4001_0000
KINDS = ("pend", "unpend", "enable", "disable")


class Model(Controller):
    """A source is its bit in two words."""

    def store(self, address: int, value: int) -> Requests | None:
        offset = address - BASE
        if not 0 <= offset < 0x2000:
            return None
        if offset >= 0x40 or offset % 16 > 4 or offset % 4:
            return "other", frozenset()
        return KINDS[offset // 16], words(0, offset % 16 // 4, value)
