# SPDX-License-Identifier: Apache-2.0
"""What a short function does, of which all is written down (:mod:`.executed`)."""

from __future__ import annotations

from dataclasses import dataclass, field

Value = int | tuple[str, int]
"""A number, or ("held", at): what the variable at an address holds."""
MOST = 200
"""Instructions of the longest function."""


@dataclass(frozen=True, slots=True)
class Done:
    """One thing that a function does: "read" (of 4 bytes), "write" (of a value, of 4 bytes), or "call" (with arguments).

    ``locked``: all interrupts were, which is known of ARM's processors and of AVR.
    """

    kind: str
    address: int
    value: Value = 0
    arguments: tuple[int, ...] = field(default=(), compare=False)
    locked: bool = field(default=False, compare=False)
