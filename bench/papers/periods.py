# SPDX-License-Identifier: Apache-2.0
"""How exactly timers keep periods: ticks that divide them and ticks that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import isqrt

from bench.papers.applications import CHIP, Applications, Run, Timer, thread
from bench.papers.epos import COMPARE, CRYSTAL_HZ, EPOS_PERIODS, ONE_SHOT, PERIODIC, PERIODS_US, TIMER_HZ
from bench.papers.rows import Curve, Plot, Progress, Result, Row, beside, row

LEAST_TICK = 400
"""Cycles between ticks of a periodic timer, at least, so that the longest handler ends before the next."""

LEAST_TURN = 4
"""Ticks of the timer in one of the clock's, at least (ATmega128 data sheet, 16-bit Timer/Counter, Fast PWM Mode)."""


def divisors(number: int) -> list[int]:
    """All divisors, the largest first."""
    small = [d for d in range(1, isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)}, reverse=True)


def best_tick(period: Fraction, least: int, most: int = 65_536) -> int:
    """The longest tick of ``least`` to ``most`` units that a period consists of; ``least`` if there is none."""
    found = divisors(int(period)) if period.denominator == 1 else []
    return next((d for d in found if least <= d <= most), least)


def spelled(us: int) -> str:
    """A time as names of metrics have it."""
    if us % 1_000_000 == 0:
        return f"{us // 1_000_000}s"
    return f"{us // 1_000}ms" if us % 1_000 == 0 else f"{us}us"


# Periods: tables I and II, figure 8.


def periods(applications: Applications, rounds: int, progress: Progress) -> Result:
    """How exact the intervals of an alarm are, for every period that a timer can express, and their sum.

    A periodic timer ticks as the papers' did: once a period where it can, else as seldom as the period divides. Where the period
    is no whole number of the timer's ticks, it ticks as often as the handler allows.
    """
    rows: list[Row] = []
    curves: list[Curve] = []
    for hz in TIMER_HZ:
        for kind in (PERIODIC, ONE_SHOT, COMPARE):
            ticks = {us: tick for us in PERIODS_US if (tick := _tick(kind, us, hz)) is not None}
            for us in PERIODS_US:
                if us not in ticks:
                    progress(f"{spelled(us)} at {hz} Hz, {kind}: shorter than a tick, so that it cannot be asked for")
            # A periodic timer is made for one period, the others for all.
            together = [[us] for us in ticks] if kind == PERIODIC else [list(ticks)]
            means: dict[int, float] = {}
            for some in together:
                tick = ticks[some[0]]
                progress(f"{', '.join(spelled(us) for us in some)} at {hz} Hz, {kind}")
                for us, intervals in _intervals(
                    applications, Timer(kind, hz, tick if kind == PERIODIC else None), some, rounds
                ).items():
                    rows += _period_rows(kind, hz, us, tick, intervals)
                    means[us] = float(sum(intervals) / len(intervals) / hz) * 1e6
            curves.append(_error_curve(f"{kind}, {hz} Hz", means))
            if (kind, hz) in EPOS_PERIODS:
                epos = dict(zip(PERIODS_US, EPOS_PERIODS[kind, hz], strict=True))
                curves.append(_error_curve(f"EPOS, {kind}, {hz} Hz", epos, dashed=True))
    title = "Error of the mean period (figure 8 of Periodic timers revisited)"
    return Result(rows, (Plot("periods", title, "period in µs", "relative error", tuple(curves), log_x=True, log_y=True),))


def _tick(kind: str, us: int, hz: int) -> int | None:
    """Ticks of the timer in one of the clock's; None if the period is shorter."""
    period = Fraction(us * hz, 1_000_000)
    tick = best_tick(period, max(LEAST_TURN, -(-LEAST_TICK * hz // CRYSTAL_HZ))) if kind == PERIODIC else 1
    return tick if tick <= period else None


LEAST_SHOWN = 1e-9
"""A logarithmic plot has no place for no error."""


def _error_curve(label: str, means: Mapping[int, float], *, dashed: bool = False) -> Curve:
    errors = tuple(max(LEAST_SHOWN, abs(mean - us) / us) for us, mean in means.items())
    return Curve(label, tuple(means), errors, dashed)


def _period_rows(kind: str, hz: int, us: int, tick: int, intervals: Sequence[Fraction]) -> list[Row]:
    """Errors are in ticks of the clock, of which one has ``tick`` of the timer's."""
    period = Fraction(us * hz, 1_000_000)
    name = f"{kind}_{spelled(us)}_{hz}Hz".replace("-", "_")
    errors = [round(abs(float(i - period)) / tick, 3) for i in intervals]
    total = round(abs(float(sum(intervals) - len(intervals) * period)) / tick, 3)
    rows = [
        row(f"period_error_{name}", "carillon", CHIP, "ticks", errors, 1),
        row(f"accumulated_error_{name}", "carillon", CHIP, "ticks", [total], 1),
    ]
    if (kind, hz) in EPOS_PERIODS:
        mean = round(float(sum(intervals) / len(intervals) / hz) * 1e6, 3)
        epos = EPOS_PERIODS[kind, hz][PERIODS_US.index(us)]
        rows += beside(f"period_{name}", CHIP, "us", mean, epos, ("carillon", "EPOS"))
    return rows


SECONDS = 20
"""Of the chip's time, at most, for each period, but ten intervals."""


def _intervals(applications: Applications, timer: Timer, periods_us: Sequence[int], rounds: int) -> dict[int, list[Fraction]]:
    """Intervals between calls of an alarm's function, in ticks of the timer, for each period.

    The first call is left out: what started the alarm is still on its way to wait.
    """
    calls = {us: 2 + min(rounds, max(10, SECONDS * 1_000_000 // us)) for us in periods_us}
    table = ", ".join(f"EVERY({us}, {count})" for us, count in calls.items())
    built = applications.built("periods", timer, [thread("Main", 1)], periods=table)
    length = sum(us * (count + 2) for us, count in calls.items()) * timer.hz // 1_000_000
    beats = Run.of(built, length + 1000, ["bench_beat"]).marks.times("bench_beat")
    intervals: dict[int, list[Fraction]] = {}
    first = 0
    for us, count in calls.items():
        intervals[us] = [Fraction((b - a) * timer.hz, CRYSTAL_HZ) for a, b in pairwise(beats[first + 1 : first + count])]
        first += count
    return intervals
