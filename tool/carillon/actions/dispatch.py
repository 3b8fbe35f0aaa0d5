# SPDX-License-Identifier: Apache-2.0
"""Carry out what a table says."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action, CostTable, Served
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class Dispatch(Action):
    """One cell, re-armed among points of several actions: its handler looks up what is due, and does that."""

    role = Role.SYSTEM
    word = "point"
    subject = "table"
    mark = "●"
    order = 4
    rank = 4
    named = False

    def price(self, served: Served, costs: CostTable) -> int:
        """What an entry takes is charged to each entry's action."""
        del served, costs
        return 0
