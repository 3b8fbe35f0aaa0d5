# SPDX-License-Identifier: Apache-2.0
"""Activate a task."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action, CostTable, Served
from carillon.model.board import Role
from carillon.model.osek import ActivateTask


@dataclass(frozen=True, slots=True)
class Activate(Action):
    """The task starts, and preempts whatever runs (OSEKtime OS 1.0, chapter 6)."""

    role = Role.ACTIVATION
    word = "activation"
    mark = "●"
    order = 3
    rank = 0
    runs = True
    shares = True
    gathers = True
    acknowledged = True
    constant = "ACTIVATE"
    says = ActivateTask
    does = "activates {object}"

    def price(self, served: Served, costs: CostTable) -> int:
        """Nothing where a cell's vector is the task."""
        if served.handled or served.queued:
            return served.by_handler(costs)
        if served.table:
            return costs.table_activation * served.points
        if served.shared:
            return costs.multiplexed_activation * served.points
        return costs.forget * served.points if served.several else 0
