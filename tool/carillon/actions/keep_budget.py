# SPDX-License-Identifier: Apache-2.0
"""Look whether the job that runs has used up its execution budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import Action
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class KeepBudget(Action):
    """The cell that counts down what is left of the budget of the job that runs."""

    role: ClassVar[Role] = Role.ACTIVATION
    word: ClassVar[str] = "end of a budget"
    subject: ClassVar[str] = "task"
    mark: ClassVar[str] = "!"
    order: ClassVar[int] = 3
    rank: ClassVar[int] = 5
    named: ClassVar[bool] = False
    acknowledged: ClassVar[bool] = True
