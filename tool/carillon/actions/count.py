# SPDX-License-Identifier: Apache-2.0
"""Advance a counter by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import COSTS, Action, CostTable, Served
from carillon.model.board import Role
from carillon.model.osek import AlarmAction, IncrementCounter


@dataclass(frozen=True, slots=True)
class Count(Action):
    """A tick of a counter of the hardware, or what an alarm does to one of software (OSEK OS 2.2.3, section 9.1).

    No count may be lost, as no :class:`~carillon.actions.call.Call` may.
    """

    role: ClassVar[Role] = Role.ACTIVATION
    word: ClassVar[str] = "tick"
    subject: ClassVar[str] = "counter"
    mark: ClassVar[str] = "·"
    order: ClassVar[int] = 3
    rank: ClassVar[int] = 5
    counts: ClassVar[bool] = True
    acknowledged: ClassVar[bool] = True
    constant: ClassVar[str] = "COUNT"
    says: ClassVar[type[AlarmAction] | None] = IncrementCounter
    does: ClassVar[str] = "increments {object}"

    def price(self, served: Served, costs: CostTable = COSTS) -> int:
        """Of a counter of the hardware, what a tick takes in which nothing is due; else what a handler takes."""
        return served.by_handler(costs) if served.queued else costs.tick * served.points
