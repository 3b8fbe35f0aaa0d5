# SPDX-License-Identifier: Apache-2.0
"""Leave a mode for another."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action, CostTable, Served
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class SwitchMode(Action):
    """The mode ends here if another one is wanted (OSEKtime OS 1.0, section 5.3)."""

    role = Role.CONTROL
    word = "control point"
    subject = "mode"
    mark = "▲"
    order = 1
    rank = 2
    named = False
    held = True
    constant = "SWITCH_MODE"

    def price(self, served: Served, costs: CostTable) -> int:
        """Nothing in a round that is not left."""
        del served, costs
        return 0
