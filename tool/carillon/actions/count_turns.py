# SPDX-License-Identifier: Apache-2.0
"""Count the turns of the cell by which time frames are measured."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class CountTurns(Action):
    """The cell that is never set anew: its turns and its counter are the time of the last arrivals."""

    role = Role.ACTIVATION
    word = "turn of the cell of time frames"
    mark = "!"
    order = 3
    rank = 5
    named = False
    acknowledged = True
