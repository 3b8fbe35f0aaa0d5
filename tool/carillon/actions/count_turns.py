# SPDX-License-Identifier: Apache-2.0
"""Count the turns of the cell by which time frames are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import Action
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class CountTurns(Action):
    """The cell that is never set anew: its turns and its counter are the time of the last arrivals."""

    role: ClassVar[Role] = Role.ACTIVATION
    word: ClassVar[str] = "turn of the cell of time frames"
    subject: ClassVar[str] = "task"
    mark: ClassVar[str] = "!"
    order: ClassVar[int] = 3
    rank: ClassVar[int] = 5
    named: ClassVar[bool] = False
    acknowledged: ClassVar[bool] = True
