# SPDX-License-Identifier: Apache-2.0
"""Move all cells of the round towards the global time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import COSTS, Action, CostTable, Served
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class Synchronise(Action):
    """At the end of the round, after its last deadline, the round is made longer or shorter (Sloth on Time, section IV-E)."""

    role: ClassVar[Role] = Role.SYNC
    word: ClassVar[str] = "sync point"
    subject: ClassVar[str] = "mode"
    mark: ClassVar[str] = "~"
    order: ClassVar[int] = 4
    rank: ClassVar[int] = 4
    named: ClassVar[bool] = False

    def price(self, served: Served, costs: CostTable = COSTS) -> int:
        """What the handler takes of a round that keeps the global time."""
        return costs.synchronise * served.points
