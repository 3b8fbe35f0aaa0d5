# SPDX-License-Identifier: Apache-2.0
"""What a family of timer cells is: ``cells/<family>/cell.toml``, whose driver is ``cells/<family>/cell.h``."""

from __future__ import annotations

from enum import Enum
from typing import Self

from pydantic import Field, model_validator

from carillon.model.fields import Count, Flag, Frozen, Identifier
from carillon.model.time import ClockKind


class Start(Enum):
    """How the cells of an array are started."""

    GROUP = "group"  # all by one store
    TIMER = "timer"  # one store for the array, whose cells are channels of one counter and share its period
    EACH = "each"  # by a store each


class Rearm(Enum):
    """How a running cell is given its next interval without drift, if it can be."""

    SHIFT = "shift"  # add to the running counter
    RELOAD = "reload"  # write the interval after the running one, taken over at the next expiry; a neighbour keeps the time
    MATCH = "match"  # add to the value at which a free-running counter's channel matches
    NONE = "none"


class Capability(Enum):
    """What a driver can do beyond setting a cell up, starting and stopping it; SPEC names the macros of each."""

    START_TOGETHER = "start-together"
    CHANNELS = "channels"
    SHIFT = "shift"
    RELOAD = "reload"
    MATCH = "match"
    MATCH_IN_ROUND = "match-in-round"
    LAPS = "laps"
    POSTPONE = "postpone"
    REMAINING = "remaining"
    ACKNOWLEDGE = "acknowledge"
    MASK = "mask"
    HOLD = "hold"
    ASK = "ask"
    DEFER = "defer"
    SYNCHRONISE = "synchronise"
    SYNC_POINT = "sync-point"
    LOAD = "load"
    PAUSE = "pause"
    BUDGET = "budget"
    FIRST = "first"
    RESTART = "restart"
    MOVE = "move"
    KEEP = "keep"
    ARMS = "arms"
    UNTOUCHED = "untouched"
    MEASURED = "measured"
    WITHIN = "within"
    TRIGGER = "trigger"


class Timed(Enum):
    """A sequence of a driver or port that is exact only if instructions take as long as the board's file says."""

    START = "start"  # cells that are started by a store each
    ALIGN = "align"  # a running counter is moved to its first expiry
    REARM = "rearm"  # the same at each point of a re-armed cell, or where its handler came too late
    ONE_SHOT = "one-shot"  # a one-shot clock is set by what it has left


STARTS = {Start.GROUP: Capability.START_TOGETHER, Start.TIMER: Capability.CHANNELS}
"""What an array's way to start asks of its family."""
REARMS = {Rearm.SHIFT: Capability.SHIFT, Rearm.RELOAD: Capability.RELOAD, Rearm.MATCH: Capability.MATCH}
"""The same of its way to be re-armed."""


class Register(Enum):
    """For what there is a register of its own."""

    CELL = "cell"  # each cell has another
    ARRAY = "array"  # one for all cells of an array
    SOURCE = "source"  # it belongs to the cell's interrupt source: cells may share it


class BaseKind(Enum):
    """How a family of cells can be the time base (``kernel/clock/base.h``)."""

    DOWN = "down"  # a cell of its own, which counts down and begins anew
    UP = "up"  # a cell of its own, which counts up through its whole width
    FREE = "free"  # a counter that counts whatever the cells do


class Driver(Frozen):
    """What a family is as a clock of one kind (``kernel/clock/clock.h``, where the figures are explained).

    ``bits`` of its counter that are used, at most. ``narrows``: fewer will do, too, where a board's cells are narrower.
    ``minimum`` and ``cost`` in units. ``restarts``: it can only be loaded anew. ``requests``: its interrupt can be requested by
    software. ``locks``: setting it locks all interrupts for a moment, unless nothing is above the kernel's lock. ``free``: its
    counter runs freely, as the macros FREE_PREPARE and FREE_START of ``cells/<family>/cell.h`` begin. So a one-shot clock, too,
    is a compare clock whose match moves.
    """

    bits: int = Field(default=0, ge=0, le=64, strict=True)
    minimum: Count = 1
    cost: Count = 0
    restarts: Flag = False
    requests: Flag = False
    locks: Flag = False
    free: Flag = False
    narrows: Flag = False


class Family(Frozen):
    """A family of cells.

    ``can``: what its driver can do.  ``registers``: those whose places a board says, which ``carillon_board.h`` has as macros of
    the family.  ``lookup``: macros from what one of these registers is to what another is, of the same cell.  ``align``,
    ``finish``: its cells contribute to these lists; ``late``: to ``finish`` only cells whose first expiry is more than a period
    away.  ``timed``: what of it rests on how long instructions take; ``exact``: what does not, and why, in sentences for its
    user.  ``base``: how a counter of it can be the time base; None: it cannot.  ``clock``: the kinds of clocks that its cells can
    be, other than periodic, which any cell can be.
    """

    name: str
    can: frozenset[Capability] = frozenset()
    registers: dict[Identifier, Register] = Field(default_factory=dict)
    lookup: dict[Identifier, tuple[Identifier, Identifier]] = Field(default_factory=dict)
    align: Flag
    finish: Flag
    late: Flag = False
    base: BaseKind | None = None
    timed: frozenset[Timed] = frozenset()
    exact: str = ""
    clock: dict[ClockKind, Driver] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _kinds(self) -> Self:
        if ClockKind.PERIODIC in self.clock:
            raise ValueError("any cell can be a periodic clock: leave [clock.periodic] out")
        unknown = next((r for pair in self.lookup.values() for r in pair if r not in self.registers), None)
        if unknown is not None:
            raise ValueError(f"'lookup' names '{unknown}', which is none of 'registers'")
        if self.align and Capability.START_TOGETHER not in self.can:
            raise ValueError("'align' is for cells that start together: 'can' lacks \"start-together\"")
        lacking = next((c.value for c in (Capability.CHANNELS, Capability.MATCH) if c not in self.can), None)
        if Capability.MATCH_IN_ROUND in self.can and lacking is not None:
            raise ValueError(f"'match-in-round' is for channels whose match can be moved: 'can' lacks \"{lacking}\"")
        if Capability.LAPS in self.can and Capability.MATCH_IN_ROUND not in self.can:
            raise ValueError("'laps' are those of channels whose match can be moved: 'can' lacks \"match-in-round\"")
        if Capability.POSTPONE in self.can and not self.can & set(REARMS.values()):
            raise ValueError('\'postpone\' moves a cell that is re-armed: \'can\' lacks "shift", "reload" and "match"')
        if Capability.SYNCHRONISE in self.can and not self.can & {Capability.REMAINING, Capability.MATCH}:
            raise ValueError('the time of a round that is synchronised is read: \'can\' lacks "remaining" and "match"')
        if self.base is BaseKind.DOWN and Capability.REMAINING not in self.can:
            raise ValueError("a time base that counts down is read: 'can' lacks \"remaining\"")
        return self
