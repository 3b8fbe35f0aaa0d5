# SPDX-License-Identifier: Apache-2.0
"""Clocks that a schedule may choose: a PLL makes the processor's clock, and buses divide it for their timers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from carillon.diagnostics import Span
from carillon.model.fields import Count, Frozen, Hertz, Identifier, Word
from carillon.units import format_frequency

Between = tuple[Count, Count]
"""The least and the most."""


class Pll(Frozen):
    """What makes the processor's clock: the crystal's is divided, multiplied and divided again."""

    crystal_hz: Hertz
    divide: Between
    multiply: Between
    post: tuple[Annotated[int, Field(strict=True, ge=1, le=1024)], ...] = Field(min_length=1, max_length=64)
    input_hz: Between  # what the first division gives
    output_hz: Between  # what the multiplication gives

    def settings(self, hz: int) -> Iterator[tuple[int, int, int]]:
        """What gives a clock of exactly ``hz``: divisor, factor and second divisor."""
        for divide in range(max(1, self.divide[0]), self.divide[1] + 1):
            if not self.input_hz[0] * divide <= self.crystal_hz <= self.input_hz[1] * divide:
                continue
            for post in self.post:
                multiply, rest = divmod(hz * post * divide, self.crystal_hz)
                fits = self.multiply[0] <= multiply <= self.multiply[1]
                if not rest and fits and self.output_hz[0] <= hz * post <= self.output_hz[1]:
                    yield divide, multiply, post


class Bus(Frozen):
    """A bus: its clock is the processor's, divided.  Its timers have twice that, or the processor's where nothing divides."""

    max_hz: Hertz
    cells: tuple[Identifier, ...] = Field(min_length=1, max_length=4096)


class Baud(Frozen):
    """The register of the console's UART that divides its bus's clock."""

    rate: Hertz
    bus: Identifier
    address: Word


@dataclass(frozen=True, slots=True)
class Chosen:
    """The clocks that a schedule has chosen, and where it says so: the processor's, and those of each bus's timers."""

    core_hz: int
    timers: dict[str, int]
    span: Span


class ClockTree(Frozen):
    """What the clocks of a chip can be.  The first bus's timers count the ticks of the schedule."""

    max_hz: Hertz
    pll: Pll
    dividers: tuple[Annotated[int, Field(strict=True, ge=1, le=1024)], ...] = Field(min_length=1, max_length=16)
    buses: dict[Identifier, Bus] = Field(min_length=1, max_length=16)
    baud: Baud | None = None
    cycles: Word | None = None
    """The register that counts the processor's cycles, in an image whose project starts Carillon."""

    def __str__(self) -> str:
        every = self.buses.items()
        buses = ", ".join(f"{name} to {format_frequency(bus.max_hz)} ({', '.join(bus.cells)})" for name, bus in every)
        return f"clocks that [clock] of a schedule may choose: to {format_frequency(self.max_hz)}; buses: {buses}"

    def as_json(self) -> dict[str, Any]:
        """The form that ``--json`` prints."""
        buses = [{"name": name, "max_hz": bus.max_hz, "cells": list(bus.cells)} for name, bus in self.buses.items()]
        return {"max_hz": self.max_hz, "buses": buses}

    def timers(self, core: int, divider: int) -> int:
        """What the timers of a bus have."""
        return core if divider == 1 else 2 * core // divider

    def divider(self, bus: str, core: int, timers: int) -> int | None:
        """The divider by which a bus's timers have ``timers``: the least that the bus can stand; None if there is none."""
        for divider in sorted(self.dividers):
            within = core <= divider * self.buses[bus].max_hz
            if within and self.timers(core, divider) == timers and core * 2 % divider == 0:
                return divider
        return None

    def possible(self, bus: str, core: int) -> list[int]:
        """What the timers of a bus can have beside a processor's clock, the most first."""
        every = {self.timers(core, d) for d in self.dividers if core <= d * self.buses[bus].max_hz and core * 2 % d == 0}
        return sorted(every, reverse=True)

    def fault(self, cells: dict[str, bool]) -> str:
        """What the board's file says wrong of its buses; ``cells``: whether each has a clock of its own.  Empty if nothing."""
        fed = [name for bus in self.buses.values() for name in bus.cells]
        unknown = next((name for name in fed if name not in cells), None)
        missing = next((name for name, own in cells.items() if not own and name not in fed), None)
        twice = next((name for name in fed if fed.count(name) > 1), None)
        if unknown is not None:
            return f"a bus of 'clock_tree' has a cell '{unknown}', which the board does not have"
        if twice is not None:
            return f"two buses of 'clock_tree' have the cell '{twice}'"
        if missing is not None:
            return f"no bus of 'clock_tree' has the cell '{missing}'"
        if self.baud is not None and self.baud.bus not in self.buses:
            return f"'clock_tree' has no bus '{self.baud.bus}', which 'baud' names"
        return ""
