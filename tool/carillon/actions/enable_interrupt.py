# SPDX-License-Identifier: Apache-2.0
"""Enable an interrupt again."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action, CostTable, Served
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class EnableInterrupt(Action):
    """An interrupt of the application, which disabled itself when it came, may come again (OSEKtime OS 1.0, chapter 7)."""

    role = Role.ENABLE
    word = "re-enable point"
    subject = "interrupt"
    mark = "+"
    order = 2
    rank = 3
    shares = True
    gathers = True
    constant = "ENABLE_INTERRUPT"

    def price(self, served: Served, costs: CostTable) -> int:
        """A store at each point, and a shared cell's next interval."""
        if served.table:
            return costs.table_check * served.points
        return (costs.multiplexed_enable if served.shared else costs.enable) * served.points
