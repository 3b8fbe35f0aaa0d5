# SPDX-License-Identifier: Apache-2.0
"""The time base: a counter that runs on while ticks are held back, so that whoever counts ticks knows how many there were.

A source has one pending bit, which absorbs every expiry but the first.  What a family of cells can do about it stands in
``cells/<family>/cell.toml`` as ``base``: a cell that nobody else has counts, or the family has a counter that never stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from carillon.allocate.fit import Source
from carillon.allocate.result import Cell, CellUse, Progression
from carillon.model import System
from carillon.model.board import Board, Cells, Role
from carillon.model.family import BaseKind


@dataclass(frozen=True, slots=True)
class Base:
    """What counts, and how far.

    ``use`` and ``source``: the cell, None and 0 where none is taken.  ``units_per_tick``: of the counter in a tick of the
    system clock.  ``period``: units until the counter repeats, a whole number of every tick that is counted (of ``UP`` and
    ``FREE`` the whole range of the counter).  ``early``: units from the start of the cells to tick 0, at most.
    """

    kind: BaseKind
    array: Cells
    use: CellUse | None
    source: int
    period: int
    bits: int
    early: int

    @property
    def counted(self) -> int:
        """How far readings can be told apart, in units, less what may be read before the first tick."""
        return (self.period if self.kind is BaseKind.DOWN else 1 << self.bits) - 1 - self.early

    @property
    def ahead(self) -> int:
        """Units of the time base within which empty ticks are only looked at; 0 if the time base is too short for this."""
        return self.counted // 16 if self.bits > 16 else 0

    @property
    def most(self) -> int:
        """How long ticks may be held back, in units."""
        return self.counted - self.ahead


def counts_alone(board: Board, clock_hz: int) -> Base | None:
    """The time base on a counter that never stops and takes no cell; None if the board has no such counter."""
    for array in board.cells:
        if array.family.base is BaseKind.FREE and array.units(1, clock_hz, array.prescalers[0]) == 1:
            return Base(BaseKind.FREE, array, None, 0, 0, array.width, board.lead_at(clock_hz))
    return None


def base_on(board: Board, clock_hz: int, ticks: Sequence[int], source: Source, turns: Sequence[int] = ()) -> Base | None:
    """The time base on the first cell of a source, for those that tick every so many ``ticks``; None if it cannot be that.

    ``turns``: of counters whose values it is to tell by itself, so that it must not begin anew within any of them.
    """
    array = source.array
    kind = array.family.base
    if kind is None or Role.ACTIVATION not in array.roles or (turns and kind is not BaseKind.DOWN):
        return None
    for prescaler in array.prescalers:
        if array.units(1, clock_hz, prescaler) != 1:
            continue
        together = lcm(*ticks, *turns)
        bits = min(array.width, 32)
        period = 1 << bits if kind is BaseKind.UP else (1 << (bits - 1)) // together * together
        if not period or period - board.lead_at(clock_hz) < 3 * max(ticks, default=0):  # it must tell two ticks apart
            continue
        cell = Cell(array, source.slots(Role.ACTIVATION)[0], array.needed(Role.ACTIVATION))
        use = CellUse(cell, Progression(period, period), prescaler, array.units(1, clock_hz, prescaler))
        return Base(kind, array, use, source.number, period, bits, board.lead_at(clock_hz))
    return None


def is_held(system: System, tick: int) -> bool:
    """Whether the periodic clock may be held back until its next tick, so that its interrupts do not tell the ticks.

    Tasks of rounds hold it back, as far as is known, and locks and ISRs.  Where nobody says how long these are, a time base of 16
    bits is not worth what each tick costs.
    """
    stretch = longest_stretch(system)
    if stretch is not None and stretch > tick:
        return True
    lock = system.time.longest_lock if system.time is not None else None
    if lock is not None:
        return lock >= tick
    return any(array.family.base is not None and array.width > 16 for array in system.board.cells)


def longest_stretch(system: System) -> int | None:
    """For how many ticks the rounds' tasks keep the event-triggered system from running at a stretch; None if unknown.

    The execution times are those of the schedule; a task without one leaves it unknown.  0 without rounds.
    """
    worst = 0
    for mode in system.modes:
        busy_until = began = 0
        for turn in range(2):  # what is not done at the end of a round goes on in the next
            for activation in sorted(mode.activations, key=lambda a: a.at):
                wcet = system.task(activation.task).wcet
                if wcet is None:
                    return None
                at = activation.at + turn * mode.round_length
                if at >= busy_until:
                    busy_until = began = at
                busy_until += wcet
                worst = max(worst, busy_until - began)
    return worst
