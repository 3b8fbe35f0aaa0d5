# SPDX-License-Identifier: Apache-2.0
"""Count the turns of the cell by which time frames are measured."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import EventTriggered


@dataclass(frozen=True, slots=True)
class CountTurns(EventTriggered):
    """The cell that is never set anew: its turns and its counter are the time of the last arrivals."""

    word = "turn of the cell of time frames"
    mark = "!"
    named = False
