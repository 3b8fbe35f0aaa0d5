# SPDX-License-Identifier: Apache-2.0
"""Check a deadline."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action, CostTable, Served
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class CheckDeadline(Action):
    """The task should have ended by now (Sloth on Time, section IV-B)."""

    role = Role.DEADLINE
    word = "deadline"
    mark = "×"
    order = 0
    rank = 1
    shares = True
    acknowledged = True
    held = True
    joins = True
    wraps = True
    constant = "CHECK_DEADLINE"

    def price(self, served: Served, costs: CostTable) -> int:
        """At the task's end a shared cell is moved on; a cell of its own needs what ``wraps`` says."""
        if served.table:
            return costs.table_check * served.points
        return costs.multiplexed_deadline * served.activations if served.shared else 0
