# SPDX-License-Identifier: Apache-2.0
"""How much current and energy a processor needs: the one estimate of ``plan``, ``run`` and ``bench``.

The estimate has two states.  While the processor executes, the chip draws the active current of the board's ``[currents]``;
while it idles, the idle current.  An idle task that spins executes too, so that the active current holds all the time.

Both currents are taken to grow in proportion to the processor's frequency, from the one at which the data sheet gives them.
Where the board counts instructions of an emulator, the frequency of the chip is not known: the figures hold as they are given.
What the board around the chip draws, what other devices of the chip draw, and what waking up takes, are not included.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from carillon.model import Idle, System

_HOURS = 24
_MILLI = 1000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean current in amperes, and the power in watts that it makes."""

    current: Fraction
    power: Fraction

    def energy(self, seconds: Fraction) -> Fraction:
        """What so many seconds take, in joules."""
        return self.power * seconds

    def as_json(self) -> dict[str, float]:
        """The form that ``--json`` prints; mW are mJ a second, too."""
        return {
            "current_ma": float(self.current * _MILLI),
            "power_mw": float(self.power * _MILLI),
            "mah_a_day": float(self.current * _MILLI * _HOURS),
        }


def current_text(estimate: Estimate) -> str:
    """The mean current, for a reader."""
    return f"{_rounded(estimate.current)} mA"


def energy_text(joules: Fraction) -> str:
    """An energy, for a reader."""
    return f"{_rounded(joules)} mJ"


def _rounded(value: Fraction) -> str:
    """Thousandths of a unit, with four digits that count: nothing is known to more."""
    return f"{float(value * _MILLI):#.4g}".rstrip(".")


@dataclass(frozen=True, slots=True)
class Supply:
    """What a system's processor draws, in amperes at ``voltage`` volts.

    ``hz``: the processor's frequency, to which the currents are scaled; None where they hold as they are given.
    ``idle`` equals ``active`` where the idle task spins.
    """

    active: Fraction
    idle: Fraction
    voltage: Fraction
    hz: int | None

    @classmethod
    def of(cls, system: System) -> Supply | None:
        """That of a system's board; None if its file gives no currents."""
        currents = system.board.currents
        if currents is None:
            return None
        clock = system.board.clock(system.clock_hz)
        scale, hz = Fraction(1), None
        if system.board.code_unit == "cycles" and clock.instructions_per_tick:
            hz = clock.hz * clock.instructions_per_tick
            scale = Fraction(hz) / currents.frequency
        idle = currents.idle if system.idle is Idle.SLEEP else currents.active
        return cls(currents.active * scale, idle * scale, currents.voltage, hz)

    def estimate(self, idle: Fraction) -> Estimate:
        """What it draws in the mean if it idles for this share of the time, from 0 to 1."""
        if not 0 <= idle <= 1:
            raise ValueError(f"a share of the time of {idle}")
        current = self.active + (self.idle - self.active) * idle
        return Estimate(current, current * self.voltage)
