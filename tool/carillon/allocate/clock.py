# SPDX-License-Identifier: Apache-2.0
"""The cell of the time services' clock."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from carillon.allocate.result import Carrier
from carillon.model.family import Driver
from carillon.model.time import ClockKind, TimeServices


@dataclass(frozen=True, slots=True)
class ClockCell:
    """The clock and its cell.  ``tick``: a tick of time in ticks of the system clock."""

    services: TimeServices
    carrier: Carrier
    driver: Driver
    tick: Fraction

    @property
    def latest(self) -> int:
        """How late its handler may end, in ticks of time: a quarter of what it, and a time, can count (clock.h)."""
        bits = self.services.bits if self.services.clock is ClockKind.PERIODIC else min(self.driver.bits, self.services.bits)
        return ((1 << bits) - 1) // 4

    @property
    def longest(self) -> int | None:
        """The longest time that occurs, in ticks of time; None if there is none."""
        if self.services.longest is None:
            return None
        return int(-(-self.services.longest // self.tick))


def longest_without_laps(bits: int, latest: int) -> int:
    """The longest delay of events that are not far, in ticks (``CARILLON_LONGEST`` less ``CARILLON_CLOCK_LATEST``)."""
    return (1 << bits) - 1 - 2 - latest
