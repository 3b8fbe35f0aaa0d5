# SPDX-License-Identifier: Apache-2.0
"""Carry out what a table says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import COSTS, Action, CostTable, Served
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class Dispatch(Action):
    """One cell, re-armed among points of several actions: its handler looks up what is due, and does that."""

    role: ClassVar[Role] = Role.SYSTEM
    word: ClassVar[str] = "point"
    subject: ClassVar[str] = "table"
    mark: ClassVar[str] = "●"
    order: ClassVar[int] = 4
    rank: ClassVar[int] = 4
    named: ClassVar[bool] = False

    def price(self, served: Served, costs: CostTable = COSTS) -> int:
        """What an entry takes is charged to each entry's action."""
        del served, costs
        return 0
