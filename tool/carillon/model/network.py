# SPDX-License-Identifier: Apache-2.0
"""A network: virtual boards that run in one virtual time, and the bus between them.

True time is in picoseconds, an error of a clock in parts of 10^9, a chance in parts of :data:`CHANCE`.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from carillon.diagnostics import Span

PICOSECONDS = 10**12
"""In a second."""
BILLION = 10**9
CHANCE = 2**32
"""A certain thing."""
NODES = 64
"""At most, as emulators/network/network.c has it."""


@dataclass(frozen=True, slots=True)
class Wander:
    """A random walk of a clock's error: every ``every`` it changes by at most ``step``, and it stays within ``bound``."""

    step: int
    bound: int
    every: int


@dataclass(frozen=True, slots=True)
class Oscillator:
    """``errors`` has (time, error): what the error is from then on, beside the walk; ascending, the first at 0."""

    errors: tuple[tuple[int, int], ...] = ((0, 0),)
    wander: Wander | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """How what a node sends travels to each other node: at least ``latency``, at most ``jitter`` more.

    ``loss``, ``duplicate`` and ``late`` are chances; a late message takes up to ``late_by`` more.
    """

    latency: int
    jitter: int = 0
    loss: int = 0
    duplicate: int = 0
    late: int = 0
    late_by: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """A virtual board with its application; ``start`` is its power-up, ``board`` None that of its schedule."""

    name: str
    schedule: Path
    board: str | None
    start: int
    oscillator: Oscillator
    link: Link
    span: Span


@dataclass(frozen=True, slots=True)
class Network:
    """All of it; ``seed`` decides everything that is left to chance."""

    name: str
    seed: int
    nodes: tuple[Node, ...]
    file: Path


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where a node's clock was at ``begin``: ``ticks`` and ``more`` parts of one; and its ``rate`` from then on.

    A tick has :data:`PARTS` parts; the rate is in parts a picosecond.
    """

    begin: int
    ticks: int
    more: int
    rate: int


PARTS = BILLION * PICOSECONDS


@dataclass(frozen=True, slots=True)
class Clock:
    """What a node's oscillator did, exactly: the stretches of a run, ascending, and the nominal ticks a second."""

    hz: int
    stretches: tuple[Stretch, ...]

    def time_of(self, tick: int) -> int:
        """The first picosecond at which the oscillator had made ``tick`` ticks; the power-up for one before it."""
        at = max(0, bisect.bisect_right(self.stretches, tick, key=lambda s: s.ticks) - 1)
        while at and (tick - self.stretches[at].ticks) * PARTS < self.stretches[at].more:
            at -= 1  # that tick was made in the stretch before
        it = self.stretches[at]
        return it.begin + max(0, -(-((tick - it.ticks) * PARTS - it.more) // it.rate))

    def offset(self, time: int) -> Fraction:
        """How many seconds the oscillator was ahead at ``time``, if it was right at its power-up."""
        at = max(0, bisect.bisect_right(self.stretches, time, key=lambda s: s.begin) - 1)
        it = self.stretches[at]
        ticks = it.ticks + Fraction(it.more + it.rate * (time - it.begin), PARTS)
        return ticks / self.hz - Fraction(time - self.stretches[0].begin, PICOSECONDS)
