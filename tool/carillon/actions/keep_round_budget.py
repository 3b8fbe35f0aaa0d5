# SPDX-License-Identifier: Apache-2.0
"""Look whether the job of a round that runs has used up its execution budget."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import EventTriggered


@dataclass(frozen=True, slots=True)
class KeepRoundBudget(EventTriggered):
    """The cell that counts down what is left of the budget of the round's job that runs."""

    word = "end of a budget of the rounds"
    mark = "!"
    named = False
