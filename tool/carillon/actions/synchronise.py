# SPDX-License-Identifier: Apache-2.0
"""Move all cells of the round towards the global time."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action, CostTable, Served
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class Synchronise(Action):
    """At the end of the round, after its last deadline, the round is made longer or shorter (Sloth on Time, section IV-E)."""

    role = Role.SYNC
    word = "sync point"
    subject = "mode"
    mark = "~"
    order = 4
    rank = 4
    named = False

    def price(self, served: Served, costs: CostTable) -> int:
        """What the handler takes of a round that keeps the global time."""
        return costs.synchronise * served.points
