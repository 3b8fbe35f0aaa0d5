# SPDX-License-Identifier: Apache-2.0
"""What handlers consist of, and what vectors lead to.

A handler is a list of operations: calls of a cell's driver, of the port and of the kernel, and of the application's
functions.  ``emit`` writes each of them down as C, ``timing`` prices each of them; neither decides which there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from carillon import c_names
from carillon.allocate.result import Carrier
from carillon.model.board import Role
from carillon.model.family import Rearm


class Does(Enum):
    """An operation of a handler; the value is its name in ``ports/<port>/costs.toml``, if ports price it."""

    ACKNOWLEDGE = "acknowledge"
    """Takes back what a cell goes on asking for."""
    BEGIN = "begin"
    NEXT = "next"
    """The same in two steps: the request is taken back before the task, and its cell's next expiry is set after it."""
    TAKE_BACK = "take_back"
    """The same if the cell asks: of a cell whose next expiry is set with it."""
    REARM = "rearm"
    """Sets a cell for the next of its points."""
    LAP = "lap"
    """Returns if the cell's counter has turns left to the next of its points."""
    POSTPONE = "postpone"
    """Moves a cell to the next of its points before it has expired."""
    ARM = "arm"
    DISARM = "disarm"
    """Enable and disable requests: of a cell that has a mask, or of sources that share a register."""
    FORGET = "forget"
    """Takes back requests of sources that share a register."""
    HOLD = "hold"
    ENABLE = "enable"
    """Hold a source back, and enable it again."""
    GUARD_WAITS = "guard_waits"
    GUARD_BEGIN = "guard_begin"
    GUARD_END = "guard_end"
    """A task's flags: all between GUARD_WAITS and GUARD_END is done unless the task runs, and as often as it is asked for."""
    ONE_MORE_LOWERED = "one more lowered"
    ONE_LESS_LOWERED = "one less lowered"
    """Count the tasks that run lowered, where modes are switched."""
    LEAVES = "leaves"
    """Returns if a switch of modes is on its way."""
    BUDGET_STOPS = "budget_stops"
    BUDGET_GOES_ON = "budget_goes_on"
    """Between them no budget of a job beneath is used up."""
    ROUND_BUDGET_STOPS = "round_budget_stops"
    ROUND_BUDGET_GOES_ON = "round_budget_goes_on"
    TASK_BUDGET_STOPS = "task_budget_stops"  # the same where each task has a cell for its own
    TASK_BUDGET_GOES_ON = "task_budget_goes_on"
    """The same of the budget of a job of the rounds."""
    RUN = "run"
    RUN_BOUNDED = "run bounded"
    RUN_LOWERED = "run lowered"
    """Call a function of the application, at the handler's level or at that of what it has preempted.

    Bounded: by what stands in the task's place, which keeps only the registers that any function does.
    """
    MISSED = "missed"
    """Tells that a task has missed its deadline."""
    CONTROL = "control"
    """Leaves the mode."""
    SYNCHRONISE = "synchronise"
    """Moves all cells towards the global time."""
    LOOK_UP = "look up"
    DISPATCH = "dispatch"
    """Find the table's entries that are due, and carry them out."""


_COUNTING = (Does.ONE_MORE_LOWERED, Does.ONE_LESS_LOWERED)
RUNS = (Does.RUN, Does.RUN_BOUNDED, Does.RUN_LOWERED)
"""What calls the application."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of a handler.  Equal operations are one C statement.

    ``driver`` and ``cell``: the family of the cell that does it, and the cell's number in it; ``rearm``: how its cells are set
    again.  ``at``: the variable that says where a re-armed cell is.  ``sources``: of one request register, in rising order.
    ``name``: a function or a variable.  ``number``: of a task.
    """

    does: Does
    driver: str = ""
    cell: int = 0
    rearm: Rearm | None = None
    at: str = ""
    sources: tuple[int, ...] = ()
    name: str = ""
    number: int = 0

    @property
    def price(self) -> str:
        """The name of the operation in the port's list of prices."""
        if self.does in _COUNTING:
            return "lowered_tasks"
        reloads = self.rearm is Rearm.RELOAD and self.does in (Does.REARM, Does.POSTPONE)
        moves = self.rearm is Rearm.MATCH and self.does in (Does.REARM, Does.ACKNOWLEDGE, Does.ARM)
        return f"reload_{self.does.value}" if reloads else f"moved_{self.does.value}" if moves else self.does.value

    def priced(self, prices: Mapping[str, int]) -> int:
        """What the operation takes at most; a port without matches to be moved has one price for all cells."""
        return prices[self.price] if self.price in prices else prices[self.does.value]


@dataclass(frozen=True, slots=True)
class Asked:
    """A cell, by its family and its number in it, that a handler asks.  ``armed``: it always is, so that its flag says it."""

    driver: str
    cell: int
    armed: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A handler's operations for one carrier; ``asks``: cells, one of which must request first."""

    carrier: Carrier
    operations: tuple[Operation, ...]
    asks: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class Handler:
    """A function that vectors of a round lead to, in the mode with the number ``mode`` first.

    ``parts``: several where objects share a source, in the order in which their cells are asked.  ``held``: the function that
    it runs if its beginning and its end are the port's own.  ``nested``: others may
    preempt it.  ``within``: around all parts; what it begins with, and what it ends with.
    """

    name: str
    mode: int
    parts: tuple[Part, ...]
    held: str = ""
    nested: bool = False
    within: tuple[tuple[Operation, ...], tuple[Operation, ...]] = ((), ())

    @property
    def operations(self) -> tuple[Operation, ...]:
        """All operations of the handler, in order."""
        begin, end = self.within
        return (*begin, *(operation for part in self.parts for operation in part.operations), *end)


class Frame(Enum):
    """What saves the registers before a vector's function, where a handler is a function of a kind of its own."""

    NONE = "none"
    KERNEL = "kernel"
    BODY = "body"
    """None: a task follows that is a handler's body, unless the linker finds that a called function ends tasks (``KERNEL``)."""
    CATEGORY_1 = "category 1"
    TICK = "tick"
    """Of the clock (:class:`.TickFrame`)."""


@dataclass(frozen=True, slots=True)
class Vector:
    """What an interrupt source is for while a mode runs.

    ``symbol`` is the C function that its vector leads to, by way of a ``frame`` or at once.  ``object`` is the task, interrupt,
    counter ... that it serves, ``role`` in which role of the rounds (None: an interrupt of the application, or event-triggered).
    ``runs`` is the function of the application that its handler runs, or is; empty where the kernel decides what runs, or nothing
    does.
    """

    source: int
    symbol: str
    object: str
    role: Role | None
    runs: str
    frame: Frame = Frame.NONE

    @property
    def entry(self) -> str:
        """What a table of vectors names."""
        names = {Frame.NONE: self.symbol, Frame.BODY: c_names.entry(self.source)}
        return names.get(self.frame, c_names.frame(self.source))
