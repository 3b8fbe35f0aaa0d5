# SPDX-License-Identifier: Apache-2.0
"""What slack means, in ticks: an independent model of the clock for tests/time and tests/firmware."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Waiting:
    """An event of the model, in ticks."""

    due: int
    number: int
    item: int
    slack: int
    period: int

    @property
    def deadline(self) -> int:
        return self.due + self.slack


@dataclass
class Model:
    """What slack means.  The next interrupt is at the earliest deadline; it serves all whose times have come, in order."""

    now: int = 0
    waiting: dict[int, Waiting] = field(default_factory=dict)
    served: list[tuple[int, int, int]] = field(default_factory=list)  # item, due, at
    interrupts: int = 0
    inserted: int = 0

    def insert(self, item: int, delay: int, slack: int, period: int) -> None:
        self.inserted += 1
        self.waiting[item] = Waiting(self.now + delay, self.inserted, item, slack, period)

    def run(self, ticks: int) -> None:
        until = self.now + ticks
        while self.waiting and min(w.deadline for w in self.waiting.values()) <= until:
            self.now = min(w.deadline for w in self.waiting.values())
            self.interrupts += 1
            while True:
                come = [w for w in self.waiting.values() if w.due <= self.now]
                if not come:
                    break
                first = min(come, key=lambda w: (w.due, w.number))
                self.served.append((first.item, first.due, self.now))
                if first.period:
                    self.inserted += 1
                    first.due, first.number = first.due + first.period, self.inserted
                else:
                    del self.waiting[first.item]
        self.now = until
