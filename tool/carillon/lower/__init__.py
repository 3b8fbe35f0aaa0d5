# SPDX-License-Identifier: Apache-2.0
"""Lowering: every timed thing becomes expiry points, a time and an action.

From here on nothing knows which standard a point came from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from carillon.diagnostics import Span
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class ExpiryPoint:
    """At tick ``at`` of the round, do what ``role`` says to ``object``.

    For an activation, ``window_end`` is the tick from which later points need not preempt it any more;
    for other roles it equals ``at``.  ``stopped_at`` is the tick at which a deadline cell shuts the system down if the
    activation has not ended; None if nothing does.
    """

    at: int
    role: Role
    object: str
    window_end: int
    span: Span
    stopped_at: int | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """All points of one role and object (task or interrupt) in a round, ascending in time.

    What an allocation serves as a whole.  ``required`` is false for deadlines that are watched only if
    cells allow.  ``exclusive``: no activation comes before the one before it has ended, because a deadline would have stopped the
    system, or (``vouched``) because the schedule's author says so.
    """

    role: Role
    object: str
    points: tuple[ExpiryPoint, ...]
    required: bool
    bounded: bool
    exclusive: bool = False
    vouched: bool = False

    @property
    def times(self) -> tuple[int, ...]:
        """The points' times."""
        return tuple(point.at for point in self.points)

    @property
    def span(self) -> Span:
        """Where the first of them stands in the file."""
        return self.points[0].span


@dataclass(frozen=True, slots=True)
class LoweredMode:
    """One mode's round as demands, in order of role and of first use."""

    name: str
    round_length: int
    demands: tuple[Demand, ...]


def points_in_order(demands: Iterable[Demand], length: int = 0) -> list[ExpiryPoint]:
    """All points of all demands, ascending in time; at one tick deadlines come before activations.

    With a round's ``length``, a point at its end comes where its beginning is.
    """
    order = {Role.DEADLINE: 0, Role.CONTROL: 1, Role.ENABLE: 2, Role.ACTIVATION: 3}
    return sorted(
        (p for d in demands for p in d.points), key=lambda p: (p.at % length if length else p.at, order[p.role], p.object)
    )
