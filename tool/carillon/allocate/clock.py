# SPDX-License-Identifier: Apache-2.0
"""The cells of the time services: what drives the clock, and what ends the slices of threads.

What a family of cells can do as a clock stands in ``cells/<family>/cell.toml``, one table ``[clock.KIND]`` for each
kind that ``cells/<family>/clock.h`` implements.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from carillon.allocate.result import Carrier
from carillon.model.time import ClockKind, TimeServices
from carillon.resources import data_root


@dataclass(frozen=True, slots=True)
class Driver:
    """What a family is as a clock of one kind (``kernel/include/carillon/clock.h``, where the figures are explained).

    ``bits`` of its counter that are used; ``minimum`` and ``cost`` in units; ``restarts``: it can only be loaded anew;
    ``requests``: its interrupt can be requested by software; ``locks``: setting it locks all interrupts for a moment,
    unless nothing is above the kernel's lock; ``free``: its counter runs freely, as the macros FREE_PREPARE and FREE_START of
    ``cells/<family>/cell.h`` begin, so that a one-shot clock, too, is a compare clock whose match moves.
    """

    bits: int = 0
    minimum: int = 1
    cost: int = 0
    restarts: bool = False
    requests: bool = False
    locks: bool = False
    free: bool = False


@cache
def drivers(family: str) -> dict[ClockKind, Driver]:
    """The kinds of clocks that a family can be, other than periodic, which any cell can be."""
    data = tomllib.loads((data_root() / "cells" / family / "cell.toml").read_text(encoding="utf-8"))
    return {ClockKind(kind): Driver(**table) for kind, table in data.get("clock", {}).items()}


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
