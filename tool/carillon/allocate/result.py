# SPDX-License-Identifier: Apache-2.0
"""What an allocation is: which cells carry which expiry points, at which level, and why.

``emit``, ``plan`` and ``trace`` read it; nobody changes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TypeVar

from carillon.actions import Action
from carillon.lower import Demand, LoweredMode
from carillon.model.board import Cells, Role


class Style(Enum):
    """How a carrier serves its points."""

    DIRECT = "direct"  # one cell per progression of equally spaced points; no code runs for it
    MULTIPLEXED = "multiplexed"  # one cell, re-armed from offsets in ROM (paper, section IV-F)
    TABLE = "table"  # with other demands on one cell, re-armed from a table in ROM that also says what is due


class Form(Enum):
    """The form of an event-triggered carrier, and the level of its action."""

    CELL = "cell"  # a cell; the handler is on the kernel's level
    JOINED = "joined"  # one of several cells of a source, whose handler, on the kernel's level, asks them all
    OWN = "own"  # a cell, or a part of a queue, whose handler is on the level of the task
    VECTOR = "vector"  # a cell whose expiry is the activation itself
    QUEUE = "queue"  # the queue of the alarm's counter
    NOTHING = "nothing"  # no time base


class Guard(Enum):
    """How a task is kept from being entered while it runs, with at most one waiting activation (:mod:`.guard`)."""

    NONE = "none"  # nothing: the source does it, or no activation meets the one before it
    FORGET = "forget"  # the task's sources share a level; one that starts it forgets the others' requests
    HOLD = "hold"  # the only source is held back while the task runs
    FLAG = "flag"  # a flag says that the task runs, another one that an activation waits


@dataclass(frozen=True, slots=True)
class Cell:
    """One physical timer: the array, the index of its first cell, and the number of neighbouring cells that it takes."""

    array: Cells
    index: int
    count: int = 1

    @property
    def name(self) -> str:
        """As the board names it; ``a+b`` where two neighbours work together."""
        return "+".join(self.array.names[self.index : self.index + self.count])

    @property
    def source(self) -> int:
        """The interrupt source that the cell raises."""
        return self.array.sources[self.index]


@dataclass(frozen=True, slots=True)
class Progression:
    """Points at ``offset + k * period`` ticks, ``0 <= k < round / period``: the points that one free-running cell serves."""

    offset: int
    period: int

    def times(self, round_length: int) -> tuple[int, ...]:
        """Every point within the round."""
        return tuple(range(self.offset, round_length, self.period))


@dataclass(frozen=True, slots=True)
class CellUse:
    """A cell and what it serves.

    ``units_per_tick`` converts ticks to the cell's own units (after its prescaler); every interval of
    the cell is a whole number of units.  A multiplexed cell has ``progression`` = (first point, round length), or where it is a
    channel, (first point, what its timer counts).
    """

    cell: Cell
    progression: Progression
    prescaler: int
    units_per_tick: Fraction

    def units(self, ticks: int) -> int:
        """``ticks`` in the cell's units; exact by construction."""
        value = ticks * self.units_per_tick
        assert value.denominator == 1, (ticks, self.units_per_tick)
        return int(value)


@dataclass(frozen=True, slots=True)
class Carrier:
    """One interrupt source and the cells behind it, serving points of one demand.

    ``level`` counts upwards from 1, a higher one preempts; ``lowered``: the handler lowers its execution priority to that of what
    it preempted, so that every later point preempts it.  ``guard`` is what the handler of an activation does about the task's
    other activations.  ``forgets`` are the sources of the task whose requests it takes back when it starts the task.  ``turn``:
    of carriers with one source, in which order its handler asks their cells.

    Of what is event-triggered: ``form``.  ``runs_level``: its handler goes on as that of its level (:mod:`.tasks`).  ``part``:
    its number in the kernel's table of counters, if it is a part of a queue.  A part without cells is a source that the handler
    of the counter's first part requests when the part is due.
    """

    demand: Demand
    source: int
    cells: tuple[CellUse, ...]
    style: Style
    level: int
    lowered: bool
    guard: Guard = Guard.NONE
    forgets: tuple[int, ...] = ()
    turn: int = 0
    form: Form = Form.CELL
    runs_level: bool = False
    part: int = -1

    @property
    def direct(self) -> bool:
        """Whether its expiry is the activation itself."""
        return self.form is Form.VECTOR

    @property
    def task_level(self) -> int:
        """The level of the task, if the handler runs there; 0 if there is no handler, or it runs at the kernel's level."""
        return self.level if self.form is Form.OWN else 0

    @property
    def action(self) -> Action:
        """The action at the carrier's points."""
        return self.demand.action

    @property
    def role(self) -> Role:
        """The role that the carrier's cells must serve."""
        return self.demand.role


W = TypeVar("W")


def of_whom(carriers: Iterable[Carrier], kind: type[W]) -> list[tuple[W, Carrier]]:
    """The carriers of alarms, or of series of schedule tables, each after the alarm or series."""
    return [(c.demand.whose, c) for c in carriers if isinstance(c.demand.whose, kind)]


@dataclass(frozen=True, slots=True)
class ModeAllocation:
    """One mode's carriers, ordered by role, then by first point.

    ``levels`` is how many levels the mode's carriers and interrupts use.  ``overhead`` is the objective: instructions of kernel
    code per round, by the cost table of the port.  ``bound`` is proved to be a lower limit of it.  They are equal if and only if
    ``optimal``.
    """

    mode: LoweredMode
    carriers: tuple[Carrier, ...]
    unmonitored: tuple[Demand, ...]
    levels: int
    above_tasks_level: int
    overhead: int
    bound: int
    optimal: bool
    reasons: tuple[str, ...]

    def of(self, role: Role, name: str) -> tuple[Carrier, ...]:
        """The carriers of one object's role."""
        return tuple(c for c in self.carriers if c.role is role and c.demand.object == name)
