# SPDX-License-Identifier: Apache-2.0
"""Activate a task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import COSTS, Action, CostTable, Served
from carillon.model.board import Role
from carillon.model.osek import ActivateTask, AlarmAction


@dataclass(frozen=True, slots=True)
class Activate(Action):
    """The task starts, and preempts whatever runs (OSEKtime OS 1.0, chapter 6)."""

    role: ClassVar[Role] = Role.ACTIVATION
    word: ClassVar[str] = "activation"
    mark: ClassVar[str] = "●"
    order: ClassVar[int] = 3
    rank: ClassVar[int] = 0
    runs: ClassVar[bool] = True
    shares: ClassVar[bool] = True
    gathers: ClassVar[bool] = True
    acknowledged: ClassVar[bool] = True
    constant: ClassVar[str] = "ACTIVATE"
    says: ClassVar[type[AlarmAction] | None] = ActivateTask
    does: ClassVar[str] = "activates {object}"

    def price(self, served: Served, costs: CostTable = COSTS) -> int:
        """Nothing where a cell's vector is the task."""
        if served.handled or served.queued:
            return served.by_handler(costs)
        if served.table:
            return costs.table_activation * served.points
        if served.shared:
            return costs.multiplexed_activation * served.points
        return costs.forget * served.points if served.several else 0
