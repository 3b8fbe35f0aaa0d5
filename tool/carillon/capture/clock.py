# SPDX-License-Identifier: Apache-2.0
"""How the time of a capture lies to the schedule's: its phase, and the error of its clock.

A capture begins anywhere in a round, and its clock is another one than the chip's.

1. The phase: each place of the round where the rarest task is due is tried for that task's first start.  That one is taken
   which lets the starts of two rounds be nearest to what is due.
2. Each start belongs to what is nearest to it.  That holds for two rounds, where an error of the clock is small; a line through
   them says what is nearest in four, and so on.
3. The error of the clock is the slope of the line of least squares through starts over expected ticks.  A task may be late at
   each of its points, by the time that others keep it waiting.  So each point of the round has a constant of its own: only the
   change from round to round is told from the clock.
"""

from __future__ import annotations

import bisect
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

SURE = 2.0
"""Standard errors by which a clock's error must be off 0 to be believed, and corrected."""


@dataclass(frozen=True, slots=True)
class Fit:
    """``origin``: the capture's time (s) of tick 0 of a round.  ``second``: the capture's seconds in a second of the schedule.

    ``ppm`` is how much the capture's clock is fast, ``uncertainty`` two standard errors of that; both None where the starts do
    not tell.  ``corrected``: the error is greater than its uncertainty, and ``second`` has it.  ``due``: the first start's tick.
    ``astray``: the part of the starts that lie farther than a quarter of a task's shortest interval from where it is due.
    ``first``: whose start is the first.
    """

    origin: Fraction
    second: Fraction
    ppm: float | None
    uncertainty: float | None
    corrected: bool
    due: int
    astray: float
    first: str


Start = tuple[float, str]
"""A start: when, in ticks of the capture's clock, and the task."""


class _Due:
    """When tasks are due in a round."""

    def __init__(self, due: Mapping[str, Sequence[int]], length: int) -> None:
        self.length = length
        self.times = {task: sorted(set(at)) for task, at in due.items()}

    def shortest(self, task: str) -> int:
        """The shortest time between two points at which the task is due."""
        times = self.times[task]
        return min(after - before for before, after in zip(times, [*times[1:], times[0] + self.length], strict=True))

    def nearest(self, task: str, tick: float) -> int:
        """The tick at which the task is due that is nearest to a tick."""
        number, at = divmod(tick, self.length)
        base, times = int(number) * self.length, self.times[task]
        place = bisect.bisect_left(times, at)
        before = base + times[place - 1] if place else base - self.length + times[-1]
        after = base + times[place] if place < len(times) else base + self.length + times[0]
        return before if tick - before <= after - tick else after


def fit(starts: Sequence[tuple[Fraction, str]], due: Mapping[str, Sequence[int]], length: int, hz: int, unit: Fraction) -> Fit:
    """Of starts in order of time (s), what is due when in a round of ``length`` ticks, and the capture's resolution (s)."""
    known = _Due(due, length)
    base = starts[0][0]
    ticks = [(float((time - base) * hz), task) for time, task in starts]
    origin, rate = _phase(ticks, known), 1.0
    reach = 2.0 * length
    while True:
        part = [(time, task) for time, task in ticks if time <= reach]
        points = [(known.nearest(task, (time - origin) / rate), time, task) for time, task in part]
        slope, error = _slope(points, length, float(unit * hz))
        if slope is not None:
            middle = sum(tick for tick, *_ in points) / len(points)
            origin += (rate - slope) * middle
            rate = slope
        if reach > ticks[-1][0]:
            break
        reach *= 2
    sure = slope is not None and error is not None and abs(slope - 1) > SURE * error
    second = Fraction(rate) if sure else Fraction(1)
    groups: dict[tuple[str, int], list[float]] = defaultdict(list)
    for (tick, _, task), (time, _) in zip(points, starts, strict=True):
        exact = (time - base) * hz - second * tick
        groups[task, tick % length].append(float(exact))
    first = min(groups, key=lambda point: math.fsum(groups[point]) / len(groups[point]))
    exactly = [
        (time - base) * hz - second * tick
        for (tick, _, task), (time, _) in zip(points, starts, strict=True)
        if (task, tick % length) == first
    ]
    zero = sum(exactly, Fraction(0)) / len(exactly)
    told = None if slope is None or error is None else (slope - 1) * 1e6
    shift, rate = float(zero), float(second)
    far = sum(abs(time - shift - rate * tick) > known.shortest(task) / 4 for tick, time, task in points)
    uncertainty = None if error is None else SURE * error * 1e6
    return Fit(base + zero / hz, second, told, uncertainty, sure, points[0][0], far / len(points), starts[0][1])


def _phase(ticks: Sequence[Start], known: _Due) -> float:
    """The capture's tick at which a round begins."""
    early = [(time, task) for time, task in ticks if time <= 2 * known.length]
    first: dict[str, float] = {}
    for time, task in early:
        first.setdefault(task, time)
    rarest = min(first, key=lambda task: (len(known.times[task]), first[task]))

    def distance(origin: float) -> tuple[float, float]:
        off = [(time - origin) - known.nearest(task, time - origin) for time, task in early]
        middle = sorted(off)[len(off) // 2]
        return sum(abs(d - middle) for d in off), abs(middle)

    return min((first[rarest] - at for at in known.times[rarest]), key=distance)


def _slope(points: Sequence[tuple[int, float, str]], length: int, resolution: float) -> tuple[float | None, float | None]:
    """The slope of time over ticks, with a constant for each point of the round, and its standard error."""
    groups: dict[tuple[str, int], list[tuple[int, float]]] = defaultdict(list)
    for tick, time, task in points:
        groups[task, tick % length].append((tick, time))
    pairs: list[tuple[float, float]] = []
    for group in groups.values():
        x0 = sum(tick for tick, _ in group) / len(group)
        d0 = math.fsum(time - tick for tick, time in group) / len(group)  # the differences are small, and so are their errors
        pairs += [(tick - x0, time - tick - d0) for tick, time in group]
    xx = math.fsum(x * x for x, _ in pairs)
    if not xx:
        return None, None
    xy = math.fsum(x * y for x, y in pairs)
    more = xy / xx
    free = len(pairs) - len(groups) - 1
    rest = math.fsum((y - more * x) ** 2 for x, y in pairs)
    variance = max(rest / free if free > 0 else 0.0, resolution * resolution / 12)
    return 1 + more, math.sqrt(variance / xx)
