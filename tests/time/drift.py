# SPDX-License-Identifier: Apache-2.0
"""What drift remains, for the causes that hardware or configuration bring in (RELTEQ paper, section III), exactly."""

from __future__ import annotations

from fractions import Fraction


def of_hardware(ppm: Fraction, elapsed: Fraction) -> Fraction:
    """First cause: how far a clock whose oscillator is off by `ppm` is from the true time after `elapsed` (any unit)."""
    return elapsed * ppm / 1_000_000


def of_granularity(period: Fraction, tick: Fraction) -> Fraction:
    """Second cause: what a period that is rounded to whole ticks is off, each time; with the fraction carried it is 0."""
    return round(period / tick) * tick - period


def of_restarts(access: Fraction, compensated: int) -> tuple[Fraction, Fraction]:
    """Third cause: the least and the most ticks by which each re-arming of a timer that restarts puts off all that follow.

    `access` ticks pass from reading the timer to its restart.  Up to a tick of what has passed before is not seen in
    what is read.  `compensated` is CARILLON_CLOCK_COST.
    """
    return access - compensated, access + 1 - compensated
