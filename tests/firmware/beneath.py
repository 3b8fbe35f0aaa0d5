# SPDX-License-Identifier: Apache-2.0
"""Time as a program has it beneath a round, for exact models of what ticks there."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Beneath(ABC):
    """A program that runs in the middle of ticks, beneath a round's task."""

    now: int  # in half ticks: the program runs in between two ticks

    @abstractmethod
    def serve(self) -> None:
        """Nothing is held back any more."""

    @abstractmethod
    def round(self) -> tuple[int, int] | None:
        """The round's length, and what its task takes of it, from a quarter of a tick on; None without rounds."""

    @property
    def elapsed(self) -> int:
        """Whole ticks."""
        return self.now // 2

    def work(self, half_ticks: int, *, held: bool = False) -> None:
        """Let the program run so long; what preempts it takes time, too.  ``held``: nothing is served meanwhile."""
        above = self.round()
        for _ in range(half_ticks + 1):
            if not held:
                self.serve()
            if above is not None and self.now % (2 * above[0]) == 0:
                self.now += 2 * above[1]
                if not held:
                    self.serve()
            self.now += 1
        self.now -= 1
