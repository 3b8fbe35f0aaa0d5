# SPDX-License-Identifier: Apache-2.0
"""Look whether the job that runs has used up its execution budget."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class KeepBudget(Action):
    """The cell that counts down what is left of the budget of the job that runs."""

    role = Role.ACTIVATION
    word = "end of a budget"
    mark = "!"
    order = 3
    rank = 5
    named = False
    acknowledged = True
