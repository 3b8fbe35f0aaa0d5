# SPDX-License-Identifier: Apache-2.0
"""Lowering: every timed thing becomes expiry points, a time and an action (:mod:`carillon.actions`).

From here on nothing knows which standard a point came from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from carillon.actions import Action
from carillon.diagnostics import Span
from carillon.model.board import Role


class When(Enum):
    """What a demand's points are counted from."""

    ROUND = "round"  # the beginning of each round
    SYSTEM = "system"  # counted from the start of the event-triggered system; the one point recurs
    RUN_TIME = "run time"  # the application gives the times at run time


class Named(Protocol):
    """An object with a name."""

    @property
    def name(self) -> str:
        """The name to show."""


@dataclass(frozen=True, slots=True)
class ExpiryPoint:
    """At tick ``at`` of the round, do ``action``.

    For an activation, ``window_end`` is the tick from which later points need not preempt it any more;
    for other roles it equals ``at``.  ``stopped_at`` is the tick at which a deadline cell shuts the system down if the
    activation has not ended; None if nothing does.  ``implied``: a deadline that no activation can miss if it has met an
    earlier one of its own, and if a missed one stops the system.
    """

    at: int
    action: Action
    window_end: int
    span: Span
    stopped_at: int | None = None
    implied: bool = False

    @property
    def object(self) -> str:
        """What the action is done to."""
        return self.action.object


@dataclass(frozen=True, slots=True)
class Demand:
    """All points of one action in a round, ascending in time, or in all.

    What an allocation serves as a whole.  ``when`` says what the points are counted from.  Of ``SYSTEM`` there is one, which
    comes again every ``period`` ticks.  Of ``RUN_TIME`` there is one, which only says what is done (``untimed``: why its times,
    or which of them count, are not known).  ``whose``: who wants it, if not the action's object, such as an alarm.  ``required``
    is false for deadlines that are watched only if cells allow.  ``exclusive``: no activation comes before the one before it has
    ended, because a deadline would have stopped the system, or (``vouched``) because the schedule's author says so.  ``within``:
    kernel code may delay the action by so many ticks; 0: it is done on its tick.
    """

    action: Action
    points: tuple[ExpiryPoint, ...]
    required: bool
    bounded: bool
    exclusive: bool = False
    vouched: bool = False
    within: int = 0
    when: When = When.ROUND
    period: int = 0
    whose: Named | None = None
    untimed: str = ""

    @property
    def name(self) -> str:
        """The name to show."""
        return self.whose.name if self.whose is not None else self.action.object

    @property
    def object(self) -> str:
        """What the action is done to: the name of a task, an interrupt or a mode."""
        return self.action.object

    @property
    def role(self) -> Role:
        """The role that a cell must serve to carry the action."""
        return self.action.role

    @property
    def times(self) -> tuple[int, ...]:
        """The points' times."""
        return tuple(point.at for point in self.points)

    @property
    def followed(self) -> tuple[int, ...]:
        """The times to which one re-armed cell is set: each activation's first deadline; of other actions all points."""
        return tuple(point.at for point in self.points if not (self.action.wraps and point.implied))

    @property
    def span(self) -> Span:
        """Where the first of them stands in the file."""
        return self.points[0].span


@dataclass(frozen=True, slots=True)
class LoweredMode:
    """One mode's round as demands, in order of their actions and of first use."""

    name: str
    round_length: int
    demands: tuple[Demand, ...]


def points_in_order(demands: Iterable[Demand], length: int = 0) -> list[ExpiryPoint]:
    """All points of all demands, ascending in time; at one tick in the order of their actions.

    With a round's ``length``, a point at its end comes where its beginning is.
    """
    points = (p for d in demands for p in d.points)
    return sorted(points, key=lambda p: (p.at % length if length else p.at, p.action.order, p.object))
