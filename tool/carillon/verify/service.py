# SPDX-License-Identifier: Apache-2.0
"""What a vector of the event-triggered system serves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Service:
    """What a vector serves.

    ``kind`` is "task", "isr", "level", "counter", "alarm", "joined" (alarms of several cells), "point", "half", "end", "adjust",
    "clock",
    "slices", "turn", "budgets", "round budgets", "frames" or "dispatcher".
    """

    kind: str
    name: str = ""
    number: int = -1
