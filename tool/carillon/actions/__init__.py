# SPDX-License-Identifier: Apache-2.0
"""What can be done at an expiry point: an open enumeration, one file for each action.

An action knows what a cell must be able to do to carry it, what its handler costs, and how messages and drawings name it.
The passes ask the action instead of telling actions apart.  DESIGN says which files a new one touches.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from carillon.actions.costs import CostTable
from carillon.model.board import Role
from carillon.model.osek import AlarmAction

__all__ = ["Action", "CostTable", "EventTriggered", "Served"]


@dataclass(frozen=True, slots=True)
class Served:
    """How often, and how, an allocation has an action done in a round.

    ``points``: so many points of the action.  ``activations``: so many activations of its object.  ``shared``: one cell is
    re-armed among the points; ``table``: among them and those of other actions.  ``several``: they are on more than one interrupt
    source, and may meet there.  ``handled``: the source's handler does it, on its object's level, or (``apart``) on the kernel's,
    which takes time from higher tasks.  ``queued``: the handler of a tick finds it in the queue of a counter.
    """

    points: int
    activations: int
    shared: bool
    several: bool = False
    table: bool = False
    handled: bool = False
    apart: bool = False
    queued: bool = False

    def by_handler(self, costs: CostTable) -> int:
        """What handlers take, where an action has nothing but what its carrier's kind costs."""
        return self.points * (costs.queued if self.queued else costs.handled_apart if self.apart else costs.handled)


@dataclass(frozen=True, slots=True)
class Action:
    """What is done at an expiry point, to one object: a task, an interrupt, a mode."""

    object: str

    role: ClassVar[Role]
    """What a cell must be able to do to carry it."""
    word: ClassVar[str]
    """One of its points, in a message."""
    subject: ClassVar[str] = "task"
    """What its object is, in a message."""
    mark: ClassVar[str]
    """One of its points, in a drawing."""
    order: ClassVar[int]
    """Of the points of one tick, those of a lower order come first."""
    rank: ClassVar[int]
    """Carriers are listed, and but for the switch of modes get cells, in this order."""
    runs: ClassVar[bool] = False
    """Whether it runs its object: then a window is open from the point on, and the carrier's level follows from it."""
    shares: ClassVar[bool] = False
    """Whether one cell may be re-armed among its points, or among them and those of other actions, in a table."""
    named: ClassVar[bool] = True
    """Whether a mode has it for several objects, so that a handler's name has the object's."""
    acknowledged: ClassVar[bool] = False
    """Whether the handler's acknowledging of the cell is charged."""
    held: ClassVar[bool] = False
    """Whether a cell of its own may interrupt only while that is wanted: who wants it enables its request."""
    counts: ClassVar[bool] = False
    """Whether each single one counts, so that none may be absorbed by one that still waits in the pending bit of a cell."""
    joins: ClassVar[bool] = False
    """Whether its cell may have one interrupt source with cells of other objects: the handler asks which of them it is for."""
    gathers: ClassVar[bool] = False
    """Whether, where sources are short, its cells may have one interrupt source with cells of the same action for other objects:
    the handler asks at each point."""
    wraps: ClassVar[bool] = False
    """Whether, on a cell of its own, it needs code around each activation of its object."""
    stands: ClassVar[bool] = False
    """Whether its cell is prepared and not started: software starts and stops it."""
    constant: ClassVar[str] = ""
    """Its name in ``kernel/contract/action.h``, behind ``CARILLON_ACTION_``; empty if no table of the kernel has it."""
    says: ClassVar[type[AlarmAction] | None] = None
    """How an alarm of the schedule says it, if one can."""
    does: ClassVar[str] = ""
    """What an alarm does that has it, for people: with the names of its fields."""

    @property
    def each(self) -> tuple[Action, ...]:
        """What is done, one thing after the other."""
        return (self,)

    @property
    def phrase(self) -> str:
        """What an alarm does that has it."""
        return self.does.format_map({f.name: getattr(self, f.name) for f in fields(self)})

    def price(self, served: Served, costs: CostTable) -> int:
        """What its handlers take in a round, but for what depends on the cells chosen and for ``wraps``."""
        return served.by_handler(costs)


@dataclass(frozen=True, slots=True)
class EventTriggered(Action):
    """What a cell does for the event-triggered system: these carriers come last."""

    role = Role.ACTIVATION
    order = 3
    rank = 5
    acknowledged = True
