# SPDX-License-Identifier: Apache-2.0
"""Look whether the job of a round's task has used up its execution budget, by a cell of the task's own."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import EventTriggered


@dataclass(frozen=True, slots=True)
class KeepTaskBudget(EventTriggered):
    """The cell that counts down what is left of a task's budget, while a job of the task runs (Sloth on Time, IV-D)."""

    word = "end of a budget of the rounds"
    mark = "!"
    stands = True
