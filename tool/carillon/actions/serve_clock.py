# SPDX-License-Identifier: Apache-2.0
"""Serve what is due in the queue of the time services."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import COSTS, Action, CostTable, Served
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class ServeClock(Action):
    """Delays and time-outs end, alarms expire (RELTEQ, section 3)."""

    role = Role.ACTIVATION
    word = "tick"
    subject = "clock"
    mark = "·"
    order = 3
    rank = 5
    named = False
    acknowledged = True

    def price(self, served: Served, costs: CostTable = COSTS) -> int:
        """What a tick takes in which nothing is due; a clock that is set for what is due has none."""
        return costs.tick * served.points
