# SPDX-License-Identifier: Apache-2.0
"""Serve what is due in the queue of the time services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import COSTS, Action, CostTable, Served
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class ServeClock(Action):
    """Delays and time-outs end, alarms expire (RELTEQ, section 3)."""

    role: ClassVar[Role] = Role.ACTIVATION
    word: ClassVar[str] = "tick"
    subject: ClassVar[str] = "clock"
    mark: ClassVar[str] = "·"
    order: ClassVar[int] = 3
    rank: ClassVar[int] = 5
    named: ClassVar[bool] = False
    acknowledged: ClassVar[bool] = True

    def price(self, served: Served, costs: CostTable = COSTS) -> int:
        """What a tick takes in which nothing is due; a clock that is set for what is due has none."""
        return costs.tick * served.points
