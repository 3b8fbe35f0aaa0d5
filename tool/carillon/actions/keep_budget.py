# SPDX-License-Identifier: Apache-2.0
"""Look whether the job that runs has used up its execution budget."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import EventTriggered


@dataclass(frozen=True, slots=True)
class KeepBudget(EventTriggered):
    """The cell that counts down what is left of the budget of the job that runs."""

    word = "end of a budget"
    mark = "!"
    named = False
