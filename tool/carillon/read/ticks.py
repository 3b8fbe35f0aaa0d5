# SPDX-License-Identifier: Apache-2.0
"""Turns written times into ticks of the clock, and refuses or reports those that do not divide.

A time that is no whole number of ticks is a cause of drift: what the hardware keeps is not what is
written.  SPEC, section 'Times'.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm

from carillon.diagnostics import Diagnostics, Span
from carillon.model import Drift
from carillon.model.board import Board
from carillon.units import SECONDS, Time, format_duration, format_frequency, format_number

LONGEST = 2**63 - 1
_SECONDS_A_DAY = 86_400


def fitting_clocks(board: Board, times: Iterable[Time]) -> list[int]:
    """The board's clocks, in Hz, into whose ticks every time divides, in the board's order."""
    in_ticks, in_seconds = 1, 1  # the factors that make all times whole numbers
    for time in set(times):
        if time.unit == "ticks":
            in_ticks = lcm(in_ticks, time.number.denominator)
        else:
            in_seconds = lcm(in_seconds, (time.number * SECONDS[time.unit]).denominator)
    return [clock.hz for clock in board.clocks if in_ticks == 1 and clock.hz % in_seconds == 0]


def nearest_clock(board: Board, times: Iterable[Time]) -> int:
    """The first of the board's clocks, in Hz, into whose ticks the most times divide."""
    listed = list(times)
    return max(board.clocks, key=lambda clock: sum(time.ticks(clock.hz).denominator == 1 for time in listed)).hz


class Ticks:
    """Converts times to ticks of ``clock_hz`` and keeps the drifts."""

    def __init__(self, board: Board, clock_hz: int, refuse: bool, diagnostics: Diagnostics) -> None:
        self.board = board
        self.clock_hz = clock_hz
        self.refuse = refuse
        self.diagnostics = diagnostics
        self.drifts: list[Drift] = []

    def exact(
        self, time: Time, name: str, span: Span, recurs: bool = False, upwards: bool = False, *, counted: bool = False
    ) -> Fraction | None:
        """``time`` in ticks, not rounded; None, and C032, if it is longer than 2^63 - 1 ticks.

        Reports C017 or C018 if it is no whole number of ticks.  ``recurs``: the error of rounding would add
        up (a period, a round).  ``upwards``: rounding is upwards (a WCET).  ``counted``: other times are numbers of this one.
        """
        ticks = self.limited(time, name, span)
        if ticks is not None and ticks.denominator != 1:
            self._inexact(ticks, time, name, span, recurs, upwards, counted)
        return ticks

    def limited(self, time: Time, name: str, span: Span) -> Fraction | None:
        """``time`` in ticks, whole or not; None, and C032, if it is longer than 2^63 - 1 ticks."""
        ticks = time.ticks(self.clock_hz)
        if ticks <= LONGEST:
            return ticks
        cause = f"{name}: {time} is longer than 2^63 - 1 ticks"
        self.diagnostics.error("C032", span, cause, "a schedule's times fit into 63 bits: write a shorter time")
        return None

    def vanishes(
        self, ticks: Fraction, name: str, span: Span, *, upwards: bool = False, remedy: str = "write a time of at least one tick"
    ) -> bool:
        """Whether a time is zero ticks, which is no valid time; C041, unless the time was refused as inexact."""
        if whole(ticks, upwards) != 0:
            return False
        if ticks == 0 or not self.refuse:
            self.diagnostics.error("C041", span, f"{name} is zero ticks", remedy)
        return True

    def _inexact(self, ticks: Fraction, time: Time, name: str, span: Span, recurs: bool, upwards: bool, counted: bool) -> None:
        rounded = whole(ticks, upwards)
        clock = format_frequency(self.clock_hz)
        measure = f"{name}: {time} is "
        if time.unit != "ticks":
            measure += f"{format_number(ticks, 6)} ticks of the {clock} clock, "
        measure += f"no whole number; rounded to {rounded}"
        error = self.error(ticks, rounded, recurs)
        if not self.refuse:
            self.drifts.append(Drift(span, str(time), rounded, float(rounded - ticks)))
            cause = f"{measure}, it is {error}"
            self.diagnostics.warning("C018", span, cause, f"for an exact time, {self._remedies(ticks, time, counted)}")
            return
        cause = f"{measure}, it would be {error}"
        remedy = self._remedies(ticks, time, counted) + (', or set inexact_times = "round"' if rounded or not recurs else "")
        self.diagnostics.error("C017", span, cause, remedy)

    def error(self, ticks: Fraction, rounded: int, recurs: bool) -> str:
        """The error of rounding in words: its size and, if the time recurs, the drift per day."""
        off = rounded - ticks
        direction = "long" if off > 0 else "short"
        text = f"{format_number(abs(off), 6)} ticks too {direction}"
        if recurs and rounded:
            per_day = abs(off) / ticks * _SECONDS_A_DAY
            text += f", a drift of {format_duration(per_day, 1, 3)} a day"
        return text

    def _remedies(self, ticks: Fraction, time: Time, counted: bool) -> str:
        """What to write, and what else it changes."""
        numbers = [n for n in (int(ticks), int(ticks) + 1) if n > 0]
        text = f"write {' or '.join(self._as_written(n, time) for n in numbers)}"
        longer = " or ".join(format_number(n / ticks, 3) for n in numbers)
        if counted:
            text += f", and divide each number of such ticks by {longer}"
        elif numbers[0] > 1.5 * ticks:
            text += f", which is {longer} times as long"
        fitting = [c.hz for c in self.board.clocks if time.ticks(c.hz).denominator == 1]
        if fitting and time.unit != "ticks":
            text += f', or use a clock into which it divides (clock = "{format_frequency(fitting[0])}" in [system])'
        return text

    def _as_written(self, ticks: int, time: Time) -> str:
        if time.unit != "ticks":
            number = Fraction(ticks, self.clock_hz) / SECONDS[time.unit]
            text = format_number(number, 9)
            if Fraction(text) == number:
                return f'"{text}{time.unit}"'
        return f'"{ticks} tick{"s" if ticks != 1 else ""}"'


def whole(ticks: Fraction, upwards: bool = False) -> int:
    """The nearest whole number of ticks (the even one of two), or with ``upwards`` the next."""
    return -(-ticks.numerator // ticks.denominator) if upwards else round(ticks)
