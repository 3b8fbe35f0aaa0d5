# SPDX-License-Identifier: Apache-2.0
"""How often something arrives: upper arrival curves, as response-time analyses of fixed priorities need them.

Times are integers of one unit.  A curve says how many arrivals any interval ``[t, t + length)`` has at most (``most``), at which
lengths it steps (``steps``), and how often arrivals come in the long run (``rate``).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, count


@dataclass(frozen=True, slots=True)
class Sporadic:
    """Arrivals that are ``interval`` apart at least, each of which may be seen up to ``jitter`` later."""

    interval: int
    jitter: int = 0

    def most(self, length: int) -> int:
        """Most arrivals in an interval of that length."""
        return -(-(length + self.jitter) // self.interval) if length > 0 else 0

    def steps(self) -> Iterator[int]:
        """The lengths that a further arrival needs to be exceeded, in ascending order; the first is 0."""
        yield 0
        yield from range(self.interval - self.jitter % self.interval, 1 << 62, self.interval)

    @property
    def rate(self) -> Fraction:
        """Arrivals in a unit of time, in the long run."""
        return Fraction(1, self.interval)


@dataclass(frozen=True, slots=True)
class Once:
    """Arrivals that come ``times`` times at most, and at any time."""

    times: int = 1

    def most(self, length: int) -> int:
        """As :meth:`Sporadic.most`."""
        return self.times if length > 0 else 0

    def steps(self) -> Iterator[int]:
        """As :meth:`Sporadic.steps`."""
        yield 0

    @property
    def rate(self) -> Fraction:
        """As :attr:`Sporadic.rate`."""
        return Fraction(0)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Arrivals at ``times``, ascending, and again each ``period`` (0: never); each may be seen up to ``jitter`` later.

    ``phased``: the times count from the start of the system, as those of all patterns that are phased.  Else the pattern begins
    at any time.  All times but the last of a pattern that recurs lie within one period.
    """

    times: tuple[int, ...]
    period: int
    jitter: int = 0
    phased: bool = True

    def most(self, length: int) -> int:
        """As :meth:`Sporadic.most`."""
        if length <= 0:
            return 0
        spans = _spans(self.times, self.period)
        length += self.jitter
        if not self.period:
            return bisect_left(spans, length)
        whole, rest = divmod(length - 1, self.period)
        return whole * len(self.times) + bisect_left(spans, rest + 1)

    def steps(self) -> Iterator[int]:
        """As :meth:`Sporadic.steps`."""
        spans, last = _spans(self.times, self.period), -1
        for turn in count() if self.period else (0,):
            for span in spans:
                at = max(0, turn * self.period + span - self.jitter)
                if at > last:
                    yield at
                last = at

    @property
    def rate(self) -> Fraction:
        """As :attr:`Sporadic.rate`."""
        return Fraction(len(self.times), self.period) if self.period else Fraction(0)

    def until(self, end: int) -> Iterator[int]:
        """The arrivals of a phased pattern before a time, in ascending order."""
        for turn in count() if self.period else (0,):
            for time in self.times:
                at = turn * self.period + time
                if at >= end:
                    return
                yield at


@lru_cache(maxsize=4096)
def _spans(times: tuple[int, ...], period: int) -> tuple[int, ...]:
    """By how much the last of 1, 2, ... arrivals in turn comes after the first, at least; as many as there are times."""
    number = len(times)
    further = [*times, *(time + period for time in times[: number - 1])] if period else list(times)
    starts = range(number) if period else ()
    return tuple(min(further[first + k] - further[first] for first in starts or range(number - k)) for k in range(number))


@dataclass(frozen=True, slots=True)
class Work:
    """Jobs of different lengths at ``points`` (time, length), ascending, again each ``period``; the whole begins at any time.

    Counted are units of work, so that a flow of it has jobs of one unit.
    """

    points: tuple[tuple[int, int], ...]
    period: int

    def most(self, length: int) -> int:
        """The most work that is asked for in an interval of that length."""
        return _most_work(self.points, self.period, length)

    def steps(self) -> Iterator[int]:
        """As :meth:`Sporadic.steps`, of what is asked for first; such work is no job whose response is looked for."""
        yield 0

    @property
    def rate(self) -> Fraction:
        """As :attr:`Sporadic.rate`."""
        return Fraction(sum(work for _, work in self.points), self.period)


@lru_cache(maxsize=65536)
def _most_work(points: tuple[tuple[int, int], ...], period: int, length: int) -> int:
    if length <= 0:
        return 0
    times, sums = _laid_out(points, period)
    number = len(points)
    whole, rest = divmod(length, period)
    most = max(sums[bisect_left(times, times[k] + rest)] - sums[k] for k in range(number))
    return whole * sums[number] + most


@lru_cache(maxsize=64)
def _laid_out(points: tuple[tuple[int, int], ...], period: int) -> tuple[list[int], list[int]]:
    """The times of two periods, and the sums of what comes before each of them, and of all."""
    both = [*points, *((at + period, work) for at, work in points)]
    return [at for at, _ in both], [0, *accumulate(work for _, work in both)]


Arrival = Sporadic | Once | Pattern | Work


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Arrivals of several kinds together."""

    parts: tuple[Arrival, ...] = field(default=())

    def most(self, length: int) -> int:
        """As :meth:`Sporadic.most`."""
        return sum(part.most(length) for part in self.parts)

    def steps(self, end: int) -> list[int]:
        """The lengths below ``end`` at which some part steps, in ascending order."""
        found: set[int] = set()
        for part in self.parts:
            for step in part.steps():
                if step >= end:
                    break
                found.add(step)
        return sorted(found)

    @property
    def rate(self) -> Fraction:
        """As :attr:`Sporadic.rate`."""
        return sum((part.rate for part in self.parts), Fraction(0))

    @property
    def phased(self) -> bool:
        """Whether all times are known, from the start of the system on."""
        return all(isinstance(part, Pattern) and part.phased and not part.jitter for part in self.parts)
